/* SPDX-License-Identifier: MIT */
/* bench palette: error diffusion to seven colours, and ImageMagick's of the same picture; screens
 * to sixteen colours; acuity and search to six. */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/peers/peer_magick.h"
#include "bench/timing.h"
#include "roundoff.h"

#include <stdio.h>

enum { ROUNDS = 5, SIZE = 2048, SCREENS_SIZE = 3464, OURS = 5 };

static void print_rows(const struct contender *list, int count, int size, const char *method,
                       bool json)
{
    double pixels = (double)size * size;
    bool first = true;
    for (int i = 0; i < count; i++) {
        const struct contender *c = &list[i];
        if (c->failed)
            continue;
        if (json)
            printf(
                "%s\n  {\"size\": %d, \"method\": \"%s\", \"name\": \"%s\", \"variant\": \"%s\", "
                "\"threads\": %d, \"ms\": %.4f, \"mpixels_per_s\": %.2f}",
                first ? "" : ",", size, method, c->name, c->variant, c->threads, c->best * 1e3,
                pixels / c->best / 1e6);
        else
            printf("| %5d | %-11s | %-7s | %2d | %9.2f | %8.1f |\n", size, c->name, c->variant,
                   c->threads, c->best * 1e3, pixels / c->best / 1e6);
        first = false;
    }
}

/* Ours, one for each way that this machine has; how many. */
static int enter_ours(const ro_image *in, ro_image *out, const ro_palette *palette,
                      const char *method, const char *quality, struct halftoning ours[OURS],
                      struct contender *list)
{
    static const struct {
        ro_cpu cpu;
        int threads;
    } ways[OURS] = {{RO_CPU_SCALAR, 1},
                    {RO_CPU_V128, 1},
                    {RO_CPU_AVX2, 1},
                    {RO_CPU_AVX512, 1},
                    {RO_CPU_AUTO, 0}};
    int count = 0;
    for (int i = 0; i < OURS; i++) {
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .cpu = ways[i].cpu,
                                  .threads = ways[i].threads};
        struct halftoning *own = &ours[count];
        if (ro_context_open(&how, &own->context) != RO_OK)
            continue;
        *own = (struct halftoning){
            own->context,
            in,
            out,
            {RO_HALFTONE_DEFAULTS, .palette = palette, .method = method, .quality = quality}};
        list[count++] = (struct contender){.name = "roundoff", .run = run_halftoning, .data = own};
    }
    return count;
}

/* Says what ran; the best times on one thread and on all. */
static void note_ours(const struct halftoning *ours, struct contender *list, int count,
                      double *best, double *all)
{
    *best = *all = 0;
    for (int i = 0; i < count; i++) {
        const ro_report *report = ro_context_report(ours[i].context);
        list[i].variant = ro_cpu_name(report->cpu);
        list[i].threads = report->threads;
        if (!list[i].failed && report->threads == 1 && (*best == 0 || list[i].best < *best))
            *best = list[i].best;
        if (!list[i].failed && (*all == 0 || list[i].best < *all))
            *all = list[i].best;
    }
}

/* What is measured: a method and a palette, the first with ImageMagick beside it. */
static const struct {
    const char *method, *title, *palette, *quality;
} cases[] = {
    {"floyd-steinberg", "Error diffusion, Floyd-Steinberg, test card to 7 colours", "7-colour",
     NULL},
    {"bayer", "Bayer's screen, test card to 16 colours", "c64", NULL},
    {"blue-noise", "Blue noise, test card to 16 colours", "c64", NULL},
    {"fan", "Error diffusion, Fan, test card to 6 colours", "spectra6", NULL},
    {"acuity", "Acuity, test card to 6 colours", "spectra6", NULL},
    {"search", "Search, two rounds, test card to 6 colours", "spectra6", "fast"},
    {"search", "Search, test card to 6 colours", "spectra6", NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static void print_head(const char *title)
{
    printf("%s. ", title);
    print_machine();
    printf("Best of %d, in turns.\n\n|  size | name        | variant | threads |   ms | Mpixel/s "
           "|\n| ----: | ----------- | ------- | -: | --------: | -------: |\n",
           ROUNDS);
}

static bool run_case(int number, const ro_image *in, ro_image *out, ro_context *context, bool json)
{
    struct contender list[OURS + 1] = {{0}};
    struct halftoning ours[OURS] = {{0}};
    ro_palette palette;
    double best, all;
    if (ro_palette_parse(context, cases[number].palette, &palette) != RO_OK)
        return false;
    const int own_count =
        enter_ours(in, out, &palette, cases[number].method, cases[number].quality, ours, list);
    int count = own_count;
    struct peer_magick *magick = number == 0 ? peer_magick_open(in, &palette) : NULL;
    if (magick)
        list[count++] = (struct contender){.name = "ImageMagick",
                                           .variant = "",
                                           .threads = 1,
                                           .run = peer_magick_run,
                                           .data = magick};
    time_in_turns(list, count, ROUNDS, 20);
    note_ours(ours, list, own_count, &best, &all);
    if (!json)
        print_head(cases[number].title);
    else if (number > 0)
        printf(",");
    print_rows(list, count, (int)in->width,
               cases[number].quality ? "search fast" : cases[number].method, json);
    if (!json && number > 0 && best > 0)
        printf("\n%.2f Gpixel/s on one thread\n", (double)in->width * in->height / best / 1e9);
    if (!json && magick && !list[count - 1].failed && best > 0)
        printf("\nratio one thread/ImageMagick %.1f\nratio all threads/ImageMagick %.1f\n",
               list[count - 1].best / best, list[count - 1].best / all);
    else if (!json && number == 0)
        printf("\nno libMagickWand here: no ratio\n");
    if (!json)
        printf("\n");
    for (int i = 0; i < OURS; i++)
        ro_context_close(ours[i].context);
    peer_magick_close(magick);
    return true;
}

/* A picture of size x size and its result, as ImageMagick takes the first. */
static ro_status make_pictures(ro_context *context, uint32_t size, ro_image *in, ro_image *out)
{
    ro_image_free(in);
    ro_image_free(out);
    ro_status status = ro_image_alloc(context, RO_RGB8, size, size, 255, in);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_INDEX8, size, size, 0, out);
    in->stride = 3 * (ptrdiff_t)size;
    return status == RO_OK ? ro_testcard(context, in) : status;
}

static int run(const struct bench_options *options)
{
    ro_image in = {0}, out = {0};
    const uint32_t size = (uint32_t)(options->size ? options->size : SIZE);
    const uint32_t screens_size = (uint32_t)(options->size ? options->size : SCREENS_SIZE);
    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (options->json)
        printf("[");
    bool good = make_pictures(context, size, &in, &out) == RO_OK &&
                run_case(0, &in, &out, context, options->json);
    good = good && make_pictures(context, screens_size, &in, &out) == RO_OK;
    for (int i = 1; i < CASES && good; i++)
        good = run_case(i, &in, &out, context, options->json);
    if (options->json)
        printf("\n]\n");
    if (!good)
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
    return good ? 0 : 1;
}

const struct bench bench_palette = {
    .name = "palette",
    .summary = "error diffusion to palettes, and ImageMagick; screens, search",
    .run = run,
};

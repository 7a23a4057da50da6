/* SPDX-License-Identifier: MIT */
/* bench palette: error diffusion to seven colours, and ImageMagick's of the same picture. */
#include "bench.h"
#include "contenders.h"
#include "peers/peer_magick.h"
#include "roundoff.h"
#include "timing.h"

#include <stdio.h>

enum { ROUNDS = 5, SIZE = 2048, OURS = 4 };

static void print_rows(const struct contender *list, int count, int size, bool json)
{
    double pixels = (double)size * size;
    bool first = true;
    for (int i = 0; i < count; i++) {
        const struct contender *c = &list[i];
        if (c->failed)
            continue;
        if (json)
            printf("%s\n  {\"size\": %d, \"name\": \"%s\", \"variant\": \"%s\", \"threads\": %d, "
                   "\"ms\": %.4f, \"mpixels_per_s\": %.2f}",
                   first ? "" : ",", size, c->name, c->variant, c->threads, c->best * 1e3,
                   pixels / c->best / 1e6);
        else
            printf("| %5d | %-11s | %-7s | %2d | %9.2f | %8.1f |\n", size, c->name, c->variant,
                   c->threads, c->best * 1e3, pixels / c->best / 1e6);
        first = false;
    }
}

/* Ours, one for each way that this machine has; how many. */
static int enter_ours(const ro_image *in, ro_image *out, const ro_palette *palette,
                      struct halftoning ours[OURS], struct contender *list)
{
    static const struct {
        ro_cpu cpu;
        int threads;
    } ways[OURS] = {{RO_CPU_SCALAR, 1}, {RO_CPU_AVX2, 1}, {RO_CPU_AVX512, 1}, {RO_CPU_AUTO, 0}};
    int count = 0;
    for (int i = 0; i < OURS; i++) {
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .cpu = ways[i].cpu,
                                  .threads = ways[i].threads};
        struct halftoning *own = &ours[count];
        if (ro_context_open(&how, &own->context) != RO_OK)
            continue;
        *own =
            (struct halftoning){own->context, in, out, {RO_HALFTONE_DEFAULTS, .palette = palette}};
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

static int run(const struct bench_options *options)
{
    struct contender list[OURS + 1] = {{0}};
    struct halftoning ours[OURS] = {{0}};
    struct peer_magick *magick = NULL;
    ro_image in = {0}, out = {0};
    ro_palette palette;
    uint32_t size = (uint32_t)(options->size ? options->size : SIZE);
    int count = 0, result = 1;
    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (ro_palette_parse(context, "7-colour", &palette) != RO_OK ||
        ro_image_alloc(context, RO_RGB8, size, size, 255, &in) != RO_OK ||
        ro_image_alloc(context, RO_INDEX8, size, size, 0, &out) != RO_OK)
        goto done;
    in.stride = 3 * (ptrdiff_t)size; /* as ImageMagick takes it */
    if (ro_testcard(context, &in) != RO_OK)
        goto done;
    const int own_count = count = enter_ours(&in, &out, &palette, ours, list);
    if ((magick = peer_magick_open(&in, &palette)))
        list[count++] = (struct contender){.name = "ImageMagick",
                                           .variant = "",
                                           .threads = 1,
                                           .run = peer_magick_run,
                                           .data = magick};
    time_in_turns(list, count, ROUNDS, 20);
    double best, all;
    note_ours(ours, list, own_count, &best, &all);
    if (options->json) {
        printf("[");
    } else {
        printf("Error diffusion, Floyd-Steinberg, test card to 7 colours. ");
        print_machine();
        printf(
            "Best of %d, in turns.\n\n|  size | name        | variant | threads |   ms | Mpixel/s "
            "|\n| ----: | ----------- | ------- | -: | --------: | -------: |\n",
            ROUNDS);
    }
    print_rows(list, count, (int)size, options->json);
    if (options->json)
        printf("\n]\n");
    else if (magick && !list[count - 1].failed && best > 0)
        printf("\nratio one thread/ImageMagick %.1f\nratio all threads/ImageMagick %.1f\n",
               list[count - 1].best / best, list[count - 1].best / all);
    else
        printf("\nno libMagickWand here: no ratio\n");
    result = 0;
done:
    if (result)
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    for (int i = 0; i < OURS; i++)
        ro_context_close(ours[i].context);
    peer_magick_close(magick);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
    return result;
}

const struct bench bench_palette = {
    .name = "palette",
    .summary = "error diffusion to seven colours, and ImageMagick",
    .run = run,
};

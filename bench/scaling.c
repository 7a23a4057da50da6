/* SPDX-License-Identifier: MIT */
/*
 * How families grow with threads: 1, 2, 4 and so on to all that the machine has, in Mpixel/s (of
 * filters in pixels and steps). In memory, and for halftoning also from file to file, in the folder
 * for temporary files.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/timing.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 8192, ROUNDS = 5, MOST = 16, DENOISE_STEPS = 16 };
static const double BUDGET = 2; /* seconds for one family and number of threads */

/* What a family runs on. */
struct ground {
    uint32_t side;
    ro_image grey, deep, bits, bytes, small, small_bits; /* deep: 16 bits; small: for the search */
    ro_image colour;                                     /* for palettes */
    char in[96], out[112];                               /* files */
};

struct turn {
    ro_context *context;
    struct ground *ground;
};

static bool halftone(struct turn *turn, const char *method, const ro_image *in, ro_image *out,
                     int levels)
{
    struct halftoning work = {
        turn->context, in, out, {RO_HALFTONE_DEFAULTS, .method = method, .levels = levels}};
    return run_halftoning(&work);
}

static bool floyd(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "floyd-steinberg", &on->grey, &on->bits, 2);
}
static bool deep(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "floyd-steinberg", &on->deep, &on->bytes, 256);
}
static bool tonal(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "ostromoukhov", &on->grey, &on->bits, 2);
}
static bool acuity(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "acuity", &on->grey, &on->bits, 2);
}
static bool ordered(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "blue-noise", &on->grey, &on->bits, 2);
}
static bool dots(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "dot-diffusion", &on->grey, &on->bits, 2);
}
static bool search(void *turn)
{
    struct ground *on = ((struct turn *)turn)->ground;
    return halftone(turn, "dbs-clipping-free", &on->small, &on->small_bits, 2);
}
static bool palette(void *data)
{
    struct turn *turn = data;
    struct ground *on = turn->ground;
    ro_palette colours;
    struct halftoning work = {
        turn->context, &on->colour, &on->bytes, {RO_HALFTONE_DEFAULTS, .palette = &colours}};
    ro_image out = on->bytes;
    out.width = on->colour.width;
    out.height = on->colour.height;
    work.out = &out;
    return ro_palette_parse(turn->context, "7-colour", &colours) == RO_OK && run_halftoning(&work);
}
static bool denoise(void *data)
{
    struct turn *turn = data;
    struct ground *on = turn->ground;
    ro_image out = on->bytes;
    out.format = RO_GREY8;
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 10, .iterations = DENOISE_STEPS};
    return ro_denoise(turn->context, &on->grey, &out, &options, NULL) == RO_OK;
}
static bool files(void *data)
{
    struct turn *turn = data;
    return ro_halftone_file(turn->context, turn->ground->in, turn->ground->out, NULL, NULL, NULL,
                            NULL) == RO_OK;
}

enum picture { LARGE, COLOUR, SMALL };

static const struct family {
    const char *name;
    bool (*run)(void *turn);
    enum picture picture;
    int steps; /* of each pixel */
} families[] = {
    {"floyd-steinberg, 8 to 1 bit", floyd, LARGE, 1},
    {"floyd-steinberg, 16 to 8 bits", deep, LARGE, 1},
    {"ostromoukhov", tonal, LARGE, 1},
    {"acuity", acuity, LARGE, 1},
    {"blue-noise", ordered, LARGE, 1},
    {"dot-diffusion", dots, LARGE, 1},
    {"palette, 7 colours", palette, COLOUR, 1},
    {"dbs-clipping-free", search, SMALL, 1},
    {"denoise, anisotropic", denoise, LARGE, DENOISE_STEPS},
    {"file to file", files, LARGE, 1},
};
enum { FAMILIES = sizeof families / sizeof *families };

static ro_status make_ground(ro_context *context, struct ground *on)
{
    const char *folder = getenv("TMPDIR");
    const uint32_t side = on->side, small = side < 1024 ? side : 1024;
    const uint32_t colour = side < 4096 ? side : 4096;
    ro_status status = ro_image_alloc(context, RO_GREY8, side, side, 255, &on->grey);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY16, side, side, 65535, &on->deep);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_BITS, side, side, 0, &on->bits);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_INDEX8, side, side, 0, &on->bytes);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, small, small, 255, &on->small);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_BITS, small, small, 0, &on->small_bits);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_RGB8, colour, colour, 255, &on->colour);
    if (status == RO_OK)
        status = ro_testcard(context, &on->colour);
    if (status == RO_OK)
        status = ro_testcard(context, &on->grey);
    if (status == RO_OK)
        status = ro_testcard(context, &on->deep);
    if (status == RO_OK)
        status = ro_testcard(context, &on->small);
    snprintf(on->in, sizeof on->in, "%.60s/roundoff-scaling-%ld.pgm",
             folder && *folder ? folder : "/tmp", (long)getpid());
    snprintf(on->out, sizeof on->out, "%.*s.pbm", (int)strlen(on->in) - 4, on->in);
    return status == RO_OK ? ro_image_save(context, on->in, &on->grey, NULL) : status;
}

static void free_ground(struct ground *on)
{
    ro_image *const images[] = {&on->grey,  &on->deep,       &on->bits,  &on->bytes,
                                &on->small, &on->small_bits, &on->colour};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        ro_image_free(images[i]);
    unlink(on->in);
    unlink(on->out);
}

/* All numbers of threads of a family in turns. */
static void measure(const struct family *family, struct ground *on, ro_context *const *contexts,
                    const int *threads, int count, bool json, bool *first)
{
    struct turn turns[MOST];
    struct contender list[MOST] = {{0}};
    const ro_image *const pictures[] = {
        [LARGE] = &on->grey, [COLOUR] = &on->colour, [SMALL] = &on->small};
    const ro_image *picture = pictures[family->picture];
    const double pixels = (double)picture->width * picture->height * family->steps;
    for (int i = 0; i < count; i++) {
        turns[i] = (struct turn){contexts[i], on};
        list[i] = (struct contender){.run = family->run, .data = &turns[i], .threads = threads[i]};
    }
    time_in_turns(list, count, ROUNDS, BUDGET);
    if (json)
        printf("%s\n  {\"family\": \"%s\", \"mpixels_per_s\": {", *first ? "" : ",", family->name);
    else
        printf("| %-30s |", family->name);
    for (int i = 0; i < count; i++) {
        const double speed = list[i].failed || list[i].best <= 0 ? 0 : pixels / list[i].best * 1e-6;
        if (json)
            printf("%s\"%d\": %.1f", i ? ", " : "", threads[i], speed);
        else
            printf(" %8.0f |", speed);
    }
    printf(json ? "}}" : "\n");
    *first = false;
    fflush(stdout);
}

static void print_head(const struct ground *on, const int *threads, int count)
{
    printf("Threads, %u x %u test card (palette %u x %u, search %u x %u), Mpixel/s. ", on->side,
           on->side, on->colour.width, on->colour.height, on->small.width, on->small.height);
    print_machine();
    printf("\n| threads                        |");
    for (int i = 0; i < count; i++)
        printf(" %8d |", threads[i]);
    printf("\n| ------------------------------ |");
    for (int i = 0; i < count; i++)
        printf(" -------: |");
    printf("\n");
}

static int run(const struct bench_options *options)
{
    struct ground on = {.side = options->size ? (uint32_t)options->size : SIDE};
    ro_context *contexts[MOST] = {NULL}, *all;
    int threads[MOST], count = 0;
    bool first = true;
    if (ro_context_open(NULL, &all) != RO_OK)
        return EXIT_FAILURE;
    const int most = ro_context_threads(all);
    ro_status status = RO_OK;
    for (int n = 1; count < MOST && status == RO_OK; n *= 2) {
        threads[count] = n < most ? n : most;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                  .threads = threads[count]};
        status = ro_context_open(&how, &contexts[count++]);
        if (n >= most)
            break;
    }
    if (status == RO_OK)
        status = make_ground(all, &on);
    if (status != RO_OK)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(all));
    else if (options->json)
        printf("[");
    else
        print_head(&on, threads, count);
    for (int i = 0; i < FAMILIES && status == RO_OK; i++)
        measure(&families[i], &on, contexts, threads, count, options->json, &first);
    if (status == RO_OK && options->json)
        printf("\n]\n");
    free_ground(&on);
    for (int i = 0; i < count; i++)
        ro_context_close(contexts[i]);
    ro_context_close(all);
    return status == RO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct bench bench_scaling = {
    .name = "scaling",
    .summary = "threads 1, 2, 4 and so on, in memory and from file to file",
    .run = run,
};

/* SPDX-License-Identifier: MIT */
/*
 * Many levels on one thread: error diffusion and ordered dithering from 8, 10 and 16 bits to fewer,
 * beside zimg's of the same depths and a copy of as many bytes, all in turns; then methods of two
 * levels that have no peer. A UHD frame unless told otherwise.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/peers/peer_zimg.h"
#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 3840, HEIGHT = 2160, ROUNDS = 9 };
static const double BUDGET = 1; /* seconds for one contender */

static const struct levels_case {
    const char *method;
    int bits_in, bits_out;
    bool ordered;
} cases[] = {
    {"floyd-steinberg", 16, 8, false},
    {"floyd-steinberg", 16, 10, false},
    {"floyd-steinberg", 10, 8, false},
    {"floyd-steinberg", 8, 4, false},
    {"floyd-steinberg", 8, 2, false},
    {"floyd-steinberg", 8, 1, false},
    {"stucki", 16, 8, false},
    {"acuity", 16, 8, false},
    {"ostromoukhov", 16, 8, false},
    {"bayer16", 16, 8, true},
    {"bayer16", 16, 10, true},
    {"bayer16", 10, 8, true},
    {"bayer16", 8, 4, true},
    {"random", 8, 1, true},
    {"otsu", 8, 1, true},
    {"dot-diffusion", 8, 1, true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* memcpy of as many bytes as are read and written. */
struct copying_all {
    const void *from;
    void *to;
    size_t bytes;
};

static bool copy_all(void *data)
{
    struct copying_all *copy = data;
    memcpy(copy->to, copy->from, copy->bytes);
    return true;
}

static ro_format format_of(int bits)
{
    return bits == 1 ? RO_BITS : bits <= 8 ? RO_INDEX8 : RO_GREY16;
}

static double speed_of(const struct contender *contender, double pixels)
{
    return contender->failed || contender->best <= 0 ? 0 : pixels / contender->best * 1e-6;
}

static void print_row(const struct levels_case *row, double ours, double zimg, double copy,
                      const char *variant, bool json, bool *first)
{
    if (json) {
        printf("%s\n  {\"method\": \"%s\", \"from\": %d, \"to\": %d, \"cpu\": \"%s\", "
               "\"mpixels_per_s\": %.1f, \"zimg_mpixels_per_s\": %.1f, "
               "\"copy_mpixels_per_s\": %.1f}",
               *first ? "" : ",", row->method, row->bits_in, row->bits_out, variant, ours, zimg,
               copy);
    } else if (zimg > 0) {
        printf("| %-16s | %2d | %2d | %8.0f | %8.0f | %5.2f | %5.2f |\n", row->method, row->bits_in,
               row->bits_out, ours, zimg, ours / zimg, ours / copy);
    } else {
        printf("| %-16s | %2d | %2d | %8.0f |          |       | %5.2f |\n", row->method,
               row->bits_in, row->bits_out, ours, ours / copy);
    }
    *first = false;
    fflush(stdout);
}

static bool measure(ro_context *context, const struct levels_case *row, uint32_t width,
                    uint32_t height, bool json, bool *first)
{
    ro_image in = {0}, out = {0};
    const int out_bytes = row->bits_out > 8 ? 2 : 1;
    const size_t in_bytes = (size_t)(row->bits_in > 8 ? 2 : 1) * width * height;
    const size_t pixels = (size_t)width * height, room = 2 * ((size_t)width + 64) * height;
    void *other = malloc(room), *copied = malloc(2 * room);
    bool right =
        other && copied &&
        ro_image_alloc(context, row->bits_in > 8 ? RO_GREY16 : RO_GREY8, width, height,
                       (1u << row->bits_in) - 1, &in) == RO_OK &&
        ro_image_alloc(context, format_of(row->bits_out), width, height, 0, &out) == RO_OK &&
        ro_testcard(context, &in) == RO_OK;
    struct halftoning ours = {
        context,
        &in,
        &out,
        {RO_HALFTONE_DEFAULTS, .method = row->method, .levels = 1 << row->bits_out}};
    struct peer_zimg *zimg = NULL;
    struct copying_all copy = {in.data, copied, 0};
    if (right) {
        /* half of all bytes, for a copy reads and writes each */
        const size_t written = row->bits_out == 1 ? pixels / 8 : pixels * (size_t)out_bytes;
        copy.bytes = (in_bytes + written) / 2;
        if (copy.bytes > in_bytes)
            copy.bytes = in_bytes;
        if (strcmp(row->method, "floyd-steinberg") == 0 || strcmp(row->method, "bayer16") == 0)
            zimg = peer_zimg_open_bits(&in, other, row->bits_out, row->ordered, true);
        struct contender turns[] = {{.run = run_halftoning, .data = &ours},
                                    {.run = copy_all, .data = &copy},
                                    {.run = peer_zimg_run, .data = zimg}};
        time_in_turns(turns, zimg ? 3 : 2, ROUNDS, BUDGET);
        right = !turns[0].failed;
        if (right)
            print_row(row, speed_of(&turns[0], (double)pixels),
                      zimg ? speed_of(&turns[2], (double)pixels) : 0,
                      speed_of(&turns[1], (double)pixels),
                      ro_cpu_name(ro_context_report(context)->cpu), json, first);
    }
    peer_zimg_close(zimg);
    ro_image_free(&in);
    ro_image_free(&out);
    free(other);
    free(copied);
    return right;
}

static int run(const struct bench_options *options)
{
    const uint32_t width = options->size ? (uint32_t)options->size : WIDTH;
    const uint32_t height = options->size ? (uint32_t)options->size : HEIGHT;
    ro_context_options one = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    ro_context *context;
    bool first = true, right = true;
    if (ro_context_open(&one, &context) != RO_OK)
        return EXIT_FAILURE;
    if (options->json) {
        printf("[");
    } else {
        printf("Levels, %u x %u test card, one thread, Mpixel/s. ", width, height);
        print_machine();
        printf("Beside zimg with its best SIMD, and a copy of as many bytes as are read and "
               "written.\n\n"
               "| method           | of | to | roundoff |     zimg | ratio |  copy |\n"
               "| ---------------- | -: | -: | -------: | -------: | ----: | ----: |\n");
    }
    for (int i = 0; i < CASES && right; i++)
        right = measure(context, &cases[i], width, height, options->json, &first);
    if (options->json)
        printf("\n]\n");
    if (!right)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(context));
    ro_context_close(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct bench bench_levels = {
    .name = "levels",
    .summary = "8 to 16 bits to fewer on one thread, beside zimg",
    .run = run,
};

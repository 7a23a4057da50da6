/* SPDX-License-Identifier: MIT */
/*
 * Floyd-Steinberg as other programs do it, to the byte: 8-bit grey to two levels, one pixel after
 * another. What such a program cannot do is an error here too.
 *
 *   pillow   Image.convert("1"): the value clamped to 0..255, white above 128, errors of sixteen
 *            parts divided toward zero when read
 *   netpbm   pgmtopbm -fs -randomseed=N: white is 1024, white from 512 on, each share of an error
 *            divided toward zero on its own, serpentine; the first row's errors are random
 *   zimg     its code without SIMD: single precision, the value clamped, ties to even
 *   paper    as published, in real numbers (error collection of Kasagi, Nakano and Ito, whose sums
 *            are those of error diffusion): doubles in units of a sample, white above a half
 */
#include "halftone/halftone.h"

#include "core/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void row_fn(struct halftoner *work, const unsigned char *in, unsigned char *out,
                    uint32_t y);

struct like_state {
    union {
        int32_t *whole;
        float *real;
        double *exact;
    } line[2];      /* errors of rows, an entry more on either side */
    int32_t *first; /* those that flow into the first; NULL: none do */
};

static void put(const struct halftoner *work, unsigned char *out, uint32_t x, bool white)
{
    if (work->out == RO_BITS)
        out[x / 8] |= (unsigned char)(white << (7 - x % 8));
    else
        out[x] = white;
}

static void pillow_row(struct halftoner *work, const unsigned char *in, unsigned char *out,
                       uint32_t y)
{
    (void)y;
    const struct like_state *state = work->state;
    int32_t *below = state->line[0].whole; /* entry x+1: sixteenths that flow to column x */
    int32_t right = 0, under = 0, ahead = 0;
    for (uint32_t x = 0; x < work->in.width; x++) {
        int32_t v = in[x] + (right + below[x + 1]) / 16;
        v = v < 0 ? 0 : v > 255 ? 255 : v;
        bool white = v > 128;
        put(work, out, x, white);
        int32_t e = v - (white ? 255 : 0);
        below[x] = under + 3 * e;
        under = ahead + 5 * e;
        ahead = e;
        right = 7 * e;
    }
    below[work->in.width] = under;
}

static void netpbm_row(struct halftoner *work, const unsigned char *in, unsigned char *out,
                       uint32_t y)
{
    const struct like_state *state = work->state;
    const int64_t width = work->in.width, step = y % 2 ? -1 : 1;
    const int32_t maxval = (int32_t)work->grey.white;
    int32_t *here = state->line[y % 2].whole + 1, *below = state->line[(y + 1) % 2].whole + 1;
    memset(below - 1, 0, (size_t)(width + 2) * sizeof *below);
    int64_t x = step > 0 ? 0 : width - 1;
    for (int64_t n = 0; n < width; n++, x += step) {
        int32_t e = in[x] * 1024 / maxval + here[x];
        bool white = e >= 512;
        put(work, out, (uint32_t)x, white);
        if (white)
            e -= 1024;
        here[x + step] += e * 7 / 16;
        below[x - step] += e * 3 / 16;
        below[x] += e * 5 / 16;
        below[x + step] += e / 16;
    }
}

static void zimg_row(struct halftoner *work, const unsigned char *in, unsigned char *out,
                     uint32_t y)
{
    const struct like_state *state = work->state;
    float *here = state->line[y % 2].real + 1;
    const float *above = state->line[(y + 1) % 2].real + 1;
    for (int64_t x = 0; x < work->in.width; x++) {
        float flow = here[x - 1] * (7.0f / 16);
        flow += above[x + 1] * (3.0f / 16);
        flow += above[x] * (5.0f / 16);
        flow += above[x - 1] * (1.0f / 16);
        float v = (float)in[x] * (1.0f / 255) + flow;
        v = v < 0 ? 0 : v > 1 ? 1 : v;
        long level = lrintf(v);
        put(work, out, (uint32_t)x, level != 0);
        here[x] = v - (float)level;
    }
}

static void paper_row(struct halftoner *work, const unsigned char *in, unsigned char *out,
                      uint32_t y)
{
    const struct like_state *state = work->state;
    double *here = state->line[y % 2].exact + 1;
    const double *above = state->line[(y + 1) % 2].exact + 1;
    const double whole = work->grey.white;
    for (int64_t x = 0; x < work->in.width; x++) {
        const double s = in[x] + 7.0 / 16 * here[x - 1] + 1.0 / 16 * above[x - 1] +
                         5.0 / 16 * above[x] + 3.0 / 16 * above[x + 1];
        const bool white = s > whole / 2;
        put(work, out, (uint32_t)x, white);
        here[x] = white ? s - whole : s;
    }
}

/* MT19937 of Matsumoto and Nishimura, its first `count` numbers. */
static bool twister(uint32_t seed, uint32_t *numbers, uint32_t count)
{
    enum { N = 624, M = 397 };
    uint32_t *word = malloc((count + N + 1) * sizeof *word);
    if (!word)
        return false;
    word[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        word[i] = 1812433253u * (word[i - 1] ^ (word[i - 1] >> 30)) + i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t joined = (word[i] & 0x80000000u) | (word[i + 1] & 0x7fffffffu);
        uint32_t x = word[i + M] ^ (joined >> 1) ^ (joined & 1 ? 0x9908b0dfu : 0);
        word[i + N] = x;
        x ^= x >> 11;
        x ^= (x << 7) & 0x9d2c5680u;
        x ^= (x << 15) & 0xefc60000u;
        numbers[i] = x ^ (x >> 18);
    }
    free(word);
    return true;
}

static bool netpbm_start(struct halftoner *work)
{
    struct like_state *state = work->state;
    uint32_t count = work->in.width + 2;
    int32_t *line = state->first = malloc(count * sizeof *line);
    if (!line || !twister((uint32_t)work->options.seed, (uint32_t *)line, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        line[i] = ((int32_t)((uint32_t)line[i] % 1024) - 512) / 4;
    return true;
}

static const struct like {
    struct halftone_method method;
    row_fn *row;
    bool (*start)(struct halftoner *work);
    bool any_maxval;
} likes[] = {
    {{{"floyd-steinberg like pillow", "", "", ""}, &like_engine, 0, 0}, pillow_row, NULL, false},
    {{{"floyd-steinberg like netpbm", "", "", ""}, &like_engine, OPTION_SEED, 1},
     netpbm_row,
     netpbm_start,
     true},
    {{{"floyd-steinberg like zimg", "", "", ""}, &like_engine, 0, 2}, zimg_row, NULL, false},
    {{{"floyd-steinberg like paper", "", "", ""}, &like_engine, 0, 3}, paper_row, NULL, true},
};

const struct halftone_method *halftone_like_find(ro_context *context,
                                                 const ro_halftone_options *options)
{
    static const char *const names[] = {"pillow", "netpbm", "zimg", "paper"};
    if (options->method && strcmp(options->method, "floyd-steinberg") != 0) {
        ro_context_fail(context, RO_E_ARGUMENT, "like %s needs method floyd-steinberg, not %s",
                        options->like, options->method);
        return NULL;
    }
    size_t i = 0;
    while (strcmp(options->like, names[i]) != 0)
        i++;
    return &likes[i].method;
}

unsigned halftone_like_options(const char *name)
{
    for (size_t i = 0; i < sizeof likes / sizeof *likes; i++)
        if (strcmp(likes[i].method.info.name, name) == 0)
            return likes[i].method.options;
    return 0;
}

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, false);
    if (status != RO_OK)
        return status;
    const struct like *like = &likes[work->method->variant];
    ro_context *context = work->context;
    const bool colour = work->in.format == RO_RGB8 && work->grey.plane == PLANE_LUMA_601;
    if ((work->in.format != RO_GREY8 && !colour) || (!like->any_maxval && work->grey.white != 255))
        return ro_context_fail(
            context, RO_E_UNSUPPORTED, "%s takes 8-bit grey%s, not %s of maxval %u",
            work->method->info.name, work->grey.plane == PLANE_LUMA_601 ? " or RGB" : "",
            ro_format_name(work->in.format), work->grey.white);
    if (work->options.seed > UINT32_MAX)
        return ro_context_fail(context, RO_E_ARGUMENT, "%s takes seeds up to %u",
                               work->method->info.name, UINT32_MAX);
    struct like_state *state = calloc(1, sizeof *state);
    work->state = state;
    bool ready = state != NULL;
    for (int i = 0; i < 2 && ready; i++) {
        state->line[i].exact = calloc((size_t)work->in.width + 2, sizeof(double));
        ready = state->line[i].exact != NULL;
    }
    if (ready && like->start)
        ready = like->start(work);
    if (!ready)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    work->bytes = sizeof *state + 3 * ((size_t)work->in.width + 2) * sizeof(double);
    work->report.schedule = "ed";
    return RO_OK;
}

static ro_status begin_engine(struct halftoner *work)
{
    const struct like_state *state = work->state;
    const size_t count = (size_t)work->in.width + 2;
    for (int i = 0; i < 2; i++)
        memset(state->line[i].exact, 0, count * sizeof(double));
    if (state->first)
        memcpy(state->line[0].whole, state->first, count * sizeof *state->first);
    return RO_OK;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    const struct like *like = &likes[work->method->variant];
    for (uint32_t r = 0; r < block->rows; r++) {
        unsigned char *out = block->out + (ptrdiff_t)r * block->out_stride;
        memset(out, 0, ro_format_row_bytes(work->out, work->in.width));
        like->row(work, block->in + (ptrdiff_t)r * block->in_stride, out, block->first_row + r);
    }
    work->report.steps += (uint64_t)block->rows * work->in.width;
    return RO_OK;
}

static void close_engine(struct halftoner *work)
{
    struct like_state *state = work->state;
    for (int i = 0; i < 2 && state; i++)
        free(state->line[i].exact);
    if (state)
        free(state->first);
    free(state);
    work->state = NULL;
}

const struct halftone_engine like_engine = {
    .open = open_engine,
    .begin = begin_engine,
    .run = run_engine,
    .close = close_engine,
    .no_palette = "it has the tones of another program",
};

/* SPDX-License-Identifier: MIT */
/*
 * A picture fitted to what a palette can show, before any colour is chosen. Black and white of the
 * picture become the palette's, all else in proportion; then colours
 * that the palette cannot mix are drawn towards the grey of their luma until it can, those near the
 * border of its hull a little, so that shades stay apart:
 *
 *     d    how far a colour lies from grey, where 1 is the hull's border
 *     d'   the same afterwards: d up to 3/4, beyond that ever less, and never 1
 *
 * What this does is computed for the nodes of a lattice over sRGB, when a pixel first asks for
 * them, and is straight between them. Without a solid hull, as of black, white and red, only black
 * and white are fitted: no colour but grey would be left.
 */
#include "halftone/palette/palette.h"

#include "core/image.h"
#include "core/misuse.h"
#include "core/palette_ends.h"
#include "number/power.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 33,
    ENTRIES = NODES * NODES * NODES,
    BEYOND = 1 + NODES + NODES * NODES, /* read behind the last node, and times 0 */
    PART_BITS = 11,                     /* of the way between nodes */
    PART = 1 << PART_BITS,
    MOST_TRIES = 24,
};

static const double knee = 0.75;
static const double luma[3] = {13933 / 65536.0, 46871 / 65536.0, 4732 / 65536.0};

struct halftone_fit {
    struct grey_form form; /* of what comes in */
    uint32_t *place;       /* of every sample along the lattice: node << PART_BITS | part */
    struct palette_hull hull;
    bool solid;
    double black[3], white[3]; /* light of the palette's */
    double light[NODES];       /* along a side of the lattice */
    unsigned char *rows;       /* samples of a row, for each thread */
    size_t row_bytes;
    /* sRGB of 16 bits, red lowest, and KNOWN; 0: not computed yet, by whichever thread */
    _Atomic uint64_t node[ENTRIES + BEYOND];
};

#define KNOWN ((uint64_t)1 << 48)

static double luma_of(const double light[3])
{
    return (luma[0] * light[0] + luma[1] * light[1]) + luma[2] * light[2];
}

/* ---- the map --------------------------------------------------------------------------------- */

/* How far one can go from `from` along `way` in the hull, as a share of it, `most` at most: from
 * outside, plane by plane. */
static double way_out(const struct halftone_fit *fit, const double from[3], const double way[3],
                      double most)
{
    struct palette_corners guess = {0};
    double t = most;
    for (int c = 0; c < 3; c++) { /* light is 0 to 1 */
        if (from[c] + t * way[c] > 1)
            t = (1 - from[c]) / way[c];
        if (from[c] + t * way[c] < 0)
            t = -from[c] / way[c];
    }
    for (int n = 0; n < MOST_TRIES; n++) {
        uint16_t light[3];
        int32_t to[3];
        double across = 0, before = 0, away = 0;
        for (int c = 0; c < 3; c++) {
            const double here = TONE_WHITE * (from[c] + t * way[c]) + 0.5;
            light[c] = (uint16_t)(here < 0 ? 0 : here > TONE_WHITE ? TONE_WHITE : here);
        }
        if (palette_project(&fit->hull, light, &guess, to))
            break;
        for (int c = 0; c < 3; c++) {
            const double at = to[c] / (double)PALETTE_WHITE;
            const double off = light[c] / (double)TONE_WHITE - at;
            const double normal = (c == 1 ? PALETTE_GREEN * PALETTE_GREEN : 1) * off;
            across += normal * way[c];
            before += normal * (at - from[c]);
            away += off * off;
        }
        if (!(across > 0) || !(before < t * across) || away < 1e-9)
            break;
        t = before > 0 ? before / across : 0;
    }
    return t;
}

static double pressed(double d)
{
    const double over = (d - knee) / (1 - knee);
    return d <= knee ? d : knee + (1 - knee) * (over / (1 + over));
}

static void fit_light(const struct halftone_fit *fit, double light[3])
{
    double grey[3], way[3];
    for (int c = 0; c < 3; c++)
        light[c] = fit->black[c] + light[c] * (fit->white[c] - fit->black[c]);
    const double least = luma_of(fit->black), most = luma_of(fit->white);
    double share = most > least ? (luma_of(light) - least) / (most - least) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    double length = 0;
    for (int c = 0; c < 3; c++) {
        grey[c] = fit->black[c] + share * (fit->white[c] - fit->black[c]);
        way[c] = light[c] - grey[c];
        length += way[c] * way[c];
    }
    if (!fit->solid || length < 1e-12)
        return;
    const double t = way_out(fit, grey, way, 1 / knee);
    const double kept = t > 1e-9 ? t * pressed(1 / t) : 0;
    for (int c = 0; c < 3; c++)
        light[c] = grey[c] + kept * way[c];
}

__attribute__((noinline)) static uint64_t learn(struct halftone_fit *fit, uint32_t node)
{
    double light[3] = {fit->light[node % NODES], fit->light[node / NODES % NODES],
                       fit->light[node / NODES / NODES]};
    uint64_t own = KNOWN;
    fit_light(fit, light);
    for (int c = 0; c < 3; c++) {
        const double value = light[c] < 0 ? 0 : light[c] > 1 ? 1 : light[c];
        own |= (uint64_t)floor(TONE_WHITE * srgb_of_light(value) + 0.5) << 16 * c;
    }
    atomic_store_explicit(&fit->node[node], own, memory_order_relaxed);
    return own;
}

/* Red and green in the halves of one number, which a share cannot make overflow. */
struct fit_sum {
    uint64_t red_green;
    uint32_t blue;
};

static inline struct fit_sum add_node(struct halftone_fit *fit, struct fit_sum sum, uint32_t node,
                                      uint32_t share)
{
    uint64_t own = atomic_load_explicit(&fit->node[node], memory_order_relaxed);
    if (__builtin_expect(!own, 0) && share > 0)
        own = learn(fit, node);
    sum.red_green += share * ((own & 0xffff) | (own & 0xffff0000) << 16);
    sum.blue += share * (uint32_t)(own >> 32 & 0xffff);
    return sum;
}

static inline uint32_t larger_of(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t smaller_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Between the four nodes of the simplex that a colour lies in: from the lowest node along the
 * channel with the largest part first. */
static inline void fit_pixel(struct halftone_fit *fit, const uint32_t place[3], uint16_t to[3])
{
    static const uint32_t stride[4] = {1, NODES, NODES * NODES};
    const uint32_t node = (place[0] >> PART_BITS) + (place[1] >> PART_BITS) * NODES +
                          (place[2] >> PART_BITS) * (NODES * NODES);
    /* Parts are sorted with their channels. */
    const uint32_t red = place[0] % PART << 2, green = place[1] % PART << 2 | 1,
                   blue = place[2] % PART << 2 | 2;
    const uint32_t upper = larger_of(red, green), lower = smaller_of(red, green),
                   between = smaller_of(upper, blue);
    const uint32_t first = larger_of(upper, blue), second = larger_of(lower, between),
                   third = smaller_of(lower, between);
    const uint32_t along = node + stride[first & 3], across = along + stride[second & 3];
    struct fit_sum sum = {(uint64_t)(PART / 2) << 32 | PART / 2, PART / 2};
    sum = add_node(fit, sum, node, PART - (first >> 2));
    sum = add_node(fit, sum, along, (first >> 2) - (second >> 2));
    sum = add_node(fit, sum, across, (second >> 2) - (third >> 2));
    sum = add_node(fit, sum, node + BEYOND, third >> 2);
    to[0] = (uint16_t)(sum.red_green >> PART_BITS);
    to[1] = (uint16_t)(sum.red_green >> (32 + PART_BITS));
    to[2] = (uint16_t)(sum.blue >> PART_BITS);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void find_ends(struct halftone_fit *fit, const int32_t colour[3][PALETTE_MOST],
                      const ro_palette *palette)
{
    int black, white;
    palette_ends(palette, &black, &white);
    for (int c = 0; c < 3; c++) {
        fit->black[c] = colour[c][black] / (double)PALETTE_WHITE;
        fit->white[c] = colour[c][white] / (double)PALETTE_WHITE;
    }
}

/* Whether some four colours span a thousandth of the cube or more. */
static bool is_solid(const struct palette_hull *hull)
{
    for (int i = 1; i < hull->count; i++)
        for (int j = i + 1; j < hull->count && j < 24; j++)
            for (int k = j + 1; k < hull->count && k < 24; k++) {
                double p[3][3];
                const int corner[3] = {i, j, k};
                for (int n = 0; n < 3; n++)
                    for (int c = 0; c < 3; c++)
                        p[n][c] =
                            (hull->colour[corner[n]][c] - (double)hull->colour[0][c]) / TONE_WHITE;
                const double volume = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                                      p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                                      p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
                if (fabs(volume) > 1e-3)
                    return true;
            }
    return false;
}

ro_status halftone_fit_open(ro_context *context, const struct grey_form *form, uint32_t width,
                            int threads, const ro_palette *palette, const struct tone *tone,
                            struct halftone_fit **made)
{
    int32_t colour[3][PALETTE_MOST];
    struct halftone_fit *fit = calloc(1, sizeof *fit);
    *made = fit;
    if (!fit)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    fit->form = *form;
    uint16_t *linear = palette_linear(tone);
    fit->place = malloc(((size_t)tone->in_white + 1) * sizeof *fit->place);
    fit->row_bytes = (grey_row_bytes(&fit->form, width) + 63) & ~(size_t)63;
    fit->rows = malloc((size_t)threads * fit->row_bytes);
    if (!linear || !fit->place || !fit->rows) {
        free(linear);
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a row of %u pixels", width);
    }
    for (uint32_t a = 0; a <= tone->in_white; a++)
        fit->place[a] = (uint32_t)floor(
            (NODES - 1) * PART * srgb_of_light(linear[a] / (double)TONE_WHITE) + 0.5);
    free(linear);
    for (int n = 0; n < NODES; n++)
        fit->light[n] = light_of_srgb(n / (double)(NODES - 1));
    palette_light(palette, colour);
    fit->hull.count = palette->count;
    for (int k = 0; k < palette->count; k++)
        for (int c = 0; c < 3; c++)
            fit->hull.colour[k][c] = (uint16_t)(colour[c][k] / 16);
    fit->solid = is_solid(&fit->hull);
    find_ends(fit, (const int32_t(*)[PALETTE_MOST])colour, palette);
    return RO_OK;
}

static inline void fit_samples(struct halftone_fit *fit, const unsigned char *samples,
                               uint32_t width, const int sample_bytes, uint16_t *out)
{
    for (size_t x = 0; x < width; x++) {
        uint32_t sample[3], place[3];
        palette_sample_of(sample_bytes, samples, x, sample);
        for (int c = 0; c < 3; c++)
            place[c] = fit->place[sample[c]];
        fit_pixel(fit, place, out + 3 * x);
    }
}

ro_status halftone_fit_row(ro_context *context, struct halftone_fit *fit, const ro_image *in,
                           const void *row, uint32_t y, int thread, uint16_t *out)
{
    const unsigned char *samples = row;
    if (!fit->form.direct) {
        unsigned char *own = fit->rows + (size_t)thread * fit->row_bytes;
        const ro_status status = grey_row(context, in, row, y, &fit->form, own);
        if (status != RO_OK)
            return status;
        samples = own;
    }
    if (fit->form.sample_bytes == 1)
        fit_samples(fit, samples, in->width, 1, out);
    else
        fit_samples(fit, samples, in->width, 2, out);
    return RO_OK;
}

void halftone_fit_close(struct halftone_fit *fit)
{
    if (fit) {
        free(fit->place);
        free(fit->rows);
    }
    free(fit);
}

ro_status palette_fit(ro_context *context, const ro_image *in, const ro_palette *palette,
                      ro_image *out)
{
    if (MISSING(context, in, palette, out))
        return RO_E_ARGUMENT;
    static const ro_tone none = {0};
    const ro_halftone_options whole = RO_HALFTONE_OPTIONS;
    struct tone tone = {0};
    struct grey_form form = {.plane = PLANE_COLOUR, .tone = &tone};
    struct halftone_fit *fit = NULL;
    ro_status status = image_check(context, in, "input");
    if (status == RO_OK)
        status = image_check(context, out, "output");
    if (status == RO_OK && (out->format != RO_RGB16 || ro_image_white(out) != TONE_WHITE ||
                            out->width != in->width || out->height != in->height))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "a fitted picture is 16-bit RGB of the same size");
    if (status == RO_OK && (palette->count < 2 || palette->count > PALETTE_MOST))
        status = ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                                 palette->count);
    if (status == RO_OK)
        status = tone_range_of(context, in, &whole, &form.range);
    if (status == RO_OK && form.range.white > 0) /* else grey_form_of says what is wrong */
        status = tone_make(context, &none, true, form.range.white, &tone);
    if (status == RO_OK)
        status = grey_form_of(context, in, &form);
    if (status == RO_OK)
        status = halftone_fit_open(context, &form, in->width, 1, palette, &tone, &fit);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++)
        status = halftone_fit_row(
            context, fit, in, (const char *)in->data + (ptrdiff_t)y * in->stride, y, 0,
            (uint16_t *)(void *)((char *)out->data + (ptrdiff_t)y * out->stride));
    halftone_fit_close(fit);
    tone_free(&tone);
    return status;
}

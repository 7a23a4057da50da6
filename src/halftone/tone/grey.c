/* SPDX-License-Identifier: MIT */
/*
 * Grey, channels and inks from colour and from floats. The luma is that of Rec. 709 in sixteenths
 * of 4096: (13933 R + 46871 G + 4732 B + 32768) >> 16, whose weights sum to 65536, so that grey
 * stays grey. Tone tables come before it, the tone curve after.
 */
#include "halftone/tone/grey.h"

#include "core/image.h"
#include "halftone/tone/luma.h"
#include "halftone/tone/separate.h"

#include <math.h>
#include <string.h>

uint32_t grey_input_white(const ro_image *in)
{
    switch (in->format) {
    case RO_GREY8:
    case RO_RGB8:
    case RO_GREY16:
    case RO_RGB16:
        return ro_image_white(in);
    case RO_GREYF:
    case RO_RGBF:
        return UINT16_MAX;
    default:
        return 0;
    }
}

ro_status grey_form_of(ro_context *context, const ro_image *in, struct grey_form *form)
{
    uint32_t white = grey_input_white(in);
    if (white == 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s cannot be halftoned",
                               ro_format_name(in->format));
    bool bytes = in->format == RO_GREY8 || in->format == RO_RGB8;
    bool full = white == (bytes ? UINT8_MAX : UINT16_MAX) && in->format != RO_GREYF &&
                in->format != RO_RGBF;
    bool tables = form->tone && form->tone->channel && form->plane != PLANE_COLOUR;
    form->samples = form->plane == PLANE_COLOUR ? 3 : 1;
    form->white = tables ? form->tone->white : form->range.cuts ? form->range.white : white;
    if (form->plane >= PLANE_INK)
        form->white = INKS_WHITE;
    form->sample_bytes = bytes && form->white <= UINT8_MAX ? 1 : 2;
    form->direct = full && !tables && !form->range.cuts && form->plane < PLANE_INK &&
                   ro_format_is_colour(in->format) == (form->plane == PLANE_COLOUR);
    return RO_OK;
}

#define TEMPLATE static inline __attribute__((always_inline))

TEMPLATE uint32_t luma(uint32_t r, uint32_t g, uint32_t b)
{
    return (uint32_t)((13933ull * r + 46871ull * g + 4732ull * b + 32768) >> 16);
}

TEMPLATE uint32_t luma_601(uint32_t r, uint32_t g, uint32_t b)
{
    return (299 * r + 587 * g + 114 * b) / 1000;
}

/* Light left by an ink, 0 to white. Black replaces the grey that the three inks share; what is left
 * of the others is laid on what black leaves of the paper: light = (1 - ink) (1 - black). */
static uint32_t paper(const struct grey_form *form, const uint32_t light[3])
{
    uint32_t white = form->white, most = light[0];
    for (int c = 1; c < 3; c++)
        most = light[c] > most ? light[c] : most;
    uint64_t black = ((uint64_t)(white - most) * form->black_per_mille + 500) / 1000;
    uint64_t left = white - black; /* of the paper */
    if (form->plane == PLANE_BLACK)
        return (uint32_t)left;
    uint32_t own = light[form->plane - PLANE_CYAN];
    return left == 0 ? white : (uint32_t)((2 * (uint64_t)white * own + left) / (2 * left));
}

TEMPLATE uint32_t in_plane(const struct grey_form *form, const uint32_t c[3])
{
    switch (form->plane) {
    case PLANE_LUMA:
        return luma(c[0], c[1], c[2]);
    case PLANE_LUMA_601:
        return luma_601(c[0], c[1], c[2]);
    case PLANE_RED:
    case PLANE_GREEN:
    case PLANE_BLUE:
        return c[form->plane - PLANE_RED];
    default:
        return paper(form, c);
    }
}

TEMPLATE uint16_t from_float(const struct tone_range *range, float sample)
{
    double x = sample;
    if (range->cuts)
        x = (x - range->low) / range->width;
    return (uint16_t)lrint(65535.0 * (x < 0 ? 0.0 : x > 1 ? 1.0 : x));
}

TEMPLATE uint32_t sample_at(const struct tone_range *range, ro_format format, const void *row,
                            size_t i)
{
    switch (format) {
    case RO_GREY8:
    case RO_RGB8:
        return ((const uint8_t *)row)[i];
    case RO_GREY16:
    case RO_RGB16:
        return ((const uint16_t *)row)[i];
    default:
        return from_float(range, ((const float *)row)[i]);
    }
}

TEMPLATE void put_sample(void *out, bool wide, size_t i, uint32_t value)
{
    if (wide)
        ((uint16_t *)out)[i] = (uint16_t)value;
    else
        ((uint8_t *)out)[i] = (uint8_t)value;
}

/* One row of one format; the largest sample seen comes back, and what is above the input's white
 * stays inside the tables. */
TEMPLATE uint32_t convert(ro_format format, bool colour, bool tables, const void *row,
                          uint32_t width, const struct grey_form *form, void *out)
{
    const bool wide = form->sample_bytes == 2;
    const uint32_t white = tables ? form->tone->in_white : form->white;
    const uint16_t *channel = tables ? form->tone->channel : NULL;
    const uint16_t *curve = tables ? form->tone->curve : NULL;
    const uint32_t black = form->range.black;
    uint32_t largest = 0;
    for (uint32_t x = 0; x < width; x++) {
        uint32_t c[3];
        for (int i = 0; i < (colour ? 3 : 1); i++) {
            uint32_t sample =
                sample_at(&form->range, format, row, (colour ? 3 : 1) * (size_t)x + (size_t)i);
            largest = sample > largest ? sample : largest;
            sample = sample > black ? sample - black : 0;
            sample = sample > white ? white : sample;
            c[i] = tables ? channel[sample] : sample;
        }
        if (!colour)
            c[1] = c[2] = c[0];
        for (int i = 0; i < 3 && form->plane == PLANE_COLOUR; i++)
            put_sample(out, wide, 3 * (size_t)x + (size_t)i, c[i]);
        if (form->plane == PLANE_COLOUR)
            continue;
        uint32_t value = colour || form->plane > PLANE_BLUE ? in_plane(form, c) : c[0];
        put_sample(out, wide, x, curve ? curve[value] : value);
    }
    return largest;
}

/* Grey of 16 bits as it is or within its range: loops that become vectors. */
static uint32_t largest_of(const uint16_t *row, uint32_t width)
{
    uint16_t largest = 0;
    for (uint32_t x = 0; x < width; x++)
        largest = row[x] > largest ? row[x] : largest;
    return largest;
}

static void cut_off(const uint16_t *restrict row, uint32_t width, const struct tone_range *range,
                    uint16_t *restrict out)
{
    const uint16_t black = (uint16_t)range->black, white = (uint16_t)range->white;
    for (uint32_t x = 0; x < width; x++) {
        const uint16_t above = row[x] > black ? (uint16_t)(row[x] - black) : 0;
        out[x] = above < white ? above : white;
    }
}

static ro_status check_numbers(ro_context *context, const float *row, uint32_t width, int samples,
                               uint32_t y)
{
    for (size_t i = 0; i < (size_t)width * (size_t)samples; i++)
        if (isnan(row[i]))
            return ro_context_fail(context, RO_E_FORMAT,
                                   "the pixel at column %zu, row %u is not a number",
                                   i / (size_t)samples, y);
    return RO_OK;
}

ro_status grey_row(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                   const struct grey_form *form, void *out)
{
    const uint32_t width = in->width;
    const bool tables = form->tone && form->tone->channel && form->plane != PLANE_COLOUR;
    const uint32_t white = tables ? form->tone->in_white : form->white;
    const bool plain = in->format == RO_GREY16 && !tables && form->plane <= PLANE_BLUE;
    uint32_t largest = 0;
    ro_status status = RO_OK;
#define CASE(format, colour)                                                                       \
    case format:                                                                                   \
        largest = tables ? convert(format, colour, true, row, width, form, out)                    \
                         : convert(format, colour, false, row, width, form, out);                  \
        break;
    if (in->format == RO_GREYF || in->format == RO_RGBF)
        status = check_numbers(context, row, width, in->format == RO_RGBF ? 3 : 1, y);
    if (status != RO_OK)
        return status;
    if (plain && form->range.cuts) {
        cut_off(row, width, &form->range, out);
        return RO_OK;
    }
    if (plain && (largest = largest_of(row, width)) <= white) {
        memcpy(out, row, width * sizeof(uint16_t));
        return RO_OK;
    }
    switch (in->format) {
        CASE(RO_GREY8, false)
        CASE(RO_GREY16, false)
        CASE(RO_GREYF, false)
        CASE(RO_RGB8, true)
        CASE(RO_RGB16, true)
        CASE(RO_RGBF, true)
    default:
        break;
    }
    if (largest > white && !form->range.cuts)
        return ro_context_fail(context, RO_E_FORMAT, "row %u holds %u, more than the maxval %u", y,
                               largest, white);
    return RO_OK;
}

/* ---- Several planes at once ----------------------------------------------------------------- */

/* Inks of any colour: the colour's shares are found once for all of them. */
static ro_status ink_rows(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                          const struct grey_form *const forms[], int count, void *const out[])
{
    const struct grey_form *first = forms[0];
    const struct tone *tone = first->tone;
    const bool colour = ro_format_is_colour(in->format);
    const struct tone_range *range = &first->range;
    const uint32_t in_white = tone->channel ? tone->in_white : range->white;
    uint32_t largest = 0, paper[RO_INKS_MOST];
    ro_status status = RO_OK;
    if (in->format == RO_GREYF || in->format == RO_RGBF)
        status = check_numbers(context, row, in->width, colour ? 3 : 1, y);
    for (size_t x = 0; x < in->width && status == RO_OK; x++) {
        uint32_t c[3];
        for (int i = 0; i < 3; i++) {
            uint32_t sample = sample_at(range, in->format, row, colour ? 3 * x + (size_t)i : x);
            largest = sample > largest ? sample : largest;
            sample = sample > range->black ? sample - range->black : 0;
            sample = sample > in_white ? in_white : sample;
            const uint32_t white = tone->channel ? tone->white : in_white;
            sample = tone->channel ? tone->channel[sample] : sample;
            c[i] = (2 * sample * (uint64_t)INKS_WHITE + white) / (2 * white);
        }
        ink_table_at(first->inks, c, paper);
        for (int i = 0; i < count; i++) {
            const uint16_t *curve = forms[i]->tone->curve;
            ((uint16_t *)out[i])[x] = curve ? curve[paper[i]] : (uint16_t)paper[i];
        }
    }
    if (largest > in_white && !range->cuts)
        return ro_context_fail(context, RO_E_FORMAT, "row %u holds %u, more than the maxval %u", y,
                               largest, in_white);
    return status;
}

/* Whether four inks of 8 bits can be made by vectors. */
static separate_row_fn *find_separation(const ro_image *in, const struct grey_form *const forms[],
                                        int count, ro_cpu cpu)
{
    static separate_row_fn *const rows[RO_CPUS] = {RO_VARIANTS_OF(separate_row)};
    if (in->format != RO_RGB8 || ro_image_white(in) != UINT8_MAX || count != 4 ||
        forms[0]->plane != PLANE_CYAN)
        return NULL;
    for (int i = 0; i < count; i++)
        if ((forms[i]->tone && forms[i]->tone->channel) || forms[i]->range.cuts)
            return NULL;
    return rows[cpu];
}

static bool is_plain_luma(const struct grey_form *form)
{
    return form->plane == PLANE_LUMA && !form->range.cuts && !(form->tone && form->tone->channel);
}

/* Whether the luma of 8 bits can be made by vectors: NULL without them, or if samples change. */
static luma_row_fn *find_luma(const ro_image *in, const struct grey_form *form, ro_cpu cpu)
{
    static luma_row_fn *const rows[RO_CPUS] = {RO_VARIANTS_OF(luma_row)};
    const bool plain =
        in->format == RO_RGB8 && ro_image_white(in) == UINT8_MAX && is_plain_luma(form);
    return plain ? rows[cpu] : NULL;
}

bool grey_row_if_opaque(const uint8_t *rgba, uint32_t width, const struct grey_form *form,
                        ro_cpu cpu, void *out)
{
    static luma_opaque_row_fn *const rows[RO_CPUS] = {RO_VARIANTS_OF(luma_opaque_row)};
    return rows[cpu] && is_plain_luma(form) && rows[cpu](rgba, width, out);
}

void lay_over_white(const uint8_t *rgba, uint32_t width, uint8_t *rgb)
{
    for (uint32_t x = 0; x < width; x++, rgba += 4, rgb += 3)
        for (int c = 0; c < 3; c++)
            rgb[c] = (uint8_t)((rgba[3] * rgba[c] + (255 - rgba[3]) * 255 + 127) / 255);
}

ro_status grey_rows(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                    ro_cpu cpu, const struct grey_form *const forms[], int count, void *const out[])
{
    separate_row_fn *separate = find_separation(in, forms, count, cpu);
    if (separate) {
        const uint32_t per_mille = forms[0]->black_per_mille;
        uint8_t left[256] = {0}, *const paper[4] = {out[0], out[1], out[2], out[3]};
        for (uint32_t most = 0; most < 256 && per_mille != 1000; most++)
            left[most] = (uint8_t)(255 - ((255 - most) * per_mille + 500) / 1000);
        separate(per_mille == 1000 ? NULL : left, row, in->width, paper);
        return RO_OK;
    }
    luma_row_fn *luma_row = count == 1 ? find_luma(in, forms[0], cpu) : NULL;
    if (luma_row) {
        luma_row(row, in->width, out[0]);
        return RO_OK;
    }
    if (forms[0]->plane >= PLANE_INK)
        return ink_rows(context, in, row, y, forms, count, out);
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++)
        status = grey_row(context, in, row, y, forms[i], out[i]);
    return status;
}

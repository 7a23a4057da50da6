/* SPDX-License-Identifier: MIT */
/*
 * Dots in straight rows (AM): the supercell that is found, and every pixel of it by its place in
 * the dot it belongs to. A place is a fraction of whole numbers, so that no pixel is on two sides
 * of an edge.
 */
#include "core/image.h"
#include "core/random.h"
#include "screen/dots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t floor_divide(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0);
}

/* Dots are numbered by their bricks. */
static uint32_t number_of(const struct dots_brick *brick, int64_t i, int64_t j)
{
    const int64_t below = floor_divide(j, brick->height);
    int64_t at = (i - below * brick->along) % brick->width;
    at += at < 0 ? brick->width : 0;
    return (uint32_t)((j - below * brick->height) * brick->width + at);
}

/* The order in which dots grow: that of blue noise over the rows of dots, so that no dot grows next
 * to one that has just grown. */
static bool order_dots(const struct dots_lattice *lattice, const struct dots_brick *brick,
                       uint32_t *order)
{
    const int64_t(*m)[2] = lattice->steps;
    const int64_t dots = lattice->dots;
    const int64_t sign = m[0][0] * m[1][1] - m[0][1] * m[1][0] < 0 ? -1 : 1;
    struct screen_key *keys = malloc((size_t)dots * sizeof *keys);
    if (!keys)
        return false;
    for (int64_t j = 0; j < brick->height; j++)
        for (int64_t i = 0; i < brick->width; i++) {
            /* where the dot lies in the supercell, so that neighbours have neighbouring places */
            int64_t a = sign * (i * m[1][1] - j * m[1][0]) % dots;
            int64_t b = sign * (j * m[0][0] - i * m[0][1]) % dots;
            a += a < 0 ? dots : 0;
            b += b < 0 ? dots : 0;
            const uint32_t x =
                (uint32_t)((a * m[0][0] + b * m[1][0]) / dots) & (SCREEN_BUILT_IN_SIDE - 1);
            const uint32_t y =
                (uint32_t)((a * m[0][1] + b * m[1][1]) / dots) & (SCREEN_BUILT_IN_SIDE - 1);
            const uint32_t number = (uint32_t)(j * brick->width + i);
            const uint64_t blue = screen_built_in[y * SCREEN_BUILT_IN_SIDE + x];
            keys[number] = (struct screen_key){blue << 32 | mix_bits(number), number};
        }
    const bool sorted = screen_sort(keys, (size_t)dots);
    for (uint32_t r = 0; sorted && r < dots; r++)
        order[keys[r].pixel] = r;
    free(keys);
    return sorted;
}

/* A spot function of the user's own: dark is what stays black longest. */
static struct dots_place of_spot(const struct screen *spot, double x, double y)
{
    const uint32_t column = (uint32_t)((x + 0.5) * spot->width);
    const uint32_t row = (uint32_t)((y + 0.5) * spot->height);
    const uint32_t at = (row < spot->height ? row : spot->height - 1) * spot->width +
                        (column < spot->width ? column : spot->width - 1);
    return (struct dots_place){false, spot->ranks[at] + (x * x + y * y)};
}

/* A spot in colour counts as its luma; ro_image_free frees. */
static ro_status grey_spot(ro_context *context, const ro_image *spot, ro_image *grey)
{
    static const double parts[3] = {0.2126, 0.7152, 0.0722};
    const ro_format format = spot->format == RO_RGB8    ? RO_GREY8
                             : spot->format == RO_RGB16 ? RO_GREY16
                                                        : RO_GREYF;
    ro_status status = ro_image_alloc(context, format, spot->width, spot->height,
                                      format == RO_GREYF ? 0 : ro_image_white(spot), grey);
    for (uint32_t y = 0; y < spot->height && status == RO_OK; y++) {
        const void *from = (const char *)spot->data + (ptrdiff_t)y * spot->stride;
        void *to = (char *)grey->data + (ptrdiff_t)y * grey->stride;
        for (size_t x = 0; x < spot->width; x++) {
            double luma = 0;
            for (size_t c = 0; c < 3; c++)
                luma = luma + parts[c] * (format == RO_GREY8 ? ((const uint8_t *)from)[3 * x + c]
                                          : format == RO_GREY16
                                              ? ((const uint16_t *)from)[3 * x + c]
                                              : (double)((const float *)from)[3 * x + c]);
            if (format == RO_GREY8)
                ((uint8_t *)to)[x] = (uint8_t)(luma + 0.5);
            else if (format == RO_GREY16)
                ((uint16_t *)to)[x] = (uint16_t)(luma + 0.5);
            else
                ((float *)to)[x] = (float)luma;
        }
    }
    return status;
}

static ro_status rank_spot(ro_context *context, const ro_image *image, struct screen *spot)
{
    ro_image grey = {0};
    ro_status status = image_check(context, image, "spot");
    const bool colour = status == RO_OK && ro_format_is_colour(image->format);
    if (colour)
        status = grey_spot(context, image, &grey);
    if (status == RO_OK)
        status = screen_values(context, colour ? &grey : image, spot);
    ro_image_free(&grey);
    return status;
}

void screen_say(const struct screen *screen, double dpi, char *text, size_t size)
{
    const ro_dots *dots = &screen->reached;
    *text = '\0';
    if (dots->greys)
        snprintf(text, size, "%.3f lpi at %.3f degrees, %u greys%s", dots->lpi, dots->angle,
                 dots->greys, dpi > 0 ? "" : ", at 300 dpi, which was assumed");
}

static ro_status rank_lattice(ro_context *context, const ro_screen_options *options,
                              const struct dots_lattice *lattice, struct screen *screen)
{
    const int64_t(*const side)[2] = lattice->side, (*const m)[2] = lattice->steps;
    const int64_t area = side[0][0] * side[1][1] - side[0][1] * side[1][0], whole = 2 * area;
    const struct dots_brick brick = dots_brick_of(m);
    const uint32_t count = lattice->width * lattice->height;
    struct screen spot = {0};
    dots_shape_fn *shape = dots_shape_find(context, options->shape, options->dot);
    if (!shape)
        return RO_E_ARGUMENT;
    if (options->spot && options->dot > 1)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a smallest dot of %u pixels cannot be had with a spot of your own",
                               (unsigned)options->dot);
    ro_status status = options->spot ? rank_spot(context, options->spot, &spot) : RO_OK;
    struct screen_key *pixels = malloc((size_t)count * sizeof *pixels);
    uint32_t *order = malloc((size_t)lattice->dots * sizeof *order);
    if (status == RO_OK && (!pixels || !order || !order_dots(lattice, &brick, order)))
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u pixels", count);
    if (status != RO_OK)
        goto done;
    struct screen_key *pixel = pixels;
    for (uint32_t y = 0; y < lattice->height; y++)
        for (uint32_t x = 0; x < lattice->width; x++, pixel++) {
            /* the pixel's centre, in halves of pixels; along A and B; along the rows of dots */
            const int64_t cx = 2 * (int64_t)x + 1, cy = 2 * (int64_t)y + 1;
            const int64_t a = cx * side[1][1] - cy * side[1][0];
            const int64_t b = cy * side[0][0] - cx * side[0][1];
            const int64_t p = a * m[0][0] + b * m[1][0], q = a * m[0][1] + b * m[1][1];
            const int64_t i = floor_divide(p, whole), j = floor_divide(q, whole);
            const double in_x = (double)(p - i * whole) / (double)whole - 0.5;
            const double in_y = (double)(q - j * whole) / (double)whole - 0.5;
            const struct dots_place place =
                spot.ranks ? of_spot(&spot, in_x, in_y) : shape(in_x, in_y);
            const uint32_t dot =
                place.hole ? lattice->dots + number_of(&brick, i + (in_x > 0), j + (in_y > 0))
                           : number_of(&brick, i, j);
            *pixel = dots_key(dot, place.value, (uint32_t)(pixel - pixels));
        }
    status = dots_rank(context, pixels, count, lattice->dots, order,
                       options->dot ? options->dot : 1, screen->ranks);
done:
    screen_free(&spot);
    free(pixels);
    free(order);
    return status;
}

ro_status screen_am(ro_context *context, const ro_screen_options *options, bool rectangle,
                    struct screen *screen)
{
    struct dots_lattice lattice;
    ro_status status = dots_find(context, options, rectangle, &lattice);
    if (status != RO_OK)
        return status;
    const double per_dot = (double)lattice.reached.greys / lattice.dots;
    if (options->dot > per_dot / 4)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "dots of %u pixels at least: must be a quarter of a cell at most, "
                               "which has %.1f",
                               options->dot, per_dot);
    status = screen_alloc(context, lattice.width, lattice.height, screen);
    screen->shift = lattice.shift ? lattice.width - lattice.shift : 0;
    screen->reached = lattice.reached;
    return status == RO_OK ? rank_lattice(context, options, &lattice, screen) : status;
}

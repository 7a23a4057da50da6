/* SPDX-License-Identifier: MIT */
/*
 * The test card: where its panels lie, and how the threads share them.
 *
 * Panels lie on a grid of thousandths of the picture, so that the card fills any size and shape.
 * Each is drawn in strips that do not depend on one another; threads take them by ticket.
 *
 *     +---------------------------------+
 *     |              scene              |
 *     +---------------------------------+
 *     | ramp                            |
 *     | wedge                           |
 *     | shadows        | highlights     |
 *     | red, green, blue                |
 *     +--------------+--------+---------+
 *     |              |        | text    |
 *     |    solids    |  zone  +----+----+
 *     |              |  plate |star|line|
 *     +--------------+--------+----+----+
 */
#include "roundoff/pieces.h"
#include "testcard/draw.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/image.h"

#include <stdlib.h>

/* In thousandths of the picture; draw is NULL for the scene. */
static const struct place {
    int16_t left, top, right, bottom;
    draw_row_fn *draw;
} places[] = {
    {0, 0, 1000, 505, NULL},
    {0, 505, 1000, 552, draw_ramp},
    {0, 552, 1000, 602, draw_wedge},
    {0, 602, 500, 640, draw_shadow_ramp},
    {500, 602, 1000, 640, draw_highlight_ramp},
    {0, 640, 1000, 690, draw_channel_ramps},
    {0, 690, 430, 1000, draw_solids},
    {430, 690, 722, 1000, draw_zone_plate},
    {722, 690, 1000, 860, draw_captions},
    {722, 860, 861, 1000, draw_star},
    {861, 860, 1000, 1000, draw_line_pairs},
};
enum { PLACES = sizeof places / sizeof *places, STRIP = 16 };

/* Rows are stored from a line of pixels; the scene's columns come sixteen at a time. */
struct scratch {
    struct draw_pixel *pixels;
    struct draw_sample *column;
};

struct card {
    ro_context *context;
    const ro_image *image;       /* what is drawn of the card: */
    int64_t x, y, width, height; /* where it lies, and the size of the whole card */
    uint32_t white;
    struct draw_scene scene;
    struct draw_panel panels[PLACES];
    int64_t strips; /* of all panels together */
    atomic_int_fast64_t ticket;
    struct scratch *scratch; /* one a thread */
};

/* ---- pixels to formats -------------------------------------------------------------------- */

static inline uint32_t reduce(uint32_t value, uint32_t white)
{
    return (uint32_t)(((uint64_t)value * white + 32767) / 65535);
}

/* Rec. 709 weights in parts of 65536, on display values; greys keep their value exactly. */
static inline uint32_t luma(struct draw_pixel p)
{
    return (13933u * p.r + 46871u * p.g + 4732u * p.b + 32768u) >> 16;
}

/* Of a line of the card what lies in the image. */
static void store(const struct card *card, int64_t x, int64_t y, int64_t count,
                  const struct draw_pixel *pixels)
{
    x -= card->x;
    y -= card->y;
    if (x < 0) {
        pixels -= x;
        count += x;
        x = 0;
    }
    if (count > (int64_t)card->image->width - x)
        count = (int64_t)card->image->width - x;
    if (count <= 0 || y < 0 || y >= (int64_t)card->image->height)
        return;
    char *row = (char *)card->image->data + (ptrdiff_t)y * card->image->stride;
    uint32_t white = card->white;
    switch (card->image->format) {
    case RO_GREY8:
        for (int64_t i = 0; i < count; i++)
            ((uint8_t *)row)[x + i] = (uint8_t)reduce(luma(pixels[i]), white);
        break;
    case RO_GREY16:
        for (int64_t i = 0; i < count; i++)
            ((uint16_t *)row)[x + i] = (uint16_t)reduce(luma(pixels[i]), white);
        break;
    case RO_RGB8:
        for (int64_t i = 0; i < count; i++) {
            uint8_t *to = (uint8_t *)row + 3 * (x + i);
            to[0] = (uint8_t)reduce(pixels[i].r, white);
            to[1] = (uint8_t)reduce(pixels[i].g, white);
            to[2] = (uint8_t)reduce(pixels[i].b, white);
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            uint16_t *to = (uint16_t *)row + 3 * (x + i);
            to[0] = (uint16_t)reduce(pixels[i].r, white);
            to[1] = (uint16_t)reduce(pixels[i].g, white);
            to[2] = (uint16_t)reduce(pixels[i].b, white);
        }
        break;
    }
}

/* ---- layout ------------------------------------------------------------------------------- */

/* Where the line at `part` thousandths falls. */
static int64_t grid(int64_t side, int64_t part) { return side * part / 1000; }

static void lay_out(struct card *card, int64_t gap)
{
    int64_t width = card->width, height = card->height;
    for (int i = 0; i < PLACES; i++) {
        const struct place *place = &places[i];
        struct draw_panel *panel = &card->panels[i];
        int64_t left = grid(width - gap, place->left) + gap,
                right = grid(width - gap, place->right);
        int64_t top = grid(height - gap, place->top) + gap;
        int64_t bottom = grid(height - gap, place->bottom);
        *panel = (struct draw_panel){.x = left,
                                     .y = top,
                                     .width = right > left ? right - left : 0,
                                     .height = bottom > top ? bottom - top : 0,
                                     .card_width = width,
                                     .card_height = height,
                                     .colour = ro_format_is_colour(card->image->format)};
        if (panel->width == 0 || panel->height == 0)
            panel->width = panel->height = 0;
        int64_t length = place->draw ? panel->height : panel->width;
        card->strips += (length + STRIP - 1) / STRIP;
    }
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Whether columns or rows from `first` on are among `size` from `start` on. */
static bool meets(int64_t first, int64_t count, int64_t start, int64_t size)
{
    return first < start + size && first + count > start;
}

static void draw_scene_strip(const struct card *card, const struct draw_panel *panel, int64_t first,
                             const struct scratch *scratch)
{
    int64_t count = panel->width - first < STRIP ? panel->width - first : STRIP;
    for (int64_t i = 0; i < count; i++) {
        if (ro_context_cancelled(card->context)) /* a tall strip takes its time */
            return;
        draw_scene_column(&card->scene, panel, first + i, scratch->column, scratch->pixels + i,
                          count);
    }
    for (int64_t y = 0; y < panel->height; y++)
        store(card, panel->x + first, panel->y + y, count, scratch->pixels + y * count);
}

static void draw_strip(const struct card *card, int64_t number, const struct scratch *scratch)
{
    for (int i = 0; i < PLACES; i++) {
        const struct draw_panel *panel = &card->panels[i];
        int64_t length = places[i].draw ? panel->height : panel->width;
        int64_t strips = (length + STRIP - 1) / STRIP, first = number * STRIP;
        if (number >= strips) {
            number -= strips;
            continue;
        }
        if (!meets(panel->x, panel->width, card->x, card->image->width) ||
            !meets(panel->y, panel->height, card->y, card->image->height))
            return;
        if (!places[i].draw) {
            if (meets(panel->x + first, STRIP, card->x, card->image->width))
                draw_scene_strip(card, panel, first, scratch);
            return;
        }
        for (int64_t y = first; y < first + STRIP && y < length; y++) {
            if (ro_context_cancelled(card->context))
                return;
            if (!meets(panel->y + y, 1, card->y, card->image->height))
                continue;
            places[i].draw(panel, y, scratch->pixels);
            store(card, panel->x, panel->y + y, panel->width, scratch->pixels);
        }
        return;
    }
}

static void draw_strips(void *data, int thread)
{
    struct card *card = data;
    int64_t number;
    while ((number = atomic_fetch_add(&card->ticket, 1)) < card->strips) {
        if (ro_context_cancelled(card->context))
            return;
        draw_strip(card, number, &card->scratch[thread]);
        if (thread == 0)
            ro_context_progress(card->context, "drawing", (double)number / (double)card->strips);
    }
}

static void fill(const struct card *card, int64_t x, int64_t y, int64_t width, int64_t height,
                 uint16_t tone, struct draw_pixel *line)
{
    for (int64_t i = 0; i < width; i++)
        line[i] = grey(tone);
    const int64_t last = card->y + card->image->height;
    for (int64_t at = y < card->y ? card->y : y; at < y + height && at < last; at++) {
        if (ro_context_cancelled(card->context))
            return;
        store(card, x, at, width, line);
    }
}

/* White paper, and a hairline round each panel: the white end of a ramp must have an end. */
static void draw_paper(const struct card *card, int64_t hairline, struct draw_pixel *line)
{
    fill(card, 0, 0, card->width, card->height, 65535, line);
    for (int i = 0; i < PLACES; i++) {
        const struct draw_panel *p = &card->panels[i];
        if (p->width > 0 && hairline > 0)
            fill(card, p->x - hairline, p->y - hairline, p->width + 2 * hairline,
                 p->height + 2 * hairline, 0, line);
    }
}

ro_status ro_testcard(ro_context *context, ro_image *image)
{
    return ro_testcard_part(context, image ? image->width : 0, image ? image->height : 0, 0, 0,
                            image);
}

ro_status ro_testcard_part(ro_context *context, uint32_t width, uint32_t height, uint32_t x,
                           uint32_t y, ro_image *image)
{
    ro_status status = image_check(context, image, "output");
    if (status != RO_OK)
        return status;
    if (x > width || y > height || image->width > width - x || image->height > height - y)
        return ro_context_fail(context, RO_E_SIZE,
                               "%u x %u pixels at %u, %u are no part of a card of %u x %u",
                               image->width, image->height, x, y, width, height);
    if (image->format != RO_GREY8 && image->format != RO_GREY16 && image->format != RO_RGB8 &&
        image->format != RO_RGB16)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "the test card cannot be drawn as %s, only as 8-bit or 16-bit grey "
                               "or RGB",
                               ro_format_name(image->format));

    int threads = context->threads;
    struct card *card = calloc(1, sizeof *card);
    struct scratch *scratch = calloc((size_t)threads, sizeof *scratch);
    if (!card || !scratch)
        goto no_memory;
    *card = (struct card){.context = context,
                          .image = image,
                          .x = x,
                          .y = y,
                          .width = width,
                          .height = height,
                          .white = ro_image_white(image),
                          .scratch = scratch};
    int64_t gap = (width < height ? width : height) / 128;
    lay_out(card, gap);
    size_t rows = (size_t)card->panels[0].height, pixels, pixel_bytes, column_bytes;
    if (!size_multiply(rows, STRIP, &pixels))
        goto no_memory;
    if (pixels < width)
        pixels = width;
    if (!size_multiply(pixels, sizeof *scratch->pixels, &pixel_bytes) ||
        !size_multiply(rows + 1, sizeof *scratch->column, &column_bytes))
        goto no_memory;
    for (int i = 0; i < threads; i++) {
        scratch[i].pixels = malloc(pixel_bytes);
        scratch[i].column = malloc(column_bytes);
        if (!scratch[i].pixels || !scratch[i].column)
            goto no_memory;
    }
    draw_scene_open(&card->scene);
    draw_paper(card, (gap + 4) / 8, scratch[0].pixels);
    pool_run(context->pool, threads, draw_strips, card);
    status = ro_context_progress(context, "drawing", 1);
    if (status == RO_OK)
        *context_report(context) = (ro_report){.method = "testcard",
                                               .schedule = "strips",
                                               .device = RO_DEVICE_CPU,
                                               .cpu = RO_CPU_SCALAR,
                                               .threads = threads,
                                               .steps = (uint64_t)image->width * image->height};
    goto done;

no_memory:
    status = ro_context_fail(context, RO_E_MEMORY, "no memory to draw a test card of %u x %u",
                             image->width, image->height);
done:
    for (int i = 0; scratch && i < threads; i++) {
        free(scratch[i].pixels);
        free(scratch[i].column);
    }
    free(scratch);
    free(card);
    return status;
}

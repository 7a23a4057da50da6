/* SPDX-License-Identifier: MIT */
/* Pictures of a segmentation: outlines over the image, and how they came there. */
#include "cli/segment/segment.h"

#include "cli/common/pictures.h"
#include "cli/segment/outline.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

ro_status segment_accepts(ro_context *context, const struct segment_values *values, const char *out,
                          const ro_image *in)
{
    ro_file_info info = {
        .format = RO_INDEX8, .width = in->width, .height = in->height, .maxval = 1};
    ro_status status = ro_writer_accepts(context, out, &info, NULL);
    info.format = RO_RGB8;
    info.maxval = 255;
    if (status == RO_OK && values->overlay)
        status = ro_writer_accepts(context, values->overlay, &info, NULL);
    info.format = RO_GREYF;
    info.maxval = 0;
    if (status == RO_OK && values->phi)
        status = ro_writer_accepts(context, values->phi, &info, NULL);
    if (status == RO_OK && values->contours)
        status = ro_contours_accepts(context, values->contours);
    if (status == RO_OK && values->table)
        status = ro_bytes_accepts(context, values->table);
    return status;
}

ro_status picture_of(ro_context *context, const ro_image *in, ro_image *picture)
{
    const bool colour = ro_format_is_colour(in->format);
    ro_status status = ro_image_alloc(context, RO_RGB8, in->width, in->height, 255, picture);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++) {
        const char *row = (const char *)in->data + (ptrdiff_t)y * in->stride;
        uint8_t *to = (uint8_t *)picture->data + (ptrdiff_t)y * picture->stride;
        for (size_t x = 0; x < in->width; x++)
            for (size_t c = 0; c < 3; c++)
                to[3 * x + c] = picture_byte(in, row, colour ? 3 * x + c : x);
    }
    return status;
}

/* Outlines over a copy of the picture. */
static ro_status draw_overlay(ro_context *context, const ro_image *picture,
                              const ro_polyline *lines, size_t count, ro_image *drawn)
{
    uint8_t *cover = malloc((size_t)picture->width * picture->height);
    ro_status status = cover ? picture_of(context, picture, drawn)
                             : ro_context_fail(context, RO_E_MEMORY, "no memory for an overlay");
    if (status == RO_OK)
        draw_outlines(drawn, lines, count, cover);
    free(cover);
    return status;
}

ro_status save_overlay(ro_context *context, const char *path, const ro_image *picture,
                       const ro_polyline *lines, size_t count)
{
    ro_image drawn = {0};
    ro_status status = draw_overlay(context, picture, lines, count, &drawn);
    if (status == RO_OK)
        status = ro_image_save(context, path, &drawn, NULL);
    ro_image_free(&drawn);
    return status;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { GREYS = 256 - RO_LABELS, CENTISECONDS = 8 };

ro_status frames_open(struct frames *frames, ro_context *context, const char *path,
                      const ro_image *picture)
{
    *frames = (struct frames){.context = context, .path = path, .picture = picture};
    if (!picture_is_named(path, ".gif")) {
        const ro_file_info info = {
            .format = RO_RGB8, .width = picture->width, .height = picture->height, .maxval = 255};
        char name[4096];
        if (strcmp(path, "-") == 0 || !picture_name(path, 0, name, sizeof name))
            return ro_context_fail(
                context, RO_E_ARGUMENT,
                "%s: a name that ends in .gif, .png or the like is needed for frames", path);
        return ro_writer_accepts(context, name, &info, NULL);
    }
    uint8_t colours[256][3];
    for (int i = 0; i < GREYS; i++)
        memset(colours[i], (i * 255 + GREYS / 2) / (GREYS - 1), 3);
    memcpy(colours[GREYS], label_colours, sizeof label_colours);
    return ro_gif_open(context, path, picture->width, picture->height, colours[0], &frames->gif);
}

static ro_status add_to_gif(struct frames *frames, const ro_polyline *lines, size_t count)
{
    const ro_image *picture = frames->picture;
    const size_t pixels = (size_t)picture->width * picture->height;
    uint8_t *numbers = malloc(2 * pixels), *cover = numbers ? numbers + pixels : NULL;
    if (!numbers)
        return ro_context_fail(frames->context, RO_E_MEMORY, "no memory for a frame");
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint8_t *row = (const uint8_t *)picture->data + (ptrdiff_t)y * picture->stride;
        for (uint32_t x = 0; x < picture->width; x++, row += 3)
            numbers[(size_t)y * picture->width + x] =
                (uint8_t)(((13933 * row[0] + 46871 * row[1] + 4732 * row[2] + 32768) >> 16) *
                          (GREYS - 1) / 255);
    }
    for (int label = 1; label <= RO_LABELS; label++) {
        memset(cover, 0, pixels);
        draw_cover(lines, count, label, picture->width, picture->height, cover);
        for (size_t i = 0; i < pixels; i++)
            if (cover[i] > 127)
                numbers[i] = (uint8_t)(GREYS + label - 1);
    }
    const ro_status status =
        ro_gif_frame(frames->gif, numbers, (ptrdiff_t)picture->width, CENTISECONDS);
    free(numbers);
    return status;
}

static ro_status add_to_series(struct frames *frames, const ro_polyline *lines, size_t count)
{
    ro_context *context = frames->context;
    ro_image drawn = {0};
    char name[4096];
    if (!picture_name(frames->path, frames->count++, name, sizeof name))
        return ro_context_fail(context, RO_E_ARGUMENT, "the name of a frame is too long");
    ro_status status = draw_overlay(context, frames->picture, lines, count, &drawn);
    if (status == RO_OK)
        status = ro_image_save(context, name, &drawn, NULL);
    ro_image_free(&drawn);
    return status;
}

ro_status frames_draw(struct frames *frames, const ro_polyline *lines, size_t count)
{
    return frames->gif ? add_to_gif(frames, lines, count) : add_to_series(frames, lines, count);
}

int frames_add(void *data, ro_segmentation *now, uint32_t step)
{
    struct frames *frames = data;
    const ro_polyline *lines;
    size_t count;
    (void)step;
    frames->status = ro_segmentation_contours(now, &lines, &count);
    if (frames->status == RO_OK)
        frames->status = frames_draw(frames, lines, count);
    if (frames->status != RO_OK)
        snprintf(frames->message, sizeof frames->message, "%s",
                 ro_context_message(frames->context));
    return frames->status != RO_OK;
}

ro_status frames_commit(struct frames *frames)
{
    return frames->gif ? ro_gif_commit(frames->gif) : RO_OK;
}

void frames_close(struct frames *frames)
{
    ro_gif_close(frames->gif);
    *frames = (struct frames){0};
}

/* SPDX-License-Identifier: MIT */
#include "io/video/video_picture.h"

#include "io/filters/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- YUV and RGB ---------------------------------------------------------------------------- */

/* BT.601, which is what programs take for Y4M, whose head says nothing of it. */
static const double red_part = 0.299, green_part = 0.587, blue_part = 0.114;

/* Where numbers of brightness begin, how many there are, and how many numbers of colour. */
struct numbers {
    double black, span, colours;
};

static struct numbers numbers_of(bool full, int bits)
{
    const double unit = 1 << (bits - 8), all = (1 << bits) - 1;
    return full ? (struct numbers){0, all, all}
                : (struct numbers){16 * unit, 219 * unit, 224 * unit};
}

static uint32_t sample_at(const uint8_t *plane, int bytes, size_t at)
{
    if (bytes == 1)
        return plane[at];
    uint16_t sample;
    memcpy(&sample, plane + 2 * at, sizeof sample);
    return sample;
}

/* Two neighbours of a sample of colour, and 8ths of the second. */
struct between {
    uint32_t first, second, part;
};

/* Where the middle of pixel `x` lies among samples each of which stands for 2^shift pixels. */
static struct between between(uint32_t x, int shift, uint32_t count)
{
    const int64_t eighths = (((2 * (int64_t)x + 1) * 4) >> shift) - 4;
    const int64_t first = eighths >> 3;
    struct between found = {first < 0 ? 0 : (uint32_t)first, 0, (uint32_t)(eighths - 8 * first)};
    found.second = first + 1 < count ? (uint32_t)(first + 1) : count - 1;
    return found;
}

static double colour_at(const uint8_t *plane, int bytes, uint32_t width, struct between across,
                        struct between down)
{
    const size_t above = (size_t)down.first * width, below = (size_t)down.second * width;
    const uint32_t a = 8 - across.part, b = across.part, c = 8 - down.part, d = down.part;
    return (double)(c * (a * sample_at(plane, bytes, above + across.first) +
                         b * sample_at(plane, bytes, above + across.second)) +
                    d * (a * sample_at(plane, bytes, below + across.first) +
                         b * sample_at(plane, bytes, below + across.second))) /
           64;
}

static uint16_t deep(double x)
{
    return (uint16_t)(x <= 0 ? 0 : x >= 1 ? 65535 : floor(65535 * x + 0.5));
}

static void frame_to_rgb(const struct y4m *video, const uint8_t *from, ro_image *image)
{
    const struct numbers n = numbers_of(video->full, video->bits);
    const int bytes = y4m_sample_bytes(video);
    const double middle = 1 << (video->bits - 1);
    const uint8_t *plane[Y4M_PLANES] = {from, from, from};
    uint32_t width = 1, height = 1;
    for (int i = 1; i < video->planes; i++) {
        y4m_plane(video, i - 1, &width, &height);
        plane[i] = plane[i - 1] + (size_t)width * height * (size_t)bytes;
    }
    y4m_plane(video, video->planes - 1, &width, &height);
    for (uint32_t y = 0; y < video->height; y++) {
        uint16_t *to = (uint16_t *)(void *)((char *)image->data + (ptrdiff_t)y * image->stride);
        const struct between down = between(y, video->down, height);
        for (uint32_t x = 0; x < video->width; x++, to += 3) {
            const size_t at = (size_t)y * video->width + x;
            const double light = (sample_at(plane[0], bytes, at) - n.black) / n.span;
            double blue = 0, red = 0;
            if (video->planes > 1) {
                const struct between across = between(x, video->across, width);
                blue = (colour_at(plane[1], bytes, width, across, down) - middle) / n.colours;
                red = (colour_at(plane[2], bytes, width, across, down) - middle) / n.colours;
            }
            const double r = light + 2 * (1 - red_part) * red;
            const double b = light + 2 * (1 - blue_part) * blue;
            to[0] = deep(r);
            to[1] = deep((light - red_part * r - blue_part * b) / green_part);
            to[2] = deep(b);
        }
    }
}

static uint8_t byte_of(double x) { return (uint8_t)(x <= 0 ? 0 : x >= 255 ? 255 : floor(x + 0.5)); }

static void rgb_to_frame(bool full, const ro_image *image, uint8_t *to)
{
    const struct numbers n = numbers_of(full, 8);
    const size_t pixels = (size_t)image->width * image->height;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *rgb = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++, rgb += 3, to++) {
            const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
            const double light = red_part * r + green_part * g + blue_part * b;
            to[0] = byte_of(n.black + n.span * light);
            to[pixels] = byte_of(128 + n.colours * (b - light) / (2 * (1 - blue_part)));
            to[2 * pixels] = byte_of(128 + n.colours * (r - light) / (2 * (1 - red_part)));
        }
    }
}

/* ---- Other sizes ---------------------------------------------------------------------------- */

/* Rows of a picture in memory, as a decoder gives those of a file. */
struct memory_rows {
    struct row_stage stage; /* first, so that a stage can be cast back */
    const ro_image *image;
    uint32_t row;
};

static ro_status memory_give(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride,
                             uint32_t count)
{
    struct memory_rows *self = (struct memory_rows *)stage;
    for (uint32_t y = 0; y < count; y++, rows += stride, self->row++)
        memcpy(rows, (const char *)self->image->data + (ptrdiff_t)self->row * self->image->stride,
               stage_row_bytes(stage));
    return RO_OK;
}

static void memory_close(struct row_stage *stage) { (void)stage; }

/* The stages that make a picture's shape, on top of `rows`. */
static ro_status shape_open(struct open_file *file, const ro_image *image,
                            const ro_read_options *read, struct memory_rows *rows,
                            struct row_stage **stage)
{
    *rows = (struct memory_rows){.stage = {.file = file,
                                           .info = {.format = image->format,
                                                    .width = image->width,
                                                    .height = image->height,
                                                    .maxval = image->maxval},
                                           .rows = memory_give,
                                           .close = memory_close},
                                 .image = image};
    *stage = &rows->stage;
    return shape_stages(stage, read);
}

ro_status video_picture_size(ro_context *context, const struct y4m *in, const ro_read_options *read,
                             uint32_t *width, uint32_t *height)
{
    struct open_file file;
    struct memory_rows rows;
    struct row_stage *stage;
    const ro_image image = {
        .format = RO_GREY8, .width = in->width, .height = in->height, .maxval = 255};
    file_init(&file, context, "the video", "");
    ro_status status = shape_open(&file, &image, read, &rows, &stage);
    if (status == RO_OK) {
        *width = stage->info.width;
        *height = stage->info.height;
        stage->close(stage);
    }
    return status;
}

static ro_status shape_run(struct video_picture *picture)
{
    struct memory_rows rows;
    struct row_stage *stage;
    if (picture->shaped.data == picture->in.data)
        return RO_OK;
    ro_status status =
        shape_open(&picture->file, &picture->in, &picture->plan->read, &rows, &stage);
    if (status != RO_OK)
        return status;
    status = stage->rows(stage, picture->shaped.data, picture->shaped.stride, stage->info.height);
    stage->close(stage);
    return status;
}

/* ---- Frames --------------------------------------------------------------------------------- */

ro_status video_picture_open(struct video_picture *picture, ro_context *context,
                             const struct video_plan *plan)
{
    *picture = (struct video_picture){.plan = plan};
    file_init(&picture->file, context, "the video", "");
    const ro_image shape = video_plane(plan, 0);
    const ro_format format = plan->coloured ? RO_RGB8 : plan->to;
    ro_status status = RO_OK;
    if (plan->coloured)
        status = ro_image_alloc(context, shape.format, plan->in.width, plan->in.height,
                                shape.maxval, &picture->in);
    else
        picture->in = ro_image_view(shape.format, plan->in.width, plan->in.height, NULL);
    picture->in.maxval = shape.maxval;
    picture->shaped = picture->in;
    if (status == RO_OK && plan->reshaped)
        status = ro_image_alloc(context, shape.format, shape.width, shape.height, shape.maxval,
                                &picture->shaped);
    if (status == RO_OK && plan->coloured)
        status = ro_image_alloc(context, format, shape.width, shape.height, 255, &picture->out);
    else
        picture->out = ro_image_view(format, shape.width, shape.height, NULL);
    return status;
}

void video_picture_close(struct video_picture *picture)
{
    if (!picture->plan)
        return;
    if (picture->plan->reshaped)
        ro_image_free(&picture->shaped);
    if (picture->plan->coloured) {
        ro_image_free(&picture->in);
        ro_image_free(&picture->out);
    }
}

ro_status video_picture_run(struct video_picture *picture, ro_plan *halftone, const uint8_t *from,
                            uint8_t *to)
{
    const struct video_plan *plan = picture->plan;
    if (plan->coloured) {
        frame_to_rgb(&plan->in, from, &picture->in);
    } else {
        picture->in.data = (void *)(uintptr_t)from; /* brightness comes first */
        picture->out.data = to;
    }
    if (!plan->reshaped)
        picture->shaped.data = picture->in.data;
    ro_status status = shape_run(picture);
    if (status == RO_OK)
        status = ro_plan_run(halftone, &picture->shaped, &picture->out, NULL);
    if (status != RO_OK)
        return status;
    if (plan->coloured) {
        rgb_to_frame(plan->out.full, &picture->out, to);
        return RO_OK;
    }
    const size_t pixels = (size_t)picture->out.width * picture->out.height;
    for (size_t i = 0; i < pixels; i++)
        to[i] = plan->tones[0][to[i]];
    to += pixels;
    for (int i = 1; i < plan->out.planes; i++) {
        uint32_t width, height;
        y4m_plane(&plan->out, i, &width, &height);
        memset(to, 128, (size_t)width * height);
        to += (size_t)width * height;
    }
    return RO_OK;
}

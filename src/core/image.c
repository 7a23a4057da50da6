/* SPDX-License-Identifier: MIT */
#include "core/image.h"

#include "core/checked.h"
#include "core/misuse.h"
#include "core/names.h"

#include <stdlib.h>

static const struct format {
    const char *name;
    int channels;
    int bytes; /* of a sample; 0: packed bits */
} formats[] = {
    [RO_GREY8] = {"8-bit grey", 1, 1}, [RO_GREY16] = {"16-bit grey", 1, 2},
    [RO_GREYF] = {"float grey", 1, 4}, [RO_RGB8] = {"8-bit RGB", 3, 1},
    [RO_RGB16] = {"16-bit RGB", 3, 2}, [RO_RGBF] = {"float RGB", 3, 4},
    [RO_BITS] = {"packed bits", 1, 0}, [RO_INDEX8] = {"8-bit level numbers", 1, 1},
    [RO_RGBA8] = {"8-bit RGBA", 4, 1},
};

static const struct format *find(ro_format format)
{
    unsigned number = format;
    if (number == 0 || number >= sizeof formats / sizeof *formats)
        return NULL;
    return &formats[number];
}

const char *format_name(int format)
{
    const struct format *found = find((ro_format)format);
    return found ? found->name : "no format";
}

size_t ro_format_row_bytes(ro_format format, uint32_t width)
{
    const struct format *found = find(format);
    size_t bytes;
    if (!found)
        return 0;
    if (found->bytes == 0)
        return ((size_t)width + 7) / 8;
    return size_multiply((size_t)found->channels * (size_t)found->bytes, width, &bytes) ? bytes : 0;
}

uint32_t image_largest(const ro_image *image)
{
    const struct format *format = find(image->format);
    const size_t samples = (size_t)image->width * (size_t)format->channels;
    uint32_t largest = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        const uint16_t *row16 = (const uint16_t *)(const void *)row;
        for (size_t i = 0; i < samples; i++) {
            const uint32_t sample = format->bytes == 1 ? (uint8_t)row[i] : row16[i];
            largest = sample > largest ? sample : largest;
        }
    }
    return largest;
}

uint32_t image_white_in_use(const ro_image *image)
{
    const bool deep = ro_format_sample_bytes(image->format) == 2 && ro_image_white(image) == 65535;
    return deep ? image_white_of(image, image_largest(image)) : ro_image_white(image);
}

uint32_t image_white_of(const ro_image *image, uint32_t largest)
{
    const uint32_t white = ro_image_white(image);
    if (ro_format_sample_bytes(image->format) != 2 || white != 65535)
        return white;
    uint32_t in_use = 255;
    while (in_use < largest)
        in_use = 2 * in_use + 1;
    return in_use;
}

/* Pixels are taken by calloc, whose untouched pages cost nothing: a picture that a file claims
 * takes memory as its rows arrive. The word before the aligned pixels is where they really begin.
 */
enum { ALIGNMENT = 64 };

static void *take_pixels(size_t bytes)
{
    char *memory = bytes < PTRDIFF_MAX - 2 * ALIGNMENT ? calloc(bytes + 2 * ALIGNMENT, 1) : NULL;
    if (!memory)
        return NULL;
    void **pixels =
        (void **)(((uintptr_t)memory + 2 * ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    pixels[-1] = memory;
    return pixels;
}

ro_status ro_image_alloc(ro_context *context, ro_format format, uint32_t width, uint32_t height,
                         uint32_t maxval, ro_image *image)
{
    if (MISSING(context, image))
        return RO_E_ARGUMENT;
    size_t row = ro_format_row_bytes(format, width), bytes;
    *image = (ro_image){0};
    if (row == 0 || height == 0 || width > RO_MAX_SIDE || height > RO_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE, "an image of %u x %u cannot be made", width,
                               height);
    size_t stride = image_stride(row);
    if (!size_multiply(stride, height, &bytes) || bytes > PTRDIFF_MAX)
        return ro_context_fail(context, RO_E_SIZE, "an image of %u x %u is too large", width,
                               height);
    const ro_limits *limits = ro_context_limits(context);
    if (limits && bytes > limits->memory)
        return ro_context_fail(context, RO_E_MEMORY,
                               "an image of %u x %u takes %zu MB, the limit is %ju MB", width,
                               height, bytes >> 20, (uintmax_t)limits->memory >> 20);
    void *data = take_pixels(bytes);
    if (!data)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for an image of %u x %u (%zu MB)",
                               width, height, bytes >> 20);
    *image = (ro_image){.format = format,
                        .width = width,
                        .height = height,
                        .maxval = maxval,
                        .stride = (ptrdiff_t)stride,
                        .data = data};
    return RO_OK;
}

void ro_image_free(ro_image *image)
{
    if (!image)
        return;
    if (image->data)
        free(((void **)image->data)[-1]);
    *image = (ro_image){0};
}

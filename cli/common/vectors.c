/* SPDX-License-Identifier: MIT */
#include "cli/common/vectors.h"

#include "cli/common/pictures.h"
#include "roundoff/library.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double sample(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    switch (image->format) {
    case RO_GREY16:
        return ((const uint16_t *)(const void *)row)[x];
    case RO_GREYF:
        return (double)((const float *)(const void *)row)[x];
    default:
        return ((const uint8_t *)row)[x];
    }
}

ro_status vectors_save(ro_context *context, const char *path, const char *title,
                       const struct vector_column columns[2])
{
    const uint32_t width = columns[0].image->width, height = columns[0].image->height;
    const size_t pixels = (size_t)width * height;
    int32_t *numbers = malloc(2 * pixels * sizeof *numbers);
    if (!numbers)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for vectors");
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < pixels; i++)
            numbers[(size_t)k * pixels + i] =
                (int32_t)lrint(columns[k].scale * sample(columns[k].image, (uint32_t)(i % width),
                                                         (uint32_t)(i / width)));
    const ro_vectors vectors = {.title = title,
                                .columns = 2,
                                .names = {columns[0].name, columns[1].name},
                                .numbers = {numbers, numbers + pixels},
                                .rows = pixels};
    ro_status status = ro_vectors_save(context, path, &vectors);
    free(numbers);
    return status;
}

ro_status vectors_load(ro_context *context, const char *path, const ro_read_options *read,
                       ro_image *image)
{
    if (strcmp(path, "-") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--vectors reads IN twice: it must be a file, not a pipe");
    ro_status status = ro_image_load(context, path, read, image, NULL, pictures_dropped(path));
    if (status == RO_OK && image->format != RO_GREY8 && image->format != RO_GREY16)
        status = ro_context_fail(context, RO_E_ARGUMENT, "%s: --vectors needs 8-bit or 16-bit grey",
                                 path);
    return status;
}

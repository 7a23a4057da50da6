/* SPDX-License-Identifier: MIT */
/* Hashes by xxHash, which is compiled in from its header; a build without it says so. */
#include "roundoff/hash.h"
#include "core/image.h"

#if RO_WITH_XXHASH

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_text(XXH128_hash_t hash, char text[RO_HASH_TEXT])
{
    snprintf(text, RO_HASH_TEXT, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

ro_status ro_bytes_hash(ro_context *context, const void *bytes, size_t size,
                        char text[RO_HASH_TEXT])
{
    (void)context;
    write_text(XXH3_128bits(bytes, size), text);
    return RO_OK;
}

/* Low bytes first, also on a machine that has them last. */
static void swap_samples(uint8_t *row, size_t bytes, int size)
{
    static const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    if (first)
        return;
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size)
        for (int k = 0; k < size / 2; k++) {
            const uint8_t low = row[i + (size_t)(size - 1 - k)];
            row[i + (size_t)(size - 1 - k)] = row[i + (size_t)k];
            row[i + (size_t)k] = low;
        }
}

ro_status ro_image_hash(ro_context *context, const ro_image *image, char text[RO_HASH_TEXT])
{
    ro_status status = ro_image_check(context, image, "image");
    if (status != RO_OK)
        return status;
    const size_t bytes = ro_format_row_bytes(image->format, image->width);
    const bool bits = image->format == RO_BITS;
    const bool floats = image->format == RO_GRAYF || image->format == RO_RGBF;
    XXH3_state_t *state = XXH3_createState();
    uint8_t *row = malloc(bytes);
    if (!state || !row) {
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for a row of %u pixels", image->width);
        goto done;
    }
    char head[80];
    snprintf(head, sizeof head, "%s %u %u %u\n", ro_format_name(image->format), image->width,
             image->height, bits || floats ? 1 : ro_image_white(image));
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, head, strlen(head));
    for (uint32_t y = 0; y < image->height; y++) {
        memcpy(row, (const uint8_t *)image->data + (ptrdiff_t)y * image->stride, bytes);
        if (bits && image->width % 8)
            row[bytes - 1] &= (uint8_t)(0xff << (8 - image->width % 8));
        if (!bits)
            swap_samples(row, bytes, ro_format_sample_bytes(image->format));
        XXH3_128bits_update(state, row, bytes);
    }
    write_text(XXH3_128bits_digest(state), text);
done:
    XXH3_freeState(state);
    free(row);
    return status;
}

#else

static ro_status left_out(ro_context *context)
{
    return ro_context_fail(context, RO_E_UNSUPPORTED,
                           "this build has no hashes and so no certificates: xxhash.h was not "
                           "found (Debian: libxxhash-dev)");
}

ro_status ro_bytes_hash(ro_context *context, const void *bytes, size_t size,
                        char text[RO_HASH_TEXT])
{
    (void)bytes, (void)size, (void)text;
    return left_out(context);
}

ro_status ro_image_hash(ro_context *context, const ro_image *image, char text[RO_HASH_TEXT])
{
    (void)image, (void)text;
    return left_out(context);
}

#endif

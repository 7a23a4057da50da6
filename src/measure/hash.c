/* SPDX-License-Identifier: MIT */
/* Hashes by xxHash, which is compiled in from its header; a build without it says so. */
#include "core/image.h"
#include "core/misuse.h"
#include "roundoff/pieces.h"
#include "roundoff/verify.h"

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
    if (MISSING(context, text) || (size > 0 && MISSING(context, bytes)))
        return RO_E_ARGUMENT;
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

/* The state as xxHash has it: where its secret lies is known to each process alone. */
_Static_assert(sizeof(XXH3_state_t) <= sizeof(ro_hash_state), "the state is too small");

static void take_state(const ro_hash_state *from, XXH3_state_t *state)
{
    XXH3_state_t fresh;
    XXH3_128bits_reset(&fresh);
    memcpy(state, from, sizeof *state);
    state->extSecret = fresh.extSecret;
}

static void keep_state(const XXH3_state_t *state, ro_hash_state *to)
{
    memset(to, 0, sizeof *to);
    memcpy(to, state, sizeof *state);
}

ro_status ro_hash_begin(ro_context *context, const ro_image *shape, ro_hash_state *state)
{
    if (MISSING(context, shape, state))
        return RO_E_ARGUMENT;
    const bool floats = shape->format == RO_GREYF || shape->format == RO_RGBF;
    XXH3_state_t own;
    char head[80];
    (void)context;
    snprintf(head, sizeof head, "%s %u %u %u\n", ro_format_name(shape->format), shape->width,
             shape->height, shape->format == RO_BITS || floats ? 1 : ro_image_white(shape));
    memset(&own, 0, sizeof own);
    XXH3_128bits_reset(&own);
    XXH3_128bits_update(&own, head, strlen(head));
    keep_state(&own, state);
    return RO_OK;
}

ro_status ro_hash_rows(ro_context *context, ro_hash_state *state, const ro_image *rows)
{
    if (MISSING(context, state))
        return RO_E_ARGUMENT;
    const ro_status status = image_check(context, rows, "image");
    if (status != RO_OK)
        return status;
    const size_t bytes = ro_format_row_bytes(rows->format, rows->width);
    const bool bits = rows->format == RO_BITS;
    XXH3_state_t own;
    uint8_t *row = malloc(bytes);
    if (!row)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a row of %u pixels",
                               rows->width);
    take_state(state, &own);
    for (uint32_t y = 0; y < rows->height; y++) {
        memcpy(row, (const uint8_t *)rows->data + (ptrdiff_t)y * rows->stride, bytes);
        if (bits && rows->width % 8)
            row[bytes - 1] &= (uint8_t)(0xff << (8 - rows->width % 8));
        if (!bits)
            swap_samples(row, bytes, ro_format_sample_bytes(rows->format));
        XXH3_128bits_update(&own, row, bytes);
    }
    keep_state(&own, state);
    free(row);
    return RO_OK;
}

ro_status ro_hash_end(ro_context *context, const ro_hash_state *state, char text[RO_HASH_TEXT])
{
    if (MISSING(context, state, text))
        return RO_E_ARGUMENT;
    XXH3_state_t own;
    (void)context;
    take_state(state, &own);
    write_text(XXH3_128bits_digest(&own), text);
    return RO_OK;
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
    if (MISSING(context, text) || (size > 0 && MISSING(context, bytes)))
        return RO_E_ARGUMENT;
    (void)bytes, (void)size, (void)text;
    return left_out(context);
}

ro_status ro_hash_begin(ro_context *context, const ro_image *shape, ro_hash_state *state)
{
    if (MISSING(context, shape, state))
        return RO_E_ARGUMENT;
    (void)shape, (void)state;
    return left_out(context);
}

ro_status ro_hash_rows(ro_context *context, ro_hash_state *state, const ro_image *rows)
{
    if (MISSING(context, state))
        return RO_E_ARGUMENT;
    (void)state, (void)rows;
    return left_out(context);
}

ro_status ro_hash_end(ro_context *context, const ro_hash_state *state, char text[RO_HASH_TEXT])
{
    if (MISSING(context, state, text))
        return RO_E_ARGUMENT;
    (void)state, (void)text;
    return left_out(context);
}

#endif

ro_status ro_image_hash(ro_context *context, const ro_image *image, char text[RO_HASH_TEXT])
{
    if (MISSING(context, text))
        return RO_E_ARGUMENT;
    ro_hash_state state;
    ro_status status = image_check(context, image, "image");
    if (status == RO_OK)
        status = ro_hash_begin(context, image, &state);
    if (status == RO_OK)
        status = ro_hash_rows(context, &state, image);
    return status == RO_OK ? ro_hash_end(context, &state, text) : status;
}

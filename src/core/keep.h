/* SPDX-License-Identifier: MIT */
/*
 * Copies of what options point to, in one piece of memory. A function that copies with keep_bytes
 * and keep_text runs twice: with `memory` NULL it counts the bytes, then it copies.
 */
#ifndef RO_CORE_KEEP_H
#define RO_CORE_KEEP_H

#include "roundoff/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct keep {
    unsigned char *memory;
    size_t bytes;
};

/* Points *pointer to a copy; NULL stays NULL. */
static inline void keep_bytes(struct keep *keep, void *pointer, size_t bytes)
{
    const void *from;
    memcpy(&from, pointer, sizeof from);
    if (!from)
        return;
    if (keep->memory) {
        void *to = keep->memory + keep->bytes;
        memcpy(to, from, bytes);
        memcpy(pointer, &to, sizeof to);
    }
    keep->bytes += (bytes + 15) & ~(size_t)15;
}

static inline void keep_text(struct keep *keep, const char **text)
{
    if (*text)
        keep_bytes(keep, text, strlen(*text) + 1);
}

/* Follows a pointer of the copy if there is one to write to, else of the original. */
#define REACHED(keep, pointer, type) ((keep)->memory ? (type *)(void *)(size_t)(pointer) : NULL)

/* Points *image to a copy, with its pixels if `pixels`; else these must stay. The image must have
 * been checked. */
static inline void keep_image(struct keep *keep, const ro_image **image, bool pixels)
{
    if (!*image)
        return;
    const ro_image given = **image;
    keep_bytes(keep, image, sizeof **image);
    if (!pixels || !given.data)
        return;
    /* Rows may lie in either order; the copy has them from the top, without gaps. */
    const size_t row = ro_format_row_bytes(given.format, given.width);
    ro_image *copy = REACHED(keep, *image, ro_image);
    if (copy) {
        copy->data = keep->memory + keep->bytes;
        copy->stride = (ptrdiff_t)((row + 15) & ~(size_t)15);
    }
    for (uint32_t y = 0; y < given.height; y++) {
        const void *from = (const char *)given.data + (ptrdiff_t)y * given.stride;
        keep_bytes(keep, &from, row);
    }
}

#endif

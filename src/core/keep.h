/* SPDX-License-Identifier: MIT */
/*
 * Copies of what options point to, in one piece of memory. A function that copies with keep_bytes
 * and keep_text runs twice: with `memory` NULL it counts the bytes, then it copies.
 */
#ifndef RO_CORE_KEEP_H
#define RO_CORE_KEEP_H

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

#endif

/* SPDX-License-Identifier: MIT */
/* Memory of level sets. */
#include "core/checked.h"
#include "core/huge_pages.h"
#include "segment/segment.h"

#include <stdlib.h>
#include <string.h>

size_t level_bytes(const struct front_level *level)
{
    return level->real ? sizeof(float) : sizeof(int16_t);
}

ro_status level_field_make(ro_context *context, const struct front_level *level,
                           struct level_field *field)
{
    size_t pitch = ((size_t)level->width * level_bytes(level) + 63) / 64 * 64 + 2 * RO_LEVEL_PAD;
    size_t bytes;
    /* pages that nobody has touched cost nothing yet, so no posix_memalign and memset */
    char *memory = size_multiply(pitch, level->height, &bytes) && bytes < SIZE_MAX - 128
                       ? calloc(bytes + 128, 1)
                       : NULL;
    if (!memory)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to segment %u x %u pixels",
                               level->width, level->height);
    pages_enlarge(memory, bytes);
    char *aligned = memory + (64 - (uintptr_t)memory % 64) % 64;
    *field = (struct level_field){aligned + RO_LEVEL_PAD, pitch, memory};
    return RO_OK;
}

void level_field_free(struct level_field *field)
{
    free(field->memory);
    *field = (struct level_field){0};
}

void level_field_mirror(const struct front_level *level, const struct level_field *field)
{
    const size_t bytes = level_bytes(level), row = bytes * level->width;
    for (uint32_t y = 0; y < level->height; y++) {
        char *at = field->data + y * field->pitch;
        memcpy(at - bytes, at, bytes);
        memcpy(at + row, at + row - bytes, bytes);
    }
}

/* SPDX-License-Identifier: MIT */
/* Memory of level sets. */
#include "core/checked.h"
#include "pde/segment.h"

#include <stdlib.h>
#include <string.h>

size_t ro_level_bytes(const struct ro_level *level)
{
    return level->real ? sizeof(float) : sizeof(int16_t);
}

ro_status ro_level_field_make(ro_context *context, const struct ro_level *level,
                              struct ro_level_field *field)
{
    size_t pitch = ((size_t)level->width * ro_level_bytes(level) + 63) / 64 * 64 + 2 * RO_LEVEL_PAD;
    size_t bytes;
    void *memory = NULL;
    if (!ro_size_multiply(pitch, level->height, &bytes) ||
        posix_memalign(&memory, 64, bytes + 64) != 0)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to segment %u x %u pixels",
                               level->width, level->height);
    memset(memory, 0, bytes + 64);
    *field = (struct ro_level_field){(char *)memory + RO_LEVEL_PAD, pitch};
    return RO_OK;
}

void ro_level_field_free(struct ro_level_field *field)
{
    if (field->data)
        free(field->data - RO_LEVEL_PAD);
    *field = (struct ro_level_field){0};
}

void ro_level_field_mirror(const struct ro_level *level, const struct ro_level_field *field)
{
    const size_t bytes = ro_level_bytes(level), row = bytes * level->width;
    for (uint32_t y = 0; y < level->height; y++) {
        char *at = field->data + y * field->pitch;
        memcpy(at - bytes, at, bytes);
        memcpy(at + row, at + row - bytes, bytes);
    }
}

double ro_level_value(const struct ro_level *level, const struct ro_level_field *field, uint32_t x,
                      uint32_t y)
{
    const char *row = field->data + y * field->pitch;
    return level->real ? ((const float *)(const void *)row)[x]
                       : ((const int16_t *)(const void *)row)[x];
}

void ro_level_put(const struct ro_level *level, const struct ro_level_field *field, uint32_t x,
                  uint32_t y, double value)
{
    char *row = field->data + y * field->pitch;
    if (level->real)
        ((float *)(void *)row)[x] = (float)value + 0.0f; /* no negative zero */
    else
        ((int16_t *)(void *)row)[x] = (int16_t)lrint(value);
}

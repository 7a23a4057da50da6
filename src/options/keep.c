/* SPDX-License-Identifier: MIT */
/* Options that outlive what the caller gave. */
#include "core/keep.h"
#include "options/table.h"

#include <stdlib.h>

void options_keep_texts(struct keep *keep, const ro_option_table *table, void *options)
{
    for (const ro_option *row = table->rows; row->name; row++)
        if (row->kind == RO_OPTION_TEXT)
            keep_text(keep, (const char **)(void *)((char *)options + row->offset));
}

void *options_keep(const ro_option_table *table, const void *options)
{
    const size_t room = (table->size + 15) & ~(size_t)15;
    struct keep keep = {0};
    options_keep_texts(&keep, table, (void *)(size_t)options);
    unsigned char *memory = malloc(room + keep.bytes);
    if (!memory)
        return NULL;
    memcpy(memory, options, table->size);
    keep = (struct keep){.memory = memory + room};
    options_keep_texts(&keep, table, memory);
    return memory;
}

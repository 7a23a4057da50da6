/* SPDX-License-Identifier: MIT */
#include "io/tables/columns.h"

#include "core/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = " \t,;\r";

struct lines lines_of(char *text, bool marked)
{
    return (struct lines){text + (marked && strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0), 0};
}

char *lines_next(struct lines *lines)
{
    char *line = lines->next;
    if (!*line)
        return NULL;
    char *end = line + strcspn(line, "\n");
    lines->next = *end ? end + 1 : end;
    *end = '\0';
    lines->number++;
    return line;
}

char *lines_next_row(struct lines *lines)
{
    for (char *line; (line = lines_next(lines));) {
        line += strspn(line, " \t\r");
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

ro_status table_open(struct text_table *table, ro_context *context, const char *path, size_t most,
                     bool marked)
{
    *table = (struct text_table){0};
    file_init(&table->file, context, path, "standard input");
    ro_status status = text_load(&table->file, path, most, &table->text);
    if (status == RO_OK)
        table->lines = lines_of(table->text, marked);
    return status;
}

void table_close(struct text_table *table) { free(table->text); }

int numbers_read(const char *text, double *numbers, int most)
{
    int count = 0;
    while (*text) {
        char *end;
        if (count == most || (!isdigit((unsigned char)*text) && !strchr("+-.", *text)))
            return -1;
        numbers[count++] = strtod(text, &end);
        if (end == text)
            return -1;
        text = end + strspn(end, between);
    }
    return count;
}

int column_named(const char *name, const struct column_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ro_name_equal(name, names[i].name))
            return names[i].column;
    return -1;
}

int columns_read(const char *text, const struct column_name *names, size_t count, int *of, int most)
{
    int found = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        char name[64]; /* longer than any that is known */
        const size_t length = strcspn(text, between);
        if (found == most)
            return -1;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        of[found++] = column_named(name, names, count);
        text += length;
    }
    return found;
}

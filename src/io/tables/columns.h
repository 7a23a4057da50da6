/* SPDX-License-Identifier: MIT */
/* Small tables as text: lines, numbers with commas, semicolons or blanks between them, and columns
 * that the first line names. */
#ifndef RO_IO_TABLES_COLUMNS_H
#define RO_IO_TABLES_COLUMNS_H

#include "io/tables/text.h"

struct lines {
    char *next; /* of a text that lines_next cuts */
    int number; /* of the last line, from 1 */
};

/* The lines of a text, without the mark of UTF-8 if `marked`. */
struct lines lines_of(char *text, bool marked);

/* Returns the next line, or NULL. */
char *lines_next(struct lines *lines);

/* Returns the next line that is neither empty nor a comment, without blanks before it; or NULL. */
char *lines_next_row(struct lines *lines);

/* A file of lines. */
struct text_table {
    struct open_file file;
    char *text;
    struct lines lines;
};

/* Reads a file of at most `most` bytes. table_close frees, also after a failure. */
ro_status table_open(struct text_table *table, ro_context *context, const char *path, size_t most,
                     bool marked);
void table_close(struct text_table *table);

/* Reads numbers and nothing else. Returns how many; -1 if the text is something else, or if they
 * are more than `most`. */
int numbers_read(const char *text, double *numbers, int most);

struct column_name {
    const char *name;
    int column;
};

/* Reads names of columns: of[i] is the column of the i-th name, or -1 if it has none. Returns how
 * many names there are; -1 if they are more than `most`. */
int columns_read(const char *text, const struct column_name *names, size_t count, int *of,
                 int most);

/* Returns the column of one name, or -1. */
int column_named(const char *name, const struct column_name *names, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/* Small text files, read as a whole. */
#ifndef RO_IO_TABLES_TEXT_H
#define RO_IO_TABLES_TEXT_H

#include "io/bytes/source.h"

/* A text of at most so many bytes, to be freed; one with a NUL in it is refused. */
ro_status text_read(struct byte_source *source, size_t most, char **text);
ro_status text_load(struct open_file *file, const char *path, size_t most, char **text);

#endif

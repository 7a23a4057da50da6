/* SPDX-License-Identifier: MIT */
/* Names of files, and of arrays in them. */
#ifndef RO_IO_FILES_NAMES_H
#define RO_IO_FILES_NAMES_H

#include "io/bytes/file.h"

struct file_extension;

/* How much of a path is the name of the file: behind "a.npz:" and "a.h5:" is that of the array in
 * it that is to be written. */
size_t path_file(const char *path);

/* What the file is to hold, behind "file.npz:" or "file.h5:"; NULL: none is named. */
const char *path_member(const char *path);

/* Whether the file's name ends in ".gz". */
bool path_is_packed(const char *path);

/* Whether an archive may be written there: its member has a proper name, and no other is lost. */
ro_status archive_check(struct open_file *file, const char *path,
                        const struct file_extension *extension);

#endif

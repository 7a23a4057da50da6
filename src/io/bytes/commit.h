/* SPDX-License-Identifier: MIT */
/* The files that wait for their names with a context; see ro_commit_begin in roundoff_io.h. */
#ifndef RO_IO_BYTES_COMMIT_H
#define RO_IO_BYTES_COMMIT_H

#include "io/bytes/file.h"
#include "io/bytes/temporary.h"

/* Gives a complete file its name, or puts it on the context's list if there is one. Takes the
 * temporary over, whatever comes of it. */
ro_status commit_file(struct open_file *file, struct temporary_file *temporary, const char *target);

/* Where a path is read: the file that waits for this name, or the path itself. NULL: no memory. */
const char *commit_place(ro_context *context, const char *path);

/* For calls that write several files: a list of their own where the caller has none. */
ro_status commit_own_begin(ro_context *context, bool *own);
ro_status commit_own_end(ro_context *context, bool own, ro_status status);

/* The file that symbolic links lead to, which need not exist; to be freed. NULL with errno set on a
 * failure. */
char *follow_links(const char *path);

#endif

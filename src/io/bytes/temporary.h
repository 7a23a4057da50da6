/* SPDX-License-Identifier: MIT */
/*
 * Temporary files, which lie beside the file that they become. All of the process are known, so
 * that a signal handler can remove them before it ends the process.
 */
#ifndef RO_IO_BYTES_TEMPORARY_H
#define RO_IO_BYTES_TEMPORARY_H

#include <stddef.h>
#include <sys/types.h>

struct temporary_file;

/* Makes ".name.XXXXXX" beside the target, of this mode less the umask; *fd is open for reading and
 * writing. NULL with errno set on a failure. */
struct temporary_file *temporary_make(const char *target, mode_t mode, int *fd);
const char *temporary_path(const struct temporary_file *temporary);

/* Gives it the target's name: 0, and it is no temporary any more; else errno tells why not. */
int temporary_rename(struct temporary_file *temporary, const char *target);
void temporary_remove(struct temporary_file *temporary); /* NULL is allowed */

/* Leaves the file where it is, as no temporary any more; and takes such a file up again. NULL: no
 * memory. */
void temporary_keep(struct temporary_file *temporary);
struct temporary_file *temporary_adopt(const char *path);

/* Bytes of the folder part of a path, its last slash included; 0: the current folder. */
size_t folder_length(const char *path);

#endif

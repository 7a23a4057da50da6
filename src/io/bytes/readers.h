/* SPDX-License-Identifier: MIT */
/*
 * A long piece of a file, read by several threads: copying from the system's cache is all that
 * reading is there, and one core copies less than many compute on.
 */
#ifndef RO_IO_BYTES_READERS_H
#define RO_IO_BYTES_READERS_H

#include <stddef.h>
#include <stdint.h>

/* Reads up to `size` bytes from a place of a file that allows it; *got is fewer only at its end.
 * Returns 0, or the system's number of what went wrong. */
int read_at(int fd, uint64_t position, void *bytes, size_t size, size_t *got);

struct worker_readers;

/* So many threads beside the caller's, or fewer; NULL: none could be had. */
struct worker_readers *readers_open(int threads);
void readers_close(struct worker_readers *readers); /* NULL is allowed */

/* The same by all of them. */
int readers_read(struct worker_readers *readers, int fd, uint64_t position, uint8_t *bytes,
                 size_t size, size_t *got);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Bytes in: a file, a pipe or memory, with a look ahead so that a type can be told by its first
 * bytes and a pipe still be read from its start. Long reads go straight to the caller's buffer.
 * Waiting on a pipe notices cancellation.
 */
#ifndef RO_IO_BYTES_SOURCE_H
#define RO_IO_BYTES_SOURCE_H

#include "io/bytes/file.h"

#include <stddef.h>
#include <stdint.h>

#define RO_SIZE_UNKNOWN UINT64_MAX

struct inflater;
struct worker_readers;

struct byte_source {
    struct open_file *file;
    int fd;     /* -1: memory, or packed */
    bool owned; /* the descriptor is ours to close */
    bool waits; /* a pipe, a terminal, a socket: reading may wait */
    bool seekable;
    uint64_t size;     /* of the whole file, or RO_SIZE_UNKNOWN */
    uint64_t position; /* of bytes[begin] in the file */
    uint8_t *buffer;   /* NULL: memory */
    const uint8_t *bytes;
    size_t begin, end;       /* what is ready in bytes */
    struct inflater *packed; /* where the bytes come from; NULL: as they are (inflate.h) */
    const char *member;      /* the name behind "file:", for files that hold several; NULL: none */
    struct worker_readers *readers; /* who reads long pieces together; NULL: one alone */
};

/* Path "-" is standard input. */
ro_status source_open(struct byte_source *source, struct open_file *file, const char *path);
void source_open_memory(struct byte_source *source, struct open_file *file, const void *bytes,
                        size_t size);
void source_close(struct byte_source *source);

/* Long reads of a plain file shall be shared with so many other threads; of others nothing changes.
 */
void source_share(struct byte_source *source, int threads);

/* Whether threads may read places of it by themselves (read_at): a plain file. */
bool source_plain(const struct byte_source *source);

/* Makes bytes ready without taking them: *have is fewer than `want` (at most 64 KB) only at the
 * end of the file. */
ro_status source_peek(struct byte_source *source, size_t want, size_t *have);

/* Takes up to `size` bytes; *got is fewer only at the end of the file. */
ro_status source_read(struct byte_source *source, void *bytes, size_t size, size_t *got);

/* The same, where fewer bytes are an error. */
ro_status source_need(struct byte_source *source, void *bytes, size_t size);

/* Takes a line, without its end. Fails if `size` bytes do not hold it, if it has a byte 0, or at
 * the end of the file. */
ro_status source_line(struct byte_source *source, char *line, size_t size);

/* Takes all that is left into memory to be freed, with a byte 0 behind it; more than `most` bytes
 * are an error. */
ro_status source_all(struct byte_source *source, size_t most, char **bytes, size_t *size);

/* What is packed can go back to its start only, and only where the file can be read again. */
ro_status source_seek(struct byte_source *source, uint64_t position);
bool source_rewinds(const struct byte_source *source);
ro_status source_skip(struct byte_source *source, uint64_t count);

/* Bytes from here to the end, or RO_SIZE_UNKNOWN. */
uint64_t source_left(const struct byte_source *source);

/* Takes one byte; -1 at the end of the file or on a failure, which *status then tells. */
int source_refill_byte(struct byte_source *source, ro_status *status);
static inline int source_byte(struct byte_source *source, ro_status *status)
{
    if (source->begin == source->end)
        return source_refill_byte(source, status);
    source->position++;
    return source->bytes[source->begin++];
}

#endif

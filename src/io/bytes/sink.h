/* SPDX-License-Identifier: MIT */
/*
 * Bytes out. A file is written under a temporary name beside its target and takes the target's
 * place only at the commit, flushed to the disk before; a failure leaves the old file as it was.
 * Pipes and devices are written directly. Waiting on a pipe notices cancellation.
 */
#ifndef RO_IO_BYTES_SINK_H
#define RO_IO_BYTES_SINK_H

#include "io/bytes/file.h"
#include "io/bytes/temporary.h"

#include <stddef.h>
#include <stdint.h>

struct deflater;

struct byte_sink {
    struct open_file *file;
    int fd;
    bool owned; /* the descriptor is ours to close */
    bool waits; /* a pipe, a terminal, a socket: writing may wait */
    bool seekable;
    bool complete; /* every byte is on the disk, and the descriptor closed if it was ours */
    char *target;  /* the file behind any symbolic links; NULL: written directly */
    struct temporary_file *temporary; /* NULL: none to remove */
    bool memory;                      /* no file: `buffer` grows and keeps everything, but for */
    uint64_t hole, hole_bytes;        /* these, which are left to others: bytes from `hole` on */
    uint8_t *buffer;
    size_t used, room;
    uint64_t position;       /* where the next byte goes */
    uint64_t flushed;        /* up to here the system was asked to start writing to the disk */
    struct deflater *packer; /* through which bytes go; NULL: as they are */
    const char *member;      /* of the archive, behind the name of the file; NULL: none is named */
    bool summed;             /* bytes go into the checksum, ZIP's */
    uint32_t checksum;
};

/* "-" and "/dev/stdout". */
bool sink_is_standard(const char *path);

/* Whether a file can be made at `path`, as far as can be told without making one. */
ro_status sink_check(struct open_file *file, const char *path);

/* Path "-" is standard output; NULL is memory. */
ro_status sink_open(struct byte_sink *sink, struct open_file *file, const char *path);
ro_status sink_write(struct byte_sink *sink, const void *bytes, size_t size);

/* Writes text; does nothing after a failure that is in *status. */
void sink_print(struct byte_sink *sink, ro_status *status, const char *format, ...) RO_PRINTF(3, 4);
ro_status sink_seek(struct byte_sink *sink, uint64_t position);

/* Whether threads may write places of it by themselves, in any order: a file of its own. Those who
 * do end with a seek behind the last byte. sink_put returns 0, or the system's number of what
 * went wrong, for sink_cannot. */
bool sink_plain(const struct byte_sink *sink);
int sink_put(const struct byte_sink *sink, uint64_t position, const void *bytes, size_t size);
ro_status sink_cannot(struct byte_sink *sink, int error);

/* From here on bytes are packed as a gzip file. */
ro_status sink_pack(struct byte_sink *sink);

/* Takes back bytes that were written, from where the sink is; *got is fewer at the end. */
ro_status sink_read(struct byte_sink *sink, void *bytes, size_t size, size_t *got);

/* Brings all bytes to the disk; only the name is missing then. */
ro_status sink_complete(struct byte_sink *sink);
/* Completes, and gives the temporary file its name, or puts it on the context's list. */
ro_status sink_commit(struct byte_sink *sink);

/* Without a commit before, removes the temporary file. */
void sink_close(struct byte_sink *sink);

#endif

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sync_file_range */
#include "io/bytes/sink.h"

#include "io/bytes/commit.h"
#include "io/bytes/deflate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER = 1 << 18,
    LONGEST_WRITE = 1 << 24, /* so that cancellation is noticed */
    WAIT_MS = 100,
};

bool sink_is_standard(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static ro_status cannot_write(struct open_file *file)
{
    if (errno == EPIPE)
        return file_fail(file, RO_E_IO, "the reader of the output has gone away");
    return file_fail(file, RO_E_IO, "cannot be written: %s", strerror(errno));
}

/* What stands at `path`: *regular tells whether a file is there that a commit would replace, and
 * *special whether something is there that is written directly. */
static ro_status look(struct open_file *file, const char *path, struct stat *about, bool *regular,
                      bool *special)
{
    *regular = *special = false;
    if (path[0] == '\0')
        return file_fail(file, RO_E_ARGUMENT, "the output has no name");
    if (stat(path, about) != 0) {
        if (errno != ENOENT)
            return cannot_write(file);
        if (path[strlen(path) - 1] == '/')
            return file_fail(file, RO_E_IO, "is a directory, not a file name");
        return RO_OK;
    }
    if (S_ISDIR(about->st_mode))
        return file_fail(file, RO_E_IO, "is a directory, not a file name");
    if (access(path, W_OK) != 0)
        return cannot_write(file);
    *regular = S_ISREG(about->st_mode);
    *special = !*regular;
    return RO_OK;
}

ro_status sink_check(struct open_file *file, const char *path)
{
    struct stat about;
    bool regular, special;
    if (sink_is_standard(path))
        return RO_OK;
    ro_status status = look(file, path, &about, &regular, &special);
    if (status != RO_OK || regular || special)
        return status;
    char *target = follow_links(path), *folder = NULL;
    if (target) {
        size_t length = folder_length(target);
        folder = length ? strndup(target, length) : strdup(".");
    }
    if (!folder || access(folder, W_OK | X_OK) != 0)
        status = cannot_write(file);
    free(folder);
    free(target);
    return status;
}

static ro_status open_special(struct byte_sink *sink, const char *path, bool pipe)
{
    /* Opening a named pipe waits for its reader: done in steps, so that it can be cancelled. */
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (pipe ? O_NONBLOCK : 0);
    for (;;) {
        ro_status status = file_check_stop(sink->file);
        if (status != RO_OK)
            return status;
        sink->fd = open(path, flags);
        if (sink->fd >= 0)
            break;
        if (!(pipe && errno == ENXIO) && errno != EINTR)
            return cannot_write(sink->file);
        poll(NULL, 0, WAIT_MS);
    }
    sink->owned = true;
    return RO_OK;
}

static ro_status open_file(struct byte_sink *sink, const char *path)
{
    struct stat about;
    bool regular, special;
    ro_status status = look(sink->file, path, &about, &regular, &special);
    if (status != RO_OK)
        return status;
    if (special)
        return open_special(sink, path, S_ISFIFO(about.st_mode));
    if (!(sink->target = follow_links(path)))
        return cannot_write(sink->file);
    /* The new file looks like the old one, and is never open to more people than that; another
     * owner can be kept by root only. */
    sink->temporary =
        temporary_make(sink->target, regular ? about.st_mode & 0600 : 0666, &sink->fd);
    if (!sink->temporary)
        return cannot_write(sink->file);
    sink->owned = true;
    if (regular) {
        (void)!fchown(sink->fd, about.st_uid, about.st_gid);
        if (fchmod(sink->fd, about.st_mode & 0777) != 0)
            return cannot_write(sink->file);
    }
    return RO_OK;
}

ro_status sink_open(struct byte_sink *sink, struct open_file *file, const char *path)
{
    struct stat about;
    *sink = (struct byte_sink){.file = file, .fd = -1, .memory = !path, .seekable = !path};
    if (!path)
        return RO_OK;
    if (sink_is_standard(path)) {
        sink->fd = STDOUT_FILENO;
    } else {
        ro_status status = open_file(sink, path);
        if (status != RO_OK)
            return status;
    }
    if (fstat(sink->fd, &about) != 0)
        return cannot_write(file);
    sink->waits = !S_ISREG(about.st_mode);
    sink->seekable = sink->owned && lseek(sink->fd, 0, SEEK_CUR) >= 0;
#ifdef F_SETPIPE_SZ
    if (S_ISFIFO(about.st_mode))
        (void)fcntl(sink->fd, F_SETPIPE_SZ, 1 << 20); /* fewer hand-overs; may be refused */
#endif
    sink->buffer = malloc(BUFFER);
    return sink->buffer ? RO_OK : file_no_memory(file, BUFFER);
}

void sink_close(struct byte_sink *sink)
{
    if (sink->owned)
        close(sink->fd);
    packer_close(sink->packer);
    temporary_remove(sink->temporary);
    free(sink->target);
    free(sink->buffer);
    *sink = (struct byte_sink){.fd = -1};
}

/* A pipe that is ready takes PIPE_BUF bytes without waiting, and more if it has room. Room is
 * counted in pages, and a write that ends within one leaves the rest of it empty: there are a few
 * of these at a time, since what is written is long. */
static size_t pipe_room(int fd)
{
#if defined(F_GETPIPE_SZ) && defined(FIONREAD)
    enum { PAGE = 4096, SPARE = 16 * PAGE };
    int used = 0;
    const int size = fcntl(fd, F_GETPIPE_SZ);
    if (size > 0 && ioctl(fd, FIONREAD, &used) == 0 && size - used > SPARE + PAGE)
        return (size_t)(size - used - SPARE) / PAGE * PAGE;
#else
    (void)fd;
#endif
    return PIPE_BUF;
}

static ro_status write_all(struct byte_sink *sink, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ro_status status = file_check_stop(sink->file);
        if (status != RO_OK)
            return status;
        size_t part = size < LONGEST_WRITE ? size : LONGEST_WRITE;
        if (sink->waits) {
            struct pollfd poll_out = {sink->fd, POLLOUT, 0};
            int ready = poll(&poll_out, 1, WAIT_MS);
            if (ready == 0 || (ready < 0 && errno == EINTR))
                continue;
            if (poll_out.revents & POLLERR) { /* said here, before a write can raise SIGPIPE */
                errno = EPIPE;
                return cannot_write(sink->file);
            }
            const size_t room = pipe_room(sink->fd);
            part = part < room ? part : room;
        }
        ssize_t count = write(sink->fd, bytes, part);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count < 0)
            return cannot_write(sink->file);
        bytes += count;
        size -= (size_t)count;
    }
    return RO_OK;
}

static ro_status flush(struct byte_sink *sink)
{
    size_t size = sink->used;
    sink->used = 0;
    return write_all(sink, sink->buffer, size);
}

/* Starts writing to the disk early, so that the flush at the end has less to wait for. */
static void flush_ahead(struct byte_sink *sink)
{
#ifdef __linux__
    enum { STEP = 1 << 23 };
    if (!sink->temporary || sink->position < sink->flushed + STEP)
        return;
    (void)sync_file_range(sink->fd, (off_t)sink->flushed, (off_t)(sink->position - sink->flushed),
                          SYNC_FILE_RANGE_WRITE);
    sink->flushed = sink->position;
#else
    (void)sink;
#endif
}

static ro_status keep(struct byte_sink *sink, const void *bytes, size_t size)
{
    uint64_t at = sink->position;
    sink->position += size;
    if (at >= sink->hole && at - sink->hole < sink->hole_bytes)
        return RO_OK;
    if (at >= sink->hole)
        at -= sink->hole_bytes;
    if (size > SIZE_MAX / 4 || at > SIZE_MAX / 4)
        return file_no_memory(sink->file, at);
    if (at + size > sink->room) {
        const size_t room = 2 * ((size_t)at + size) + BUFFER;
        uint8_t *more = realloc(sink->buffer, room);
        if (!more)
            return file_no_memory(sink->file, room);
        sink->buffer = more;
        sink->room = room;
    }
    if (at > sink->used) /* as a file has it where nothing was written */
        memset(sink->buffer + sink->used, 0, (size_t)at - sink->used);
    memcpy(sink->buffer + at, bytes, size);
    if (at + size > sink->used)
        sink->used = (size_t)at + size;
    return RO_OK;
}

static ro_status put(struct byte_sink *sink, const void *bytes, size_t size)
{
    ro_status status = RO_OK;
    if (sink->memory)
        return keep(sink, bytes, size);
    if (size > BUFFER - sink->used)
        status = flush(sink);
    if (status == RO_OK && size >= BUFFER) {
        status = write_all(sink, bytes, size);
    } else if (status == RO_OK) {
        memcpy(sink->buffer + sink->used, bytes, size);
        sink->used += size;
    }
    sink->position += size;
    if (status == RO_OK)
        flush_ahead(sink);
    return status;
}

/* CRC-32, four bits at a time. */
static uint32_t summed(uint32_t sum, const uint8_t *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    sum = ~sum;
    for (size_t i = 0; i < size; i++) {
        sum = table[(sum ^ bytes[i]) & 15] ^ sum >> 4;
        sum = table[(sum ^ bytes[i] >> 4) & 15] ^ sum >> 4;
    }
    return ~sum;
}

ro_status sink_write(struct byte_sink *sink, const void *bytes, size_t size)
{
    if (sink->summed)
        sink->checksum = summed(sink->checksum, bytes, size);
    return sink->packer ? packer_write(sink->packer, sink, put, bytes, size)
                        : put(sink, bytes, size);
}

void sink_print(struct byte_sink *sink, ro_status *status, const char *format, ...)
{
    char line[512], *text = line;
    va_list list;
    if (*status != RO_OK)
        return;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length >= (int)sizeof line && (text = malloc((size_t)length + 1))) {
        va_start(list, format);
        vsnprintf(text, (size_t)length + 1, format, list);
        va_end(list);
    }
    if (length < 0)
        *status = sink_cannot(sink, errno);
    else
        *status = text ? sink_write(sink, text, (size_t)length)
                       : file_no_memory(sink->file, (size_t)length + 1);
    if (text != line)
        free(text);
}

ro_status sink_pack(struct byte_sink *sink)
{
    sink->seekable = false; /* nothing that is packed is written twice */
    return packer_open(&sink->packer, sink->file);
}

ro_status sink_seek(struct byte_sink *sink, uint64_t position)
{
    if (position == sink->position)
        return RO_OK;
    if (sink->memory) {
        sink->position = position;
        return RO_OK;
    }
    ro_status status = flush(sink);
    if (status != RO_OK)
        return status;
    if (!sink->seekable || position > INT64_MAX)
        return file_fail(sink->file, RO_E_IO, "cannot be written at another position");
    if (lseek(sink->fd, (off_t)position, SEEK_SET) < 0)
        return cannot_write(sink->file);
    sink->position = position;
    return RO_OK;
}

bool sink_plain(const struct byte_sink *sink)
{
    return sink->temporary && sink->seekable && !sink->packer && !sink->summed;
}

int sink_put(const struct byte_sink *sink, uint64_t position, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count =
            pwrite(sink->fd, (const uint8_t *)bytes + done, size - done, (off_t)(position + done));
        if (count < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        done += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

ro_status sink_cannot(struct byte_sink *sink, int error)
{
    errno = error;
    return cannot_write(sink->file);
}

ro_status sink_read(struct byte_sink *sink, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (!sink->seekable)
        return file_fail(sink->file, RO_E_IO, "cannot be read while it is written");
    ro_status status = flush(sink);
    while (*got < size && status == RO_OK) {
        const ssize_t count =
            pread(sink->fd, (char *)bytes + *got, size - *got, (off_t)(sink->position + *got));
        if (count == 0)
            break;
        if (count > 0)
            *got += (size_t)count;
        else if (errno != EINTR)
            status = cannot_write(sink->file);
    }
    return status == RO_OK ? sink_seek(sink, sink->position + *got) : status;
}

ro_status sink_complete(struct byte_sink *sink)
{
    if (sink->memory || sink->complete)
        return RO_OK;
    ro_status status = sink->packer ? packer_finish(sink->packer, sink, put) : RO_OK;
    if (status == RO_OK)
        status = flush(sink);
    if (status != RO_OK)
        return status;
    if (sink->temporary && fsync(sink->fd) != 0)
        return cannot_write(sink->file);
    if (sink->owned) {
        sink->owned = false;
        if (close(sink->fd) != 0) /* some file systems tell of a full disk only here */
            return cannot_write(sink->file);
    }
    free(sink->buffer);
    sink->buffer = NULL;
    sink->complete = true;
    return RO_OK;
}

ro_status sink_commit(struct byte_sink *sink)
{
    ro_status status = sink_complete(sink);
    if (status != RO_OK)
        return status;
    if (sink->temporary) {
        if ((status = file_check_stop(sink->file)) != RO_OK)
            return status;
        struct temporary_file *temporary = sink->temporary;
        sink->temporary = NULL;
        status = commit_file(sink->file, temporary, sink->target);
    }
    return status;
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "io/bytes/source.h"

#include "io/bytes/commit.h"
#include "io/bytes/inflate.h"
#include "io/bytes/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER = 1 << 16,
    FIRST_ROOM = 4096,
    SHARED_READ = 1 << 20,
    LONGEST_READ = 1 << 24, /* so that cancellation is noticed */
    WAIT_MS = 100,
};

ro_status source_open(struct byte_source *source, struct open_file *file, const char *path)
{
    struct stat about;
    *source = (struct byte_source){.file = file, .fd = STDIN_FILENO, .size = RO_SIZE_UNKNOWN};
    if (strcmp(path, "-") != 0) {
        const char *place = commit_place(file->context, path);
        if (!place)
            return file_no_memory(file, 1);
        /* Without O_NONBLOCK, opening a named pipe waits for its writer and cannot be cancelled. */
        source->fd = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (source->fd < 0)
            return file_fail(file, RO_E_IO, "cannot be opened: %s", strerror(errno));
        source->owned = true;
    }
    if (fstat(source->fd, &about) != 0)
        return file_fail(file, RO_E_IO, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return file_fail(file, RO_E_IO, "is a directory, not a file");
    if (S_ISREG(about.st_mode)) {
        off_t here = lseek(source->fd, 0, SEEK_CUR);
        source->size = (uint64_t)about.st_size;
        source->seekable = here >= 0;
        source->position = here > 0 ? (uint64_t)here : 0;
        (void)posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else {
        source->waits = true;
#ifdef F_SETPIPE_SZ
        (void)fcntl(source->fd, F_SETPIPE_SZ, 1 << 20); /* fewer hand-overs; may be refused */
#endif
    }
    source->bytes = source->buffer = malloc(BUFFER);
    return source->buffer ? RO_OK : file_no_memory(file, BUFFER);
}

void source_open_memory(struct byte_source *source, struct open_file *file, const void *bytes,
                        size_t size)
{
    *source = (struct byte_source){
        .file = file, .fd = -1, .seekable = true, .size = size, .bytes = bytes, .end = size};
}

void source_close(struct byte_source *source)
{
    readers_close(source->readers);
    packed_close(source->packed);
    free(source->buffer);
    if (source->owned)
        close(source->fd);
    *source = (struct byte_source){.fd = -1};
}

bool source_plain(const struct byte_source *source)
{
    return source->fd >= 0 && source->seekable && !source->waits && !source->packed;
}

void source_share(struct byte_source *source, int threads)
{
    if (source_plain(source) && !source->readers)
        source->readers = readers_open(threads);
}

/* A long read by several threads, which leaves the file behind what was read. */
static ro_status read_together(struct byte_source *source, uint8_t *bytes, size_t size, size_t *got)
{
    ro_status status = file_check_stop(source->file);
    if (status != RO_OK)
        return status;
    int error = readers_read(source->readers, source->fd, source->position, bytes,
                             size < LONGEST_READ ? size : LONGEST_READ, got);
    if (!error && lseek(source->fd, (off_t)(source->position + *got), SEEK_SET) < 0)
        error = errno;
    return error ? file_fail(source->file, RO_E_IO, "cannot be read: %s", strerror(error)) : RO_OK;
}

/* One read from the system; *got is 0 at the end of the file. */
static ro_status read_some(struct byte_source *source, uint8_t *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (source->packed)
        return packed_read(source->packed, source->file, bytes, size, got);
    if (source->fd < 0)
        return RO_OK;
    for (;;) {
        ro_status status = file_check_stop(source->file);
        if (status != RO_OK)
            return status;
        if (source->waits) {
            struct pollfd poll_in = {source->fd, POLLIN, 0};
            int ready = poll(&poll_in, 1, WAIT_MS);
            if (ready == 0 || (ready < 0 && errno == EINTR))
                continue;
        }
        ssize_t count = read(source->fd, bytes, size < LONGEST_READ ? size : LONGEST_READ);
        if (count >= 0) {
            *got = (size_t)count;
            return RO_OK;
        }
        if (errno != EINTR && errno != EAGAIN)
            return file_fail(source->file, RO_E_IO, "cannot be read: %s", strerror(errno));
    }
}

ro_status source_peek(struct byte_source *source, size_t want, size_t *have)
{
    if (source->buffer && source->end - source->begin < want) {
        memmove(source->buffer, source->buffer + source->begin, source->end - source->begin);
        source->end -= source->begin;
        source->begin = 0;
    }
    while (source->buffer && source->end < want) {
        size_t got;
        ro_status status =
            read_some(source, source->buffer + source->end, BUFFER - source->end, &got);
        if (status != RO_OK)
            return status;
        if (got == 0)
            break;
        source->end += got;
    }
    *have = source->end - source->begin;
    return RO_OK;
}

ro_status source_read(struct byte_source *source, void *bytes, size_t size, size_t *got)
{
    uint8_t *to = bytes;
    *got = 0;
    while (*got < size) {
        size_t left = size - *got, ready = source->end - source->begin;
        ro_status status;
        if (ready > 0) {
            size_t part = ready < left ? ready : left;
            memcpy(to + *got, source->bytes + source->begin, part);
            source->begin += part;
            source->position += part;
            *got += part;
        } else if (left >= BUFFER) {
            size_t part;
            if (source->readers && left >= SHARED_READ)
                status = read_together(source, to + *got, left, &part);
            else
                status = read_some(source, to + *got, left, &part);
            if (status != RO_OK)
                return status;
            if (part == 0)
                break;
            if (source->buffer)
                source->begin = source->end = 0; /* the buffer is no longer what lies before */
            source->position += part;
            *got += part;
        } else {
            if ((status = source_peek(source, 1, &ready)) != RO_OK)
                return status;
            if (ready == 0)
                break;
        }
    }
    return RO_OK;
}

ro_status source_need(struct byte_source *source, void *bytes, size_t size)
{
    size_t got;
    ro_status status = source_read(source, bytes, size, &got);
    if (status == RO_OK && got < size)
        status = file_ends_early(source->file);
    return status;
}

/* Room for as much again as there is, whatever size the file claims; and a byte behind. */
static ro_status grow(struct open_file *file, char **bytes, size_t *room, size_t most)
{
    size_t wanted = *room ? 2 * *room : FIRST_ROOM;
    wanted = wanted < most + 1 ? wanted : most + 1; /* one more tells that there is more */
    char *more = realloc(*bytes, wanted + 1);
    if (!more)
        return file_no_memory(file, wanted);
    *bytes = more;
    *room = wanted;
    return RO_OK;
}

ro_status source_all(struct byte_source *source, size_t most, char **bytes, size_t *size)
{
    size_t room = 0, got = 1;
    ro_status status = RO_OK;
    *bytes = NULL;
    *size = 0;
    while (status == RO_OK && got > 0 && *size <= most) {
        if (*size == room)
            status = grow(source->file, bytes, &room, most);
        if (status == RO_OK)
            status = source_read(source, *bytes + *size, room - *size, &got);
        *size += status == RO_OK ? got : 0;
    }
    if (status == RO_OK && *size > most)
        status =
            file_fail(source->file, RO_E_FORMAT, "is larger than the limit of %zu bytes", most);
    if (status == RO_OK) {
        (*bytes)[*size] = '\0';
        return RO_OK;
    }
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    return status;
}

ro_status source_seek(struct byte_source *source, uint64_t position)
{
    uint64_t start = source->position - source->begin; /* of bytes[0] */
    if (position == 0 && source->packed && source_rewinds(source))
        return packed_rewind(source);
    if (position >= start && position - start <= source->end) {
        source->begin = (size_t)(position - start);
        source->position = position;
        return RO_OK;
    }
    if (!source->seekable || position > INT64_MAX)
        return file_fail(source->file, RO_E_IO, "cannot be read at another position");
    if (source->fd < 0) {
        source->begin = source->end; /* past the end of memory: nothing more comes */
        source->position = source->size;
        return RO_OK;
    }
    if (lseek(source->fd, (off_t)position, SEEK_SET) < 0)
        return file_fail(source->file, RO_E_IO, "cannot be read: %s", strerror(errno));
    source->begin = source->end = 0;
    source->position = position;
    return RO_OK;
}

bool source_rewinds(const struct byte_source *source)
{
    return source->packed ? packed_rewinds(source->packed) : source->seekable;
}

ro_status source_skip(struct byte_source *source, uint64_t count)
{
    if (source->seekable) {
        if (source_left(source) < count)
            return file_ends_early(source->file);
        return source_seek(source, source->position + count);
    }
    while (count > 0) {
        size_t ready;
        ro_status status = source_peek(source, 1, &ready);
        if (status != RO_OK)
            return status;
        if (ready == 0)
            return file_ends_early(source->file);
        size_t part = count < ready ? (size_t)count : ready;
        source->begin += part;
        source->position += part;
        count -= part;
    }
    return RO_OK;
}

uint64_t source_left(const struct byte_source *source)
{
    if (source->size == RO_SIZE_UNKNOWN)
        return RO_SIZE_UNKNOWN;
    return source->size > source->position ? source->size - source->position : 0;
}

int source_refill_byte(struct byte_source *source, ro_status *status)
{
    size_t ready;
    *status = source_peek(source, 1, &ready);
    if (*status != RO_OK || ready == 0)
        return -1;
    source->position++;
    return source->bytes[source->begin++];
}

ro_status source_line(struct byte_source *source, char *line, size_t size)
{
    ro_status status = RO_OK;
    size_t length = 0;
    int byte;
    while ((byte = source_byte(source, &status)) >= 0 && byte != '\n') {
        if (length + 1 == size || byte == 0)
            return file_fail(source->file, RO_E_FORMAT,
                             "a line of the header is too long or has a byte 0");
        line[length++] = (char)byte;
    }
    if (status == RO_OK && byte < 0 && length == 0)
        return file_ends_early(source->file);
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    return status;
}

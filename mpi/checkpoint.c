/* SPDX-License-Identifier: MIT */
#include "checkpoint.h"
#include "roundoff/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { RECORD = 4096, FIRST = 2 * RECORD };

static const uint64_t magic = UINT64_C(0x32696b63616d7472); /* the form of this file */

static uint64_t carried_at(const struct checkpoint_record *record, uint64_t turn)
{
    const uint64_t sizes = (record->parts * sizeof(uint64_t) + RECORD - 1) / RECORD * RECORD;
    const uint64_t bytes = (record->carried * sizeof(int32_t) + RECORD - 1) / RECORD * RECORD;
    return FIRST + sizes + (turn & 1) * bytes;
}

static bool put(int fd, const void *bytes, size_t size, uint64_t at)
{
    for (const char *from = bytes; size > 0;) {
        const ssize_t done = pwrite(fd, from, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

static bool get(int fd, void *bytes, size_t size, uint64_t at)
{
    for (char *to = bytes; size > 0;) {
        const ssize_t done = pread(fd, to, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return false;
        to += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

static ro_status failed(const struct checkpoint *checkpoint)
{
    return ro_context_fail(checkpoint->ranks->context, RO_E_IO, "checkpoint %s: %s",
                           checkpoint->path, strerror(errno));
}

static uint64_t mark_of_record(const struct checkpoint_record *record)
{
    return mark_of(record, offsetof(struct checkpoint_record, own_mark), 0);
}

/* The later of the whole records; false: there is none. */
static bool find_record(int fd, struct checkpoint_record *found)
{
    bool any = false;
    for (uint64_t turn = 0; turn < 2; turn++) {
        struct checkpoint_record record;
        if (!get(fd, &record, sizeof record, turn * RECORD) || record.magic != magic ||
            record.own_mark != mark_of_record(&record) || (any && record.next <= found->next))
            continue;
        *found = record;
        any = true;
    }
    return any;
}

/* Nothing has been made yet. */
static bool put_first(struct checkpoint *checkpoint, const struct checkpoint_record *wanted)
{
    struct checkpoint_record *record = &checkpoint->record;
    *record = *wanted;
    record->magic = magic;
    record->own_mark = mark_of_record(record);
    return put(checkpoint->fd, record, sizeof *record, 0) && fdatasync(checkpoint->fd) == 0;
}

/* A run that was killed before it could say anything. */
static bool is_empty(int fd)
{
    uint8_t byte;
    return pread(fd, &byte, 1, 0) == 0;
}

/* Two runs would write over each other. Where the file system has no locks, nobody can tell. */
static ro_status lock(const struct checkpoint *checkpoint)
{
    if (flock(checkpoint->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return RO_OK;
    return ro_context_fail(checkpoint->ranks->context, RO_E_IO,
                           "checkpoint %s is in use by another run", checkpoint->path);
}

static ro_status resume_from(struct checkpoint *checkpoint, const struct checkpoint_record *wanted)
{
    struct checkpoint_record *record = &checkpoint->record;
    ro_context *context = checkpoint->ranks->context;
    checkpoint->fd = open(checkpoint->path, O_RDWR | O_CLOEXEC);
    if (checkpoint->fd < 0)
        return failed(checkpoint);
    const ro_status locked = lock(checkpoint);
    if (locked != RO_OK)
        return locked;
    if (is_empty(checkpoint->fd))
        return put_first(checkpoint, wanted) ? RO_OK : failed(checkpoint);
    if (!find_record(checkpoint->fd, record))
        return ro_context_fail(context, RO_E_FORMAT, "%s is not a checkpoint", checkpoint->path);
    if (record->mark != wanted->mark || record->carried != wanted->carried ||
        record->parts != wanted->parts)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "checkpoint %s is of another run: input and options must be the "
                               "same",
                               checkpoint->path);
    return RO_OK;
}

static ro_status begin_new(struct checkpoint *checkpoint, const struct checkpoint_record *wanted)
{
    checkpoint->fd = open(checkpoint->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const ro_status locked = checkpoint->fd >= 0 ? lock(checkpoint) : RO_OK;
    if (locked != RO_OK)
        return locked;
    if (checkpoint->fd >= 0 && !is_empty(checkpoint->fd) &&
        !find_record(checkpoint->fd, &checkpoint->record))
        return ro_context_fail(checkpoint->ranks->context, RO_E_ARGUMENT,
                               "%s is there and is not a checkpoint: it stays as it is",
                               checkpoint->path);
    if (checkpoint->record.mark == wanted->mark)
        memcpy(checkpoint->replaced, checkpoint->record.part, sizeof checkpoint->replaced);
    return checkpoint->fd >= 0 && ftruncate(checkpoint->fd, 0) == 0 && put_first(checkpoint, wanted)
               ? RO_OK
               : failed(checkpoint);
}

ro_status checkpoint_open(struct checkpoint *checkpoint, const struct ranks *ranks,
                          const char *path, bool resume, const struct checkpoint_record *record)
{
    *checkpoint = (struct checkpoint){.ranks = ranks, .path = path, .fd = -1};
    ro_status status = RO_OK;
    if (ranks->rank == 0)
        status = resume ? resume_from(checkpoint, record) : begin_new(checkpoint, record);
    status = ranks_agree(ranks, status);
    if (status != RO_OK)
        return status;
    if (ranks->rank > 0 && (checkpoint->fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
        status = failed(checkpoint);
    MPI_Bcast(&checkpoint->record, sizeof checkpoint->record, MPI_BYTE, 0, ranks->comm);
    return ranks_agree(ranks, status);
}

ro_status checkpoint_note(struct checkpoint *checkpoint, const char *part)
{
    struct checkpoint_record *record = &checkpoint->record;
    memset(record->part, 0, sizeof record->part);
    snprintf(record->part, sizeof record->part, "%s", part);
    record->own_mark = mark_of_record(record);
    if (checkpoint->ranks->rank > 0 || record->next > 0)
        return RO_OK;
    return put(checkpoint->fd, record, sizeof *record, 0) && fdatasync(checkpoint->fd) == 0
               ? RO_OK
               : failed(checkpoint);
}

ro_status checkpoint_save(struct checkpoint *checkpoint, uint64_t next, uint64_t place,
                          const uint64_t *sizes, uint64_t part, uint64_t parts,
                          const int32_t *carried)
{
    struct checkpoint_record record = checkpoint->record;
    const size_t bytes = carried ? record.carried * sizeof *carried : 0;
    record.next = next;
    record.place = place;
    record.carried_mark = mark_of(carried, bytes, 0);
    record.own_mark = mark_of_record(&record);
    const int fd = checkpoint->fd;
    if ((sizes && !put(fd, sizes, parts * sizeof *sizes, FIRST + part * sizeof *sizes)) ||
        (bytes && !put(fd, carried, bytes, carried_at(&record, next))) || fdatasync(fd) != 0 ||
        !put(fd, &record, sizeof record, (next & 1) * RECORD) || fdatasync(fd) != 0)
        return failed(checkpoint);
    return RO_OK;
}

ro_status checkpoint_sizes(const struct checkpoint *checkpoint, uint64_t *sizes, uint64_t parts)
{
    return get(checkpoint->fd, sizes, parts * sizeof *sizes, FIRST) ? RO_OK : failed(checkpoint);
}

ro_status checkpoint_carried(const struct checkpoint *checkpoint, int32_t *carried)
{
    const struct checkpoint_record *record = &checkpoint->record;
    const size_t bytes = record->carried * sizeof *carried;
    if (!get(checkpoint->fd, carried, bytes, carried_at(record, record->next)))
        return failed(checkpoint);
    if (mark_of(carried, bytes, 0) != record->carried_mark)
        return ro_context_fail(checkpoint->ranks->context, RO_E_FORMAT, "checkpoint %s is damaged",
                               checkpoint->path);
    return RO_OK;
}

void checkpoint_close(struct checkpoint *checkpoint, bool done)
{
    if (checkpoint->fd >= 0)
        close(checkpoint->fd);
    if (done && checkpoint->ranks->rank == 0)
        unlink(checkpoint->path);
    checkpoint->fd = -1;
}

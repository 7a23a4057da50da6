/* SPDX-License-Identifier: MIT */
/*
 * An archive of one NPY array, as numpy.savez writes it: the member is stored as it is, so that it
 * goes out as it comes in. Its size is known before, its checksum is not and follows behind it.
 * file.npz:name gives the member its name; without one it is arr_0, NumPy's own.
 */
#include "io/arrays/array.h"
#include "io/bytes/inflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLLOWS = 8 /* the checksum does */, UTF8 = 2048, LONGEST_NAME = 200, ROOM = 512 };

struct npz {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct row_encoder *array;
    struct byte_sink *sink;
    char name[LONGEST_NAME + 8];
    uint64_t begin, start; /* of the member and of its bytes */
    bool wide;             /* it needs numbers of 64 bits */
};

static const char *name_of(const char *member) { return member ? member : "arr_0"; }

ro_status npz_alone(struct byte_source *source, const char *member)
{
    char others[160];
    size_t have = 0;
    ro_status status = source_peek(source, 2, &have);
    if (status != RO_OK || have < 2 || memcmp(source->bytes + source->begin, "PK", 2) != 0)
        return status;
    status = zip_others(source, name_of(member), others, sizeof others);
    if (status == RO_OK && *others)
        status = file_fail(source->file, RO_E_ARGUMENT,
                           "the archive is there and holds other arrays (%s), which would be "
                           "lost: one that is written has one member; choose a new name",
                           others);
    return status;
}

/* ---- Records, little-endian ------------------------------------------------------------------ */

struct record {
    uint8_t bytes[ROOM];
    size_t used;
};

static void put(struct record *record, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        record->bytes[record->used++] = (uint8_t)(value >> 8 * i);
}

static void put_name(struct record *record, const char *name)
{
    memcpy(record->bytes + record->used, name, strlen(name));
    record->used += strlen(name);
}

/* What a member's two headers have in common; what does not fit is in the extra field. */
static void put_member(struct record *record, const struct npz *self, uint32_t checksum,
                       uint64_t size, int extra)
{
    put(record, self->wide ? 45 : 20, 2); /* the version that reads it */
    put(record, FOLLOWS | UTF8, 2);
    put(record, 0, 2);  /* stored */
    put(record, 0, 2);  /* midnight, */
    put(record, 33, 2); /* 1 January 1980 */
    put(record, checksum, 4);
    put(record, self->wide ? UINT32_MAX : size, 4);
    put(record, self->wide ? UINT32_MAX : size, 4);
    put(record, strlen(self->name), 2);
    put(record, self->wide ? (uint64_t)extra : 0, 2);
}

static void put_extra(struct record *record, const struct npz *self, uint64_t size)
{
    if (!self->wide)
        return;
    put(record, 1, 2);
    put(record, 16, 2);
    put(record, size, 8);
    put(record, size, 8);
}

static ro_status begin_member(struct npz *self)
{
    struct record record = {.used = 0};
    put(&record, 0x04034b50, 4);
    put_member(&record, self, 0, 0, 20);
    put_name(&record, self->name);
    put_extra(&record, self, 0);
    self->begin = self->sink->position;
    return sink_write(self->sink, record.bytes, record.used);
}

/* The end in 64 bits, and where it is. */
static void put_wide_end(struct record *record, uint64_t directory, uint64_t end)
{
    put(record, 0x06064b50, 4);
    put(record, 44, 8);
    put(record, 45, 2);
    put(record, 45, 2);
    put(record, 0, 4);
    put(record, 0, 4);
    put(record, 1, 8);
    put(record, 1, 8);
    put(record, end - directory, 8);
    put(record, directory, 8);
    put(record, 0x07064b50, 4);
    put(record, 0, 4);
    put(record, end, 8);
    put(record, 1, 4);
}

static ro_status end_archive(struct npz *self, uint32_t checksum)
{
    const uint64_t size = self->sink->position - self->start;
    struct record record = {.used = 0};
    put(&record, 0x08074b50, 4);
    put(&record, checksum, 4);
    put(&record, size, self->wide ? 8 : 4);
    put(&record, size, self->wide ? 8 : 4);
    const uint64_t directory = self->sink->position + record.used;
    put(&record, 0x02014b50, 4);
    put(&record, self->wide ? 45 : 20, 2);
    put_member(&record, self, checksum, size, 20);
    put(&record, 0, 2); /* no comment, the first disk, no attributes */
    put(&record, 0, 2);
    put(&record, 0, 2);
    put(&record, 0, 4);
    put(&record, self->begin, 4); /* the first bytes of the file */
    put_name(&record, self->name);
    put_extra(&record, self, size);
    const uint64_t end = self->sink->position + record.used;
    if (self->wide)
        put_wide_end(&record, directory, end);
    put(&record, 0x06054b50, 4);
    put(&record, 0, 2);
    put(&record, 0, 2);
    put(&record, 1, 2);
    put(&record, 1, 2);
    put(&record, end - directory, 4);
    put(&record, self->wide ? UINT32_MAX : directory, 4);
    put(&record, 0, 2);
    return sink_write(self->sink, record.bytes, record.used);
}

/* ---- The encoder ----------------------------------------------------------------------------- */

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct npz *self = (struct npz *)encoder;
    return self->array->rows(self->array, rows, stride, count);
}

static ro_status finish(struct row_encoder *encoder)
{
    struct npz *self = (struct npz *)encoder;
    const ro_status status = self->array->finish(self->array);
    const uint32_t checksum = self->sink->checksum;
    self->sink->summed = false;
    return status == RO_OK ? end_archive(self, checksum) : status;
}

static void close_encoder(struct row_encoder *encoder)
{
    struct npz *self = (struct npz *)encoder;
    if (self->array)
        self->array->close(self->array);
    free(self);
}

ro_status npz_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    const char *name = name_of(sink->member);
    struct npz *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = finish, .close = close_encoder};
    self->sink = sink;
    *encoder = &self->encoder;
    if (*name == '/') /* others take it for a place outside */
        return file_fail(sink->file, RO_E_ARGUMENT, "'%s' is not the name of an array in a file",
                         name);
    if (strlen(name) > LONGEST_NAME)
        return file_fail(sink->file, RO_E_ARGUMENT, "a member's name has %d letters at most",
                         LONGEST_NAME);
    const size_t length = strlen(name);
    const bool whole = length > 4 && strcmp(name + length - 4, ".npy") == 0;
    snprintf(self->name, sizeof self->name, "%s%s", name, whole ? "" : ".npy");
    const struct array_file array = array_of(info);
    double bytes = (double)array.width * (double)array.height * array.channels * array.bytes;
    for (int i = 0; i < array.outer_count; i++)
        bytes *= (double)array.outer[i];
    self->wide = bytes > 0xfff00000; /* with room for all else */
    ro_status status = begin_member(self);
    self->start = sink->position;
    sink->checksum = 0;
    sink->summed = true;
    return status == RO_OK ? npy_encode(sink, info, options, &self->array) : status;
}

/* SPDX-License-Identifier: MIT */
#include "io/bytes/inflate.h"

#include <stdlib.h>
#include <string.h>
#if RO_WITH_ZLIB
#include <zlib.h>
#endif

enum { BUFFER = 1 << 16 };

struct inflater {
    struct byte_source inner;
    enum packing packing;
    uint64_t start, size, left; /* of the packed bytes; RO_SIZE_UNKNOWN: to the end */
#if RO_WITH_ZLIB
    z_stream zlib;
    bool ended; /* of the last gzip member, or of the deflated bytes */
#endif
    uint8_t bytes[BUFFER];
};

static ro_status read_packed(struct inflater *packed, uint8_t *bytes, size_t size, size_t *got)
{
    if (size > packed->left)
        size = (size_t)packed->left;
    ro_status status = source_read(&packed->inner, bytes, size, got);
    if (status == RO_OK && packed->left != RO_SIZE_UNKNOWN)
        packed->left -= *got;
    return status;
}

#if RO_WITH_ZLIB

static ro_status damaged(struct open_file *file)
{
    return file_fail(file, RO_E_FORMAT, "its compressed data is damaged");
}

static ro_status start_zlib(struct inflater *packed, struct open_file *file)
{
    packed->zlib = (z_stream){0};
    packed->ended = false;
    if (inflateInit2(&packed->zlib, packed->packing == RO_DEFLATED ? -15 : 15 + 16) != Z_OK)
        return file_no_memory(file, 1 << 15);
    return RO_OK;
}

/* At the end of the packed bytes; a gzip file may be several, one behind another. */
static ro_status go_on(struct inflater *packed, struct open_file *file)
{
    size_t have = packed->zlib.avail_in;
    ro_status status = RO_OK;
    packed->ended = true;
    if (packed->packing == RO_DEFLATED)
        return RO_OK;
    if (have == 0)
        status = source_peek(&packed->inner, 1, &have);
    if (status != RO_OK || have == 0)
        return status;
    packed->ended = false;
    return inflateReset(&packed->zlib) == Z_OK ? RO_OK : damaged(file);
}

static ro_status inflate_some(struct inflater *packed, struct open_file *file, uint8_t *bytes,
                              size_t size, size_t *got)
{
    z_stream *zlib = &packed->zlib;
    const uInt room = (uInt)(size < INT32_MAX ? size : INT32_MAX);
    ro_status status = RO_OK;
    zlib->next_out = bytes;
    zlib->avail_out = room;
    while (zlib->avail_out == room && !packed->ended && status == RO_OK) {
        size_t more = 0;
        if (zlib->avail_in == 0) {
            status = read_packed(packed, packed->bytes, BUFFER, &more);
            zlib->next_in = packed->bytes;
            zlib->avail_in = (uInt)more;
            if (status == RO_OK && more == 0)
                status = file_ends_early(file);
        }
        if (status != RO_OK)
            break;
        const int result = inflate(zlib, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            status = go_on(packed, file);
        else if (result != Z_OK)
            status = damaged(file);
    }
    *got = room - zlib->avail_out;
    const uint64_t ratio = ro_context_limits(file->context)->ratio;
    if (status == RO_OK && zlib->total_out > RO_SMALL_ENOUGH &&
        zlib->total_out / ratio > zlib->total_in)
        status = file_unpacks(file, ratio);
    return status;
}

#endif

ro_status packed_read(struct inflater *packed, struct open_file *file, uint8_t *bytes, size_t size,
                      size_t *got)
{
    *got = 0;
    ro_status status = file_check_stop(file);
    if (status != RO_OK)
        return status;
#if RO_WITH_ZLIB
    if (packed->packing != RO_STORED)
        return inflate_some(packed, file, bytes, size, got);
#endif
    return read_packed(packed, bytes, size, got);
}

bool packed_rewinds(const struct inflater *packed) { return source_rewinds(&packed->inner); }

ro_status packed_rewind(struct byte_source *source)
{
    struct inflater *packed = source->packed;
    if (packed->packing == RO_GZIP_WITHIN) {
        const struct byte_source inner = packed->inner;
        packed->inner = (struct byte_source){.fd = -1};
        source_close(source);
        *source = inner;
        return source_seek(source, 0);
    }
    source->begin = source->end = 0;
    source->position = 0;
    ro_status status = source_seek(&packed->inner, packed->start);
    packed->left = packed->size;
#if RO_WITH_ZLIB
    if (packed->packing != RO_STORED) {
        inflateEnd(&packed->zlib);
        if (status == RO_OK)
            status = start_zlib(packed, packed->inner.file);
    }
#endif
    return status;
}

void packed_close(struct inflater *packed)
{
    if (!packed)
        return;
#if RO_WITH_ZLIB
    if (packed->packing != RO_STORED)
        inflateEnd(&packed->zlib);
#endif
    source_close(&packed->inner);
    free(packed);
}

ro_status source_unpack_from(struct byte_source *source, enum packing packing, uint64_t start,
                             uint64_t packed_size, uint64_t size)
{
#if !RO_WITH_ZLIB
    if (packing != RO_STORED)
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "this build has no zlib and cannot read compressed files");
#endif
    ro_status status = source->position == start ? RO_OK : source_seek(source, start);
    struct inflater *packed = status == RO_OK ? calloc(1, sizeof *packed) : NULL;
    uint8_t *buffer = malloc(BUFFER);
    if (status != RO_OK || !packed || !buffer) {
        free(packed);
        free(buffer);
        return status != RO_OK ? status : file_no_memory(source->file, sizeof *packed);
    }
    packed->packing = packing;
    packed->start = start;
    packed->size = packed->left = packed_size;
#if RO_WITH_ZLIB
    if (packing != RO_STORED && (status = start_zlib(packed, source->file)) != RO_OK) {
        free(packed);
        free(buffer);
        return status;
    }
#endif
    packed->inner = *source;
    *source = (struct byte_source){.file = packed->inner.file,
                                   .fd = -1,
                                   .size = size,
                                   .buffer = buffer,
                                   .bytes = buffer,
                                   .packed = packed};
    return RO_OK;
}

ro_status source_unpack(struct byte_source *source, const char *member)
{
    size_t have;
    ro_status status = source_peek(source, 4, &have);
    if (status != RO_OK)
        return status;
    const uint8_t *head = source->bytes + source->begin;
    if (have >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return zip_open(source, member);
    if (have >= 3 && memcmp(head, "\x1f\x8b\x08", 3) == 0)
        status =
            source_unpack_from(source, RO_GZIP, source->position, RO_SIZE_UNKNOWN, RO_SIZE_UNKNOWN);
    return status;
}

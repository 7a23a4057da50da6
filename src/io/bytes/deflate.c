/* SPDX-License-Identifier: MIT */
#include "io/bytes/deflate.h"

#include <stdlib.h>

#if RO_WITH_ZLIB

#include <zlib.h>

enum { BUFFER = 1 << 16, LEVEL = 4 /* noise hardly packs; slower ones gain little */ };

struct deflater {
    z_stream zlib;
    uint8_t bytes[BUFFER];
};

ro_status packer_open(struct deflater **packer, struct open_file *file)
{
    *packer = calloc(1, sizeof **packer);
    if (*packer &&
        deflateInit2(&(*packer)->zlib, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return RO_OK;
    free(*packer);
    *packer = NULL;
    return file_no_memory(file, 1 << 18);
}

static ro_status run(struct deflater *packer, struct byte_sink *sink, deflate_fn *put, int flush)
{
    z_stream *zlib = &packer->zlib;
    ro_status status = RO_OK;
    do {
        zlib->next_out = packer->bytes;
        zlib->avail_out = BUFFER;
        (void)deflate(zlib, flush); /* fails only where it is called wrongly */
        if (zlib->avail_out < BUFFER)
            status = put(sink, packer->bytes, BUFFER - zlib->avail_out);
    } while (zlib->avail_out == 0 && status == RO_OK);
    return status;
}

ro_status packer_write(struct deflater *packer, struct byte_sink *sink, deflate_fn *put,
                       const void *bytes, size_t size)
{
    enum { LONGEST = 1 << 24 };
    ro_status status = RO_OK;
    const uint8_t *from = bytes;
    while (size > 0 && status == RO_OK) {
        const size_t part = size < LONGEST ? size : LONGEST;
        packer->zlib.next_in = (uint8_t *)(uintptr_t)from; /* zlib's is not const */
        packer->zlib.avail_in = (uInt)part;
        status = run(packer, sink, put, Z_NO_FLUSH);
        from += part;
        size -= part;
    }
    return status;
}

ro_status packer_finish(struct deflater *packer, struct byte_sink *sink, deflate_fn *put)
{
    packer->zlib.avail_in = 0;
    return run(packer, sink, put, Z_FINISH);
}

void packer_close(struct deflater *packer)
{
    if (!packer)
        return;
    deflateEnd(&packer->zlib);
    free(packer);
}

#else

ro_status packer_open(struct deflater **packer, struct open_file *file)
{
    *packer = NULL;
    return file_fail(file, RO_E_UNSUPPORTED,
                     "this build has no zlib and cannot write compressed files");
}

ro_status packer_write(struct deflater *packer, struct byte_sink *sink, deflate_fn *put,
                       const void *bytes, size_t size)
{
    (void)packer;
    return put(sink, bytes, size);
}

ro_status packer_finish(struct deflater *packer, struct byte_sink *sink, deflate_fn *put)
{
    (void)packer, (void)sink, (void)put;
    return RO_OK;
}

void packer_close(struct deflater *packer) { (void)packer; }

#endif

/* SPDX-License-Identifier: MIT */
/* Bytes on their way into a gzip file. */
#ifndef RO_IO_BYTES_DEFLATE_H
#define RO_IO_BYTES_DEFLATE_H

#include "io/bytes/sink.h"

/* What takes packed bytes. */
typedef ro_status deflate_fn(struct byte_sink *sink, const void *bytes, size_t size);

ro_status packer_open(struct deflater **packer, struct open_file *file);
ro_status packer_write(struct deflater *packer, struct byte_sink *sink, deflate_fn *put,
                       const void *bytes, size_t size);
/* What is still on its way. */
ro_status packer_finish(struct deflater *packer, struct byte_sink *sink, deflate_fn *put);
void packer_close(struct deflater *packer); /* NULL is allowed */

#endif

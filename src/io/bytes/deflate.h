/* SPDX-License-Identifier: MIT */
/* Bytes on their way into a gzip file. */
#ifndef RO_IO_BYTES_DEFLATE_H
#define RO_IO_BYTES_DEFLATE_H

#include "io/bytes/sink.h"

/* What takes packed bytes. */
typedef ro_status ro_packer_fn(struct ro_sink *sink, const void *bytes, size_t size);

ro_status packer_open(struct ro_packer **packer, struct ro_file *file);
ro_status packer_write(struct ro_packer *packer, struct ro_sink *sink, ro_packer_fn *put,
                       const void *bytes, size_t size);
/* What is still on its way. */
ro_status packer_finish(struct ro_packer *packer, struct ro_sink *sink, ro_packer_fn *put);
void packer_close(struct ro_packer *packer); /* NULL is allowed */

#endif

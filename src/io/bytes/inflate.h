/* SPDX-License-Identifier: MIT */
/*
 * Bytes that lie packed in another source: a gzip file, or a member of a ZIP archive, deflated or
 * stored. What was opened is read on as if the bytes lay in a pipe.
 */
#ifndef RO_IO_BYTES_INFLATE_H
#define RO_IO_BYTES_INFLATE_H

#include "io/bytes/source.h"

/* If the source holds a gzip file or an archive, makes it give what is packed there: of an archive
 * the member of that name, with or without ".npy"; NULL: the only one. */
ro_status source_unpack(struct byte_source *source, const char *member);

/* The same for a piece of the file. Of RO_GZIP_WITHIN, which follows a header, going back to the
 * start is going back to that of the header. */
enum packing { RO_GZIP, RO_GZIP_WITHIN, RO_DEFLATED, RO_STORED };
ro_status source_unpack_from(struct byte_source *source, enum packing packing, uint64_t start,
                             uint64_t packed_size, uint64_t size);

/* ---- For source.c ---------------------------------------------------------------------------- */

struct inflater;
ro_status packed_read(struct inflater *packed, struct open_file *file, uint8_t *bytes, size_t size,
                      size_t *got);
bool packed_rewinds(const struct inflater *packed);
/* On source, whose packed bytes these are. */
ro_status packed_rewind(struct byte_source *source);
void packed_close(struct inflater *packed); /* NULL is allowed */

/* ---- zip.c ----------------------------------------------------------------------------------- */

ro_status zip_open(struct byte_source *source, const char *member);
/* Names of the members but one, as many as there is room for; "": there is no other. */
ro_status zip_others(struct byte_source *source, const char *member, char *names, size_t size);

#endif

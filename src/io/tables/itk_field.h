/* SPDX-License-Identifier: MIT */
/* Displacement fields as ITK has them: images of two floats a pixel, NRRD or MetaImage. */
#ifndef RO_IO_TABLES_ITK_FIELD_H
#define RO_IO_TABLES_ITK_FIELD_H

#include "io/bytes/sink.h"
#include "io/bytes/source.h"

enum itk_type { RO_ITK_NONE, RO_ITK_NRRD, RO_ITK_META };

/* By the ending of a name: .nrrd or .mha. */
enum itk_type itk_type_of(const char *path);

/* Whether a file may begin like this, and the field in it. */
enum itk_type itk_begins(const uint8_t *head, size_t have);
ro_status itk_load(struct byte_source *source, enum itk_type type, ro_image *field);

/* What comes before the floats. */
ro_status itk_put_head(struct byte_sink *sink, enum itk_type type, const ro_image *field);

#endif

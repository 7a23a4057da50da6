/* SPDX-License-Identifier: MIT */
/* --vectors: what goes into a circuit and what must come out, a pixel a line. */
#ifndef RO_CLI_COMMON_VECTORS_H
#define RO_CLI_COMMON_VECTORS_H

#include "roundoff_io.h"

/* A column: a grey image whose samples times `scale` are whole numbers. */
struct vector_column {
    const char *name;
    const ro_image *image;
    double scale;
};

ro_status vectors_save(ro_context *context, const char *path, const char *title,
                       const struct vector_column columns[2]);

/* IN once more for a circuit, which takes grey pixels one by one: RO_E_ARGUMENT for anything else.
 */
ro_status vectors_load(ro_context *context, const char *path, const ro_read_options *read,
                       ro_image *image);

#endif

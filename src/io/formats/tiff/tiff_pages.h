/* SPDX-License-Identifier: MIT */
/* The chain of directories in a TIFF file, one for each page. */
#ifndef RO_IO_FORMATS_TIFF_TIFF_PAGES_H
#define RO_IO_FORMATS_TIFF_TIFF_PAGES_H

#include "io/bytes/source.h"

struct tiff_pages {
    uint64_t *offsets; /* of the directories */
    unsigned count;
    bool alike; /* all have the same size and samples */
};

/* Follows the chain to its end. A chain that leads beyond the file or into itself is an error: what
 * was cut off is no shorter stack. */
ro_status tiff_pages_find(struct tiff_pages *pages, struct byte_source *source);
void tiff_pages_free(struct tiff_pages *pages);

#endif

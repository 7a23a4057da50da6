/* SPDX-License-Identifier: MIT */
/* The two things of EXIF data that matter here: which way is up, and the resolution. */
#ifndef RO_IO_FORMATS_EXIF_H
#define RO_IO_FORMATS_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exif_data {
    int orientation;     /* 1 to 8; 0: not stated */
    double dpi_x, dpi_y; /* 0: not stated */
    bool more;           /* other things are stated too */
};

/* `bytes` begin with "II*" or "MM*"; damaged data states nothing. */
struct exif_data exif_read(const uint8_t *bytes, size_t size);

#endif

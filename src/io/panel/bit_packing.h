/* SPDX-License-Identifier: MIT */
/* Numbers of levels and colours, a few bits each, as devices take them. */
#ifndef RO_IO_PANEL_BIT_PACKING_H
#define RO_IO_PANEL_BIT_PACKING_H

#include "io/filters/stage.h"

struct packing {
    ro_format from; /* RO_BITS or RO_INDEX8 */
    uint32_t width;
    int bits;            /* a pixel: 1, 2, 4 or 8 */
    bool low_first;      /* a byte's first pixel is in its lowest bits */
    uint8_t number[256]; /* of every level or colour */
};

/* How the writer's options want it. Fails where the numbers need more bits than are asked for. */
ro_status packing_open(struct packing *packing, struct open_file *file, const ro_file_info *info,
                       const ro_write_options *options);

/* Bytes of a row, whose last one is filled up with zeros. */
size_t packing_bytes(const struct packing *packing);
void packing_row(const struct packing *packing, uint8_t *to, const uint8_t *row);

#endif

/* SPDX-License-Identifier: MIT */
/* Colours of a TIFF file that are YCbCr of 8 bits, where libtiff doesn't make RGB of them itself
 * (it does so for JPEG data). */
#ifndef RO_IO_FORMATS_TIFF_TIFF_YCBCR_H
#define RO_IO_FORMATS_TIFF_TIFF_YCBCR_H

#include "io/formats/tiff/tiff_file.h"

struct ycbcr {
    uint16_t across, down;   /* pixels that share one Cb and one Cr */
    TIFFYCbCrToRGB *convert; /* NULL: not in use */
};

/* Reads the tags. `separate`: the channels are in planes, which must be of one size. */
ro_status ycbcr_open(struct ycbcr *ycbcr, struct tiff_file *tiff, bool separate);
void ycbcr_close(struct ycbcr *ycbcr);

/* Returns the bytes of a strip or tile of width x height pixels, channels together. */
uint64_t ycbcr_chunk_bytes(const struct ycbcr *ycbcr, uint32_t width, uint32_t height);

/* Puts the top left part of a chunk, `width` x `rows` pixels, to rows of Y, Cb and Cr per pixel. */
void ycbcr_unpack(const struct ycbcr *ycbcr, uint8_t *to, size_t stride, const uint8_t *chunk,
                  uint32_t chunk_width, uint32_t width, uint32_t rows);

/* Turns Y, Cb and Cr of each pixel into red, green and blue. */
void ycbcr_to_rgb(const struct ycbcr *ycbcr, uint8_t *rgb, const uint8_t *from, uint32_t width);

#endif

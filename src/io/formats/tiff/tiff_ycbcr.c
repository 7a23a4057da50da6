/* SPDX-License-Identifier: MIT */
/*
 * The pixels of a strip or tile lie in blocks, the luma of a block row by row and then its two
 * colours; here of 2 x 2 pixels:
 *
 *     Y00 Y01 Y10 Y11 Cb Cr   Y02 Y03 Y12 Y13 Cb Cr   ...
 *
 * Each pixel takes the colours of its block as they are, as other readers of TIFF do.
 */
#include "io/formats/tiff/tiff_ycbcr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Allocates what libtiff's conversion needs: its head and, behind it, tables of 256 entries. */
static TIFFYCbCrToRGB *allocate_tables(void)
{
    const size_t entry = 4 * sizeof(TIFFRGBValue) + 2 * sizeof(int) + 3 * sizeof(int32_t);
    return calloc(1, sizeof(TIFFYCbCrToRGB) + sizeof(long) + 256 * entry);
}

static bool is_sound(const float *luma, const float *range)
{
    bool sound = luma[1] != 0;
    for (int i = 0; i < 3; i++)
        sound = sound && isfinite(luma[i]);
    for (int i = 0; i < 6; i++)
        sound = sound && fabsf(range[i]) < 1e9f;
    return sound;
}

ro_status ycbcr_open(struct ycbcr *ycbcr, struct tiff_file *tiff, bool separate)
{
    float *luma = NULL, *range = NULL;
    ycbcr_close(ycbcr);
    TIFFGetFieldDefaulted(tiff->tiff, TIFFTAG_YCBCRSUBSAMPLING, &ycbcr->across, &ycbcr->down);
    TIFFGetFieldDefaulted(tiff->tiff, TIFFTAG_YCBCRCOEFFICIENTS, &luma);
    TIFFGetFieldDefaulted(tiff->tiff, TIFFTAG_REFERENCEBLACKWHITE, &range);
    for (int i = 0; i < 2; i++) {
        const uint16_t factor = i ? ycbcr->down : ycbcr->across;
        if (factor != 1 && factor != 2 && factor != 4)
            return file_fail(tiff->file, RO_E_FORMAT,
                             "not a proper TIFF file: colours of every %u pixels", factor);
    }
    if (separate && ycbcr->across * ycbcr->down != 1)
        return file_fail(tiff->file, RO_E_UNSUPPORTED,
                         "a TIFF file with YCbCr colours of fewer pixels in separate planes "
                         "cannot be read");
    if (!luma || !range || !is_sound(luma, range))
        return file_fail(tiff->file, RO_E_FORMAT,
                         "not a proper TIFF file: its YCbCr colours have no meaning");
    ycbcr->convert = allocate_tables();
    if (!ycbcr->convert || TIFFYCbCrToRGBInit(ycbcr->convert, luma, range) < 0)
        return file_no_memory(tiff->file, sizeof *ycbcr->convert);
    return RO_OK;
}

void ycbcr_close(struct ycbcr *ycbcr)
{
    free(ycbcr->convert);
    *ycbcr = (struct ycbcr){.across = 1, .down = 1};
}

static uint64_t blocks(uint32_t pixels, uint32_t of) { return ((uint64_t)pixels + of - 1) / of; }

uint64_t ycbcr_chunk_bytes(const struct ycbcr *ycbcr, uint32_t width, uint32_t height)
{
    const uint64_t block = (uint64_t)ycbcr->across * ycbcr->down + 2;
    return blocks(width, ycbcr->across) * blocks(height, ycbcr->down) * block;
}

void ycbcr_unpack(const struct ycbcr *ycbcr, uint8_t *to, size_t stride, const uint8_t *chunk,
                  uint32_t chunk_width, uint32_t width, uint32_t rows)
{
    const uint32_t across = ycbcr->across, down = ycbcr->down;
    const size_t block = (size_t)across * down + 2, row = blocks(chunk_width, across) * block;
    for (uint32_t y = 0; y < rows; y++, to += stride) {
        const uint8_t *from = chunk + y / down * row;
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *here = from + x / across * block;
            to[3 * (size_t)x] = here[y % down * across + x % across];
            memcpy(to + 3 * (size_t)x + 1, here + block - 2, 2);
        }
    }
}

void ycbcr_to_rgb(const struct ycbcr *ycbcr, uint8_t *rgb, const uint8_t *from, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, rgb += 3, from += 3) {
        uint32_t red, green, blue;
        TIFFYCbCrtoRGB(ycbcr->convert, from[0], from[1], from[2], &red, &green, &blue);
        rgb[0] = (uint8_t)red;
        rgb[1] = (uint8_t)green;
        rgb[2] = (uint8_t)blue;
    }
}

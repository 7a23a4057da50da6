/* SPDX-License-Identifier: MIT */
#include "io/formats/tiff/tiff_profile.h"

#include "io/formats/tiff/tiff_file.h"

#include <string.h>

void tiff_profile(struct row_stage *stage, const uint8_t *bytes, size_t size, uint16_t photometric,
                  uint16_t bits)
{
    const bool inks = photometric == PHOTOMETRIC_SEPARATED;
    if (stage->profile) /* Lab, or the page before */
        return;
    if (inks && ((bits != 8 && bits != 16) || !profile_is(bytes, size, "CMYK"))) {
        file_drop(stage->file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
        return;
    }
    profile_take(stage, bytes, size);
    if (stage->profile)
        stage->profile->inks = inks;
}

/* A number of ICC version 2, where 65280 is L* of 100 or a* of 127, as one of version 4. */
static uint16_t as_version_4(uint32_t number)
{
    const uint32_t wide = (number * 257 + 128) / 256;
    return (uint16_t)(wide < 65535 ? wide : 65535);
}

void tiff_lab(void *row, uint32_t width, uint16_t photometric, uint16_t bits, size_t step)
{
    const bool has_sign = photometric == PHOTOMETRIC_CIELAB; /* a* and b* */
    for (size_t i = 0; i < width * step; i += step)
        if (bits == 8 && has_sign) {
            ((uint8_t *)row)[i + 1] ^= 0x80;
            ((uint8_t *)row)[i + 2] ^= 0x80;
        } else if (bits == 16) {
            uint16_t *lab = (uint16_t *)row + i;
            lab[0] = has_sign ? lab[0] : as_version_4(lab[0]);
            for (int c = 1; c < 3; c++)
                lab[c] = as_version_4(has_sign ? lab[c] ^ 0x8000u : lab[c]);
        }
}

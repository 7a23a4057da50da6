/* SPDX-License-Identifier: MIT */
#include "io/formats/tiff_profile.h"

#include "io/formats/tiff_file.h"

#include <string.h>

void ro_tiff_profile(struct ro_stage *stage, const uint8_t *bytes, size_t size,
                     uint16_t photometric, uint16_t bits)
{
    const bool inks = photometric == PHOTOMETRIC_SEPARATED;
    if (stage->profile) /* Lab, or the page before */
        return;
    if (inks && (bits != 8 || !ro_profile_is(bytes, size, "CMYK"))) {
        ro_file_drop(stage->file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
        return;
    }
    ro_profile_take(stage, bytes, size);
    if (stage->profile)
        stage->profile->inks = inks;
}

void ro_tiff_lab(void *to, const void *from, uint32_t width, uint16_t bits, size_t step)
{
    const size_t count = (size_t)width * step;
    memmove(to, from, count * (bits / 8u));
    for (size_t i = 0; i < count; i += step)
        if (bits == 8) {
            ((uint8_t *)to)[i + 1] ^= 0x80;
            ((uint8_t *)to)[i + 2] ^= 0x80;
        } else { /* L* of 100 is 65280 in profiles, and 65535 in TIFF */
            uint16_t *lab = (uint16_t *)to + i;
            lab[0] = (uint16_t)((lab[0] * UINT32_C(65280) + 32767) / 65535);
            lab[1] ^= 0x8000;
            lab[2] ^= 0x8000;
        }
}

/* SPDX-License-Identifier: MIT */
/*
 * The black and the white of a palette. Black is the colour whose strongest channel is the weakest,
 * white the one whose weakest channel is the strongest: the yellow of a panel may be lighter than
 * its white.
 */
#ifndef RO_CORE_PALETTE_ENDS_H
#define RO_CORE_PALETTE_ENDS_H

#include "roundoff/halftone.h"

static inline void palette_ends(const ro_palette *palette, int *black, int *white)
{
    uint8_t weakest[256], strongest[256];
    *black = *white = 0;
    for (int k = 0; k < palette->count; k++) {
        const uint8_t *rgb = palette->colours[k];
        weakest[k] = strongest[k] = rgb[0];
        for (int c = 1; c < 3; c++) {
            weakest[k] = rgb[c] < weakest[k] ? rgb[c] : weakest[k];
            strongest[k] = rgb[c] > strongest[k] ? rgb[c] : strongest[k];
        }
        *black = strongest[k] < strongest[*black] ? k : *black;
        *white = weakest[k] > weakest[*white] ? k : *white;
    }
}

#endif

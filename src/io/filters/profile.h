/* SPDX-License-Identifier: MIT */
/* Colour as files state it, and the stage that makes sRGB of it where lcms2 is part of the build.
 */
#ifndef RO_IO_FILTERS_PROFILE_H
#define RO_IO_FILTERS_PROFILE_H

#include "io/filters/stage.h"

#define RO_PROFILE_WORDS "its ICC profile (colours are taken as sRGB)"

enum profile_kind { RO_KIND_ICC, RO_KIND_GAMMA, RO_KIND_LAB };

/* What the samples of a decoder mean, if not sRGB. */
struct sample_profile {
    enum profile_kind kind;
    char words[100]; /* for what is dropped */
    uint8_t *bytes;  /* ICC */
    size_t size;
    double gamma;       /* light is samples to the power gamma; 0: as sRGB has it */
    bool has_primaries; /* else they are sRGB's */
    double xy[4][2];    /* white, red, green, blue */
    bool inks;          /* rows are of four inks, of as many bits as the stage's format has */
    bool inverted;      /* they hold 255 - ink */
};

/* Whether a profile is of this space: "RGB ", "GRAY", "CMYK". */
bool profile_is(const uint8_t *bytes, size_t size, const char *space);

/* Gives the stage a profile that is not sRGB's. Without lcms2 it is noted as dropped, and samples
 * are taken as sRGB. Without memory it sets the stage's no_memory, and opening the file fails. */
void profile_take(struct row_stage *stage, const uint8_t *bytes, size_t size);
/* The same for gamma and primaries, which may be NULL; `words` are noted where they are dropped. */
void profile_take_gamma(struct row_stage *stage, double gamma, const double xy[4][2],
                        const char *words);
/* The same for CIE L*a*b* as profiles of version 4 have it: 65535 is L* of 100, a* and b* of 127
 * and 0 is -128. RO_E_UNSUPPORTED without lcms2. (lcms2 2.14 reads numbers of version 2 only
 * nearly: x | x >> 8 instead of x + x / 256; with alpha it takes them for those of version 4.) */
ro_status profile_take_lab(struct row_stage *stage);
void profile_free(struct row_stage *stage);

/* A stage on top of one that has a profile. Owns `before` from then on, and closes it on a failure.
 * A profile that makes no sense is noted as dropped. */
ro_status profile_stage(struct row_stage *before, const ro_read_options *options,
                        struct row_stage **stage);

#endif

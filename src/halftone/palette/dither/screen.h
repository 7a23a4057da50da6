/* SPDX-License-Identifier: MIT */
/*
 * Palettes by a screen: every pixel on its own, mixed of up to four colours of the palette.
 *
 * A colour of the picture stands for a mixture: colours of the palette and their shares, the
 * lightest first. The rank of a pixel's place says how far down this list it takes its colour, so
 * that an area of one colour has the light of the mixture.
 *
 *     rank    0 ............ K        shares of white, yellow, red and black
 *             w w w w y y r k
 *
 * Mixtures are made for the nodes of a lattice, 33 a channel. A pixel between two nodes takes one
 * or the other by the last bits of its rank, which no share depends on, so that between them light
 * runs straight. A pixel that has a colour of the palette keeps it.
 */
#ifndef RO_HALFTONE_PALETTE_DITHER_SCREEN_H
#define RO_HALFTONE_PALETTE_DITHER_SCREEN_H

#include "halftone/palette/palette.h"
#include "screen/screen.h"

enum {
    MIX_PARTS = 4,
    MIX_SHARE_BITS = 10,
    MIX_WHOLE = 1 << MIX_SHARE_BITS,
    MIX_STEP = 8, /* between two nodes */
    MIX_NODES = 33,
    MIX_POSITIONS = MIX_STEP * (MIX_NODES - 1), /* that of white */
    MIX_ENTRIES = MIX_NODES * MIX_NODES * MIX_NODES,
    MIX_BLOCK = 64, /* cells of a row are repeated to this much beyond their period */
};

/* A node's mixture: in the lower half the four colours, eight bits each; in the upper where the
 * first three end, MIX_SHARE_BITS each, and two bits. A place of share t takes the colour after the
 * ends that are at or below t. */
#define MIX_KNOWN (UINT64_C(1) << 62)
#define MIX_NEAR_COLOUR (UINT64_C(1) << 63) /* a colour of the palette may take this node */

static inline int mix_end(uint64_t entry, int part)
{
    return (int)(entry >> (32 + part * MIX_SHARE_BITS)) & (MIX_WHOLE - 1);
}

static inline unsigned char mix_colour(uint64_t entry, uint32_t share)
{
    int part = 0;
    for (int i = 0; i < MIX_PARTS - 1; i++)
        part += (int)share >= mix_end(entry, i);
    return (unsigned char)(entry >> 8 * part);
}

/* The colours, as what mixtures are made of. */
struct palette_mix {
    int count;
    double light[3][PALETTE_MOST]; /* 0 to 1 */
    double lab[3][PALETTE_MOST];
};
void palette_mix_colours(struct palette_mix *mix, const int32_t colour[3][PALETTE_MOST], int count);

/* The mixture of a point of the hull, 0 to W. */
uint64_t palette_mix_of(const struct palette_mix *mix, const int32_t light[3]);

struct palette_screen_plan {
    uint32_t width;
    int sample_bytes;
    uint32_t white; /* the largest sample */
    bool by_hash;
    uint64_t seed;
    uint32_t cells; /* K */
    struct screen screen;
    uint32_t period;    /* of the rows of cells: a multiple of the screen's width */
    size_t pitch;       /* MIX_BLOCK more */
    uint32_t *places;   /* of each cell: palette_place_pack */
    uint16_t *position; /* of every sample, 0 to MIX_POSITIONS */
    struct palette_mix mix;
    struct palette_hull hull;
    uint16_t node_light[MIX_NODES];
    int exact; /* colours that some sample has and no node */
    struct palette_exact {
        uint32_t sample[3];
        uint8_t colour;
    } exacts[PALETTE_MOST];
    int32_t bytes[PALETTE_MOST]; /* their samples of 8 bits: red, green and blue from below */
};

/* What a thread knows; begins as zeros. */
struct palette_screen_known {
    uint64_t entry[MIX_ENTRIES + 1];
    struct palette_corners guess;
};

/* What a rank says of a pixel's place. */
struct palette_place {
    uint32_t share, last;
};
static inline struct palette_place palette_place_of(const struct palette_screen_plan *plan,
                                                    uint32_t rank)
{
    const uint64_t share = MIX_WHOLE * (2 * (uint64_t)rank + 1) / (2 * (uint64_t)plan->cells);
    return (struct palette_place){(uint32_t)share,
                                  plan->cells < MIX_STEP ? MIX_STEP / 2 : rank % MIX_STEP};
}

/* Both in 32 bits, as vectors want them: the share on top, so that it is compared where it stands,
 * then ones, then what is missing of `last` to its most. */
#define PLACE_SHIFT (32 - MIX_SHARE_BITS)
#define PLACE_ONES ((UINT32_C(1) << PLACE_SHIFT) - MIX_STEP)

static inline uint32_t palette_place_pack(uint32_t share, uint32_t last)
{
    return share << PLACE_SHIFT | PLACE_ONES | (MIX_STEP - 1 - last);
}
static inline struct palette_place palette_place_unpack(uint32_t place)
{
    return (struct palette_place){place >> PLACE_SHIFT, MIX_STEP - 1 - place % MIX_STEP};
}

/* A node's mixture, made where it is not known. */
uint64_t palette_node(const struct palette_screen_plan *plan, struct palette_screen_known *known,
                      uint32_t node);

/* The definition: a pixel's colour. */
unsigned char palette_screen_pixel(const struct palette_screen_plan *plan,
                                   struct palette_screen_known *known, const uint32_t sample[3],
                                   struct palette_place place);

/* Rounds columns first to last - 1 of row y, pixel by pixel; or a row by vectors. */
void palette_screen_columns(const struct palette_screen_plan *plan,
                            struct palette_screen_known *known, const unsigned char *in,
                            unsigned char *out, uint32_t y, uint32_t first, uint32_t last);
typedef void palette_screen_row_fn(const struct palette_screen_plan *plan,
                                   struct palette_screen_known *known, const unsigned char *in,
                                   unsigned char *out, uint32_t y);
palette_screen_row_fn palette_screen_row_scalar;
RO_VARIANTS_DECLARE(palette_screen_row_fn, palette_screen_row);

#endif

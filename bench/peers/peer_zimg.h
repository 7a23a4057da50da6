/* SPDX-License-Identifier: MIT */
/* zimg's dithering as a peer: libzimg is opened at run time, and may be missing. */
#ifndef RO_BENCH_PEERS_PEER_ZIMG_H
#define RO_BENCH_PEERS_PEER_ZIMG_H

#include "roundoff.h"

#include <stdbool.h>

struct peer_zimg;

/* Grey of 8 or 16 bits to 1 bit (a byte per pixel, as zimg has it), with its plain C code or its
 * best SIMD. NULL when there is no libzimg or it refuses. */
struct peer_zimg *peer_zimg_open(const ro_image *in, void *out, bool simd);
/* The same to `bits` bits, of more than 8 two bytes a pixel, by error diffusion or ordered; grey of
 * 16 bits may have fewer, as its maxval says. */
struct peer_zimg *peer_zimg_open_bits(const ro_image *in, void *out, int bits, bool ordered,
                                      bool simd);
bool peer_zimg_run(void *peer);
void peer_zimg_close(struct peer_zimg *peer);

#endif

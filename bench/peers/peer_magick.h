/* SPDX-License-Identifier: MIT */
/* ImageMagick's -dither FloydSteinberg -remap, through its library, opened at run time. */
#ifndef RO_BENCH_PEERS_PEER_MAGICK_H
#define RO_BENCH_PEERS_PEER_MAGICK_H

#include "roundoff.h"

#include <stdbool.h>

/* For an RO_RGB8 image without padding; NULL: no ImageMagick here. */
struct peer_magick *peer_magick_open(const ro_image *in, const ro_palette *palette);
bool peer_magick_run(void *peer);
void peer_magick_close(struct peer_magick *peer);

#endif

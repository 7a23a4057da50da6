/* SPDX-License-Identifier: MIT */
/*
 * How error diffusion is cut. A band takes as many rows as run at the same time: those of the lanes,
 * for each thread, `abreast` times. The next band follows it by a piece of columns and the lag of all
 * these rows. Taller bands take longer, so that less often somebody waits for a message or for a
 * processor; but a rank's band should be under way for twice as long as all ranks lag behind each
 * other, and there should be some bands for each rank.
 */
#ifndef RO_MPI_PACE_H
#define RO_MPI_PACE_H

#include <stdint.h>

enum { PACE_LEAST_PIECE = 256, PACE_MOST_ABREAST = 16, PACE_CHUNK = 64, PACE_SKEW = 2 };

struct pace {
    uint32_t piece; /* columns */
    uint32_t rows;  /* of a band */
};

/* `lanes` rows run at the same time in a thread. */
struct pace pace_of(uint32_t width, uint32_t height, uint32_t lanes, uint32_t ranks,
                    uint32_t threads);

/* Columns that the last of `rows` rows is behind the first, without what is handed over. */
double pace_lag(uint32_t rows, uint32_t lanes);

#endif

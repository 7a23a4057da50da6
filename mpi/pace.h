/* SPDX-License-Identifier: MIT */
/*
 * How error diffusion is cut. A piece of what is handed on is no longer than what every MPI sends
 * at once: a longer message goes only when its sender comes back to MPI, which may be busy with
 * rows. A band takes as many rows as run at the same time: those of the lanes, for each thread,
 * `abreast` times. The next band follows it by a piece of columns and the lag of all these rows.
 * Taller bands take longer, so that less often somebody waits for a message or for a processor; but
 * a rank's band should be under way for twice as long as all ranks lag behind each other, there
 * should be some bands for each rank, and a band should not fill the memory.
 */
#ifndef RO_MPI_PACE_H
#define RO_MPI_PACE_H

#include <stddef.h>
#include <stdint.h>

enum { PACE_LEAST_PIECE = 256, PACE_MOST_ABREAST = 8, PACE_STEPS = 256, PACE_SKEW = 2 };
enum { PACE_MESSAGE = 1000 /* numbers */, PACE_LEAST_MESSAGE = 64 /* columns */ };

struct pace {
    uint32_t piece; /* columns */
    uint32_t rows;  /* of a band */
};

/* `lanes` rows run at the same time in a thread, and `lines` numbers a column are handed on. A rank
 * keeps `row_bytes` for each row of a band. */
struct pace_needs {
    uint32_t width, height, lanes, lines, ranks, threads;
    size_t row_bytes;
};
struct pace pace_of(const struct pace_needs *needs);

/* Rows of a band for whom nobody waits. */
uint32_t pace_usual(size_t row_bytes);

/* The longest piece. */
uint32_t pace_piece(uint32_t lines);

/* Columns that the last of `rows` rows is behind the first, without what is handed over. */
double pace_lag(uint32_t rows, uint32_t lanes);

#endif

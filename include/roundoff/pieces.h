/* SPDX-License-Identifier: MIT */
/*
 * Pieces of pictures, for programs that divide one among processes, as libroundoff_mpi does.
 * Unstable: it may change with any version, and is no part of roundoff.h.
 */
#ifndef ROUNDOFF_PIECES_H
#define ROUNDOFF_PIECES_H

#include "roundoff/hologram.h"
#include "roundoff/plan.h"
#include "roundoff/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Halftones ------------------------------------------------------------------------------ */

/* All of a picture, whose rows the plan's threads fetch and hand over by themselves, some at a
 * time: they stay in the cache of the core that runs them. Both functions are called from several
 * threads at once, in any order, for every row once; rows lie without gaps. What they return other
 * than RO_OK ends the run and is returned, without a message of the plan's own. */
typedef struct ro_halftone_rows {
    void *data;
    ro_status (*fetch)(void *data, uint32_t first_row, uint32_t count, void *rows);
    ro_status (*take)(void *data, uint32_t first_row, uint32_t count, void *rows);
} ro_halftone_rows;
RO_API
ro_status ro_halftone_pass(ro_plan *plan, const ro_halftone_rows *rows);
/* Whether it can: rows go in as they are, and bands of them run on threads. */
RO_API
int ro_halftone_passes(const ro_plan *plan);

/*
 * A stream of `rows` rows of a picture from `first_row` on, by a plan to halftone. A piece gives
 * the same bits as its rows have in the whole picture, if what the rows above carry on is given to
 * it: by ro_halftone_carry_in, from the stream of the piece above and its ro_halftone_carry_out, on
 * this machine or another. The numbers are the same for all instruction sets, threads and devices.
 * Methods that cannot be cut give RO_E_UNSUPPORTED for a piece.
 */
RO_API
ro_status ro_stream_open_piece(ro_plan *plan, uint32_t first_row, uint32_t rows,
                               ro_stream **stream);

/* What the rows above the piece carry into columns x to x + count - 1: `values` holds count numbers
 * of each of the ro_plan_info.carried lines, one line after another. Columns are given from left to
 * right, x being the number given so far. From any thread, also during a push: a push waits for
 * columns that it needs and are not given, until ro_context_cancel. */
RO_API
ro_status ro_halftone_carry_in(ro_stream *stream, uint32_t x, uint32_t count,
                               const int32_t *values);

/* What the piece carries on, in the same form, of any columns and as often as wanted. From any
 * thread: waits until the last row has passed them, or until ro_context_cancel, so that the
 * thread that pushes must have pushed all rows before it asks. */
RO_API
ro_status ro_halftone_carry_out(ro_stream *stream, uint32_t x, uint32_t count, int32_t *values);

/* How many columns ro_halftone_carry_out gives without waiting. From any thread. */
RO_API
uint32_t ro_halftone_carry_ready(ro_stream *stream);

/* Who carries while rows are pushed, so that no thread is needed for it. A thread of the push calls
 * `bring` when it needs columns before `columns`: give them by ro_halftone_carry_in, or cancel the
 * context. Another, or the same, calls `take` when the first `ready` columns can be had by
 * ro_halftone_carry_out; at last all of them. Both may run at the same time, neither twice. Before
 * the first push. */
typedef struct ro_carrier {
    void (*bring)(void *data, uint32_t columns);
    void (*take)(void *data, uint32_t ready);
    void *data;
} ro_carrier;
RO_API
ro_status ro_halftone_carry_by(ro_stream *stream, const ro_carrier *carrier);

/* ---- Denoising ---------------------------------------------------------------------------- */

/*
 * A piece of a picture, `rows` rows from `first` on, in the numbers that the method works in, so
 * that machines share a picture: each loads its rows, gets rows of numbers from its neighbours,
 * `reach` for every step, and runs as many steps as these allow; then again. The last rounding
 * takes what the rows above add to the running sum. The explicit scheme as of a stream, or model
 * trained, with the bits of the whole picture.
 *
 *     ro_denoise_piece_open(context, &in, &out, &options, first, rows, halo, &piece);
 *     ro_denoise_piece_load(piece, samples, stride);
 *     repeat: rows ro_denoise_piece_row(piece, y) of the halo from the neighbours,
 *             ro_denoise_piece_run(piece, steps);
 *     ro_denoise_piece_sums(piece, sums);  their sum over all pieces above, of every channel:
 *     ro_denoise_piece_round(piece, above, samples, stride);
 *
 * Model trained has one step, and its rows of numbers are samples. Before the step it has to know
 * of the whole picture, once the halo is there:
 *
 *     ro_denoise_piece_extent(piece, extent);              then the largest of all pieces, each of
 *                                                          the three numbers by itself
 *     ro_denoise_piece_measure(piece, extent, &blocks, &bytes);  then those of all pieces together
 *     ro_denoise_piece_settle(piece, blocks, bytes);
 */
typedef struct ro_denoise_piece ro_denoise_piece;
typedef struct ro_denoise_piece_info {
    uint32_t reach;        /* rows that a step reaches up and down */
    uint32_t steps;        /* to be run */
    uint32_t above, below; /* rows of the halo, as far as the picture has them */
    size_t row_bytes;      /* of a row of numbers; rows lie without gaps */
    int measured;          /* the picture has to be measured before the first step */
    int whole;             /* and is too small for that in pieces: one has to have all rows */
} ro_denoise_piece_info;
RO_API
ro_status ro_denoise_piece_open(ro_context *context, const ro_image *in, const ro_image *out,
                                const ro_denoise_options *options, uint32_t first, uint32_t rows,
                                uint32_t halo, ro_denoise_piece **piece);
RO_API
const ro_denoise_piece_info *ro_denoise_piece_query(const ro_denoise_piece *piece);
RO_API
ro_status ro_denoise_piece_load(ro_denoise_piece *piece, const void *rows, ptrdiff_t stride);
/* Row y of the picture, of the piece or its halo. */
RO_API
void *ro_denoise_piece_row(ro_denoise_piece *piece, uint32_t y);
RO_API
ro_status ro_denoise_piece_extent(const ro_denoise_piece *piece, double extent[3]);
/* The blocks are the piece's and valid until it is closed. */
RO_API
ro_status ro_denoise_piece_measure(ro_denoise_piece *piece, const double extent[3],
                                   const void **blocks, size_t *bytes);
/* The blocks may be NULL where no piece has given any. */
RO_API
ro_status ro_denoise_piece_settle(ro_denoise_piece *piece, const void *blocks, size_t bytes);
RO_API
ro_status ro_denoise_piece_run(ro_denoise_piece *piece, uint32_t steps);
/* 0 where nothing is carried from pixel to pixel; else so small that those of 500 pieces may be
 * added up. */
RO_API
void ro_denoise_piece_sums(const ro_denoise_piece *piece, uint64_t sums[3]);
RO_API
ro_status ro_denoise_piece_round(ro_denoise_piece *piece, const uint64_t above[3], void *rows,
                                 ptrdiff_t stride);
RO_API
void ro_denoise_piece_close(ro_denoise_piece *piece); /* NULL is allowed */

/* ---- Holograms ---------------------------------------------------------------------------- */

/* Some rows of a field that is too large for one process. Hogels know nothing of each other: a
 * piece of whole rows of hogels is rounded as in the whole field, given the energy of all of it. */
typedef struct ro_hologram_piece {
    uint32_t y, height; /* its first row, and the rows of the whole field */
    double energy;      /* what ro_hologram_energy says of all rows, added up from the top */
} ro_hologram_piece;

/* How many rows a row of hogels of this field has: pieces begin at multiples of it and, but for the
 * last, end at one. RO_E_UNSUPPORTED where the options need the whole field: of all algorithms but
 * "vded", which has hogels, and "truncate" (1), and of a gain that is to be found. */
RO_API
ro_status ro_hologram_rows(ro_context *context, const ro_hologram_options *options,
                           const ro_field *field, uint32_t *rows);

/* The energy of each row, of what the levels can show: the squares of the moduli, or of the real
 * parts. */
RO_API
ro_status ro_hologram_energy(ro_context *context, const ro_field *rows,
                             const ro_hologram_options *options, double *energies);

RO_API
ro_status ro_hologram_quantize_piece(ro_context *context, const ro_field *in, ro_image *out,
                                     const ro_hologram_options *options,
                                     const ro_hologram_piece *piece, ro_hologram_report *report);

/* ---- Hashes and the test card ------------------------------------------------------------- */

/* ro_image_hash by rows, from the top: of `shape` format, size and maxval count, `rows` have its
 * format and width. A state is nothing but bytes; another process of the same build may go on with
 * it. */
typedef struct ro_hash_state {
    uint64_t bytes[80];
} ro_hash_state;
RO_API
ro_status ro_hash_begin(ro_context *context, const ro_image *shape, ro_hash_state *state);
RO_API
ro_status ro_hash_rows(ro_context *context, ro_hash_state *state, const ro_image *rows);
RO_API
ro_status ro_hash_end(ro_context *context, const ro_hash_state *state, char text[RO_HASH_TEXT]);

/* The same pixels of a part of a card of width x height: `image` is what lies at (x, y) of it. The
 * scene, the upper half, is drawn by whole columns: a part of it costs as much as all its columns.
 */
RO_API
ro_status ro_testcard_part(ro_context *context, uint32_t width, uint32_t height, uint32_t x,
                           uint32_t y, ro_image *image);

#ifdef __cplusplus
}
#endif

#endif

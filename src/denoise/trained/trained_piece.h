/* SPDX-License-Identifier: MIT */
/* Model trained on rows of a picture that other machines have the rest of: ro_denoise_piece. */
#ifndef RO_DENOISE_TRAINED_TRAINED_PIECE_H
#define RO_DENOISE_TRAINED_TRAINED_PIECE_H

#include "denoise/trained/trained_run.h"
#include "roundoff/pieces.h"

struct trained_piece;

/* Rows first .. first + rows - 1 of a picture of that shape, whose options are kept by the caller.
 * `samples` gets room for the rows and the halo that `info` says, which begins with row first -
 * info->above. */
ro_status trained_piece_open(ro_context *context, const ro_image *in, const ro_image *out,
                             const ro_denoise_options *options, uint32_t first, uint32_t rows,
                             uint32_t halo, ro_denoise_piece_info *info,
                             struct trained_piece **made);
char *trained_piece_samples(struct trained_piece *piece);
ro_status trained_piece_extent(const struct trained_piece *piece, double extent[3]);
/* After a failure blocks and bytes are as they were. */
ro_status trained_piece_measure(struct trained_piece *piece, const double extent[3],
                                const void **blocks, size_t *bytes);
ro_status trained_piece_settle(struct trained_piece *piece, const void *blocks, size_t bytes);
ro_status trained_piece_run(struct trained_piece *piece);
void trained_piece_sums(struct trained_piece *piece, uint64_t sums[3]);
void trained_piece_round(struct trained_piece *piece, const uint64_t above[3], void *rows,
                         ptrdiff_t stride);
void trained_piece_close(struct trained_piece *piece); /* NULL is allowed */

#endif

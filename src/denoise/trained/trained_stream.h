/* SPDX-License-Identifier: MIT */
/* Model trained from rows to rows, behind denoise_stream_open: samples wait in a ring until their
 * changes are known. */
#ifndef RO_DENOISE_TRAINED_TRAINED_STREAM_H
#define RO_DENOISE_TRAINED_TRAINED_STREAM_H

#include "denoise/denoise.h"

struct trained_stream;
ro_status trained_stream_open(struct denoiser *work, struct trained_stream **made);
void trained_stream_close(struct trained_stream *stream); /* NULL is allowed */

/* Takes a row of samples; false: rows have to be given first. */
bool trained_stream_take(struct trained_stream *stream, const char *samples);
/* Writes the next row; false: more have to be taken first. */
bool trained_stream_give(struct trained_stream *stream, char *out);
uint32_t trained_stream_taken(const struct trained_stream *stream);
uint32_t trained_stream_given(const struct trained_stream *stream);
void trained_stream_report(struct trained_stream *stream);

#endif

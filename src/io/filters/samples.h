/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a file that are no samples of ours, and back. Integers whose range takes no more than
 * 16 bits become RO_GREY16 or RO_RGB16, the least of them being 0 and the largest maxval: exact,
 * and the whole range is there for methods that count in levels. All others become floats.
 */
#ifndef RO_IO_FILTERS_SAMPLES_H
#define RO_IO_FILTERS_SAMPLES_H

#include "io/filters/stage.h"

#include <math.h>

const char *sample_name(ro_sample sample); /* "int16"; "plain" */
size_t bytes_of_sample(ro_sample sample);  /* 0 of plain ones */
bool sample_is_whole(ro_sample sample);

/* A number that is no plain sample: kind 'u', 'i' or 'f' and its bytes. RO_SAMPLE_PLAIN: none. */
ro_sample sample_type_of(char kind, int bytes);

/* What the integers of a file span. */
struct sample_span {
    bool known;
    int64_t least, largest; /* least > largest: no sample yet */
    double low, high;       /* the same, also of numbers beyond int64_t */
};
#define RO_SPAN_EMPTY ((struct sample_span){false, INT64_MAX, INT64_MIN, INFINITY, -INFINITY})
void span_add(struct sample_span *span, ro_sample sample, const void *numbers, size_t count);

/* Turns numbers into another byte order, in place. */
void sample_swap(void *numbers, size_t bytes, size_t count);

/* A stage on top of a raw one, which it owns from then on; on a failure it closes it. */
ro_status samples_stage(struct row_stage *before, const struct sample_span *span,
                        struct row_stage **stage);

/* The format in which samples of such a file are handed to its encoder: as a reader gives them. */
ro_status samples_check(struct open_file *file, const ro_file_info *info);

/* Rows for the file: numbers of info->sample, in this machine's byte order. Beyond its range they
 * are the nearest it has. */
void samples_pack(const ro_file_info *info, void *numbers, const void *samples, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The speed measurements behind `roundoff bench`: one file each, one row of the table in
 * cli/bench/bench.c. A bench prints its table on stdout and returns the exit status of the
 * command.
 */
#ifndef RO_BENCH_BENCH_H
#define RO_BENCH_BENCH_H

#include <stdbool.h>

struct bench_options {
    int size;                 /* side of a square image; 0: the bench's own sizes */
    bool json;                /* an object instead of a table */
    bool cuda;                /* on a CUDA device */
    const char *const *files; /* pictures to measure on */
    int files_count;
    const char *plot; /* a file to draw into; NULL: none */
};

struct bench {
    const char *name;
    const char *summary;
    int (*run)(const struct bench_options *options);
    bool cuda;     /* it can measure a CUDA device */
    bool pictures; /* it measures how good results are: on pictures, and not among all */
    bool alone;    /* it takes minutes: only where it is named */
};

extern const struct bench bench_papers, bench_diffusion, bench_halftone, bench_ordered,
    bench_palette, bench_dbs, bench_quality, bench_denoise, bench_hologram, bench_light,
    bench_register, bench_segment, bench_plan, bench_levels, bench_scaling, bench_screens,
    bench_tiles, bench_terapixel;

#endif

/* SPDX-License-Identifier: MIT */
/* Contenders of a bench, timed in turns so that a noisy machine is fair to all of them. */
#ifndef RO_BENCH_TIMING_H
#define RO_BENCH_TIMING_H

#include "roundoff/core.h"

#include <stdbool.h>

struct contender {
    const char *name;    /* schedule or peer */
    const char *variant; /* instruction set or device */
    int threads;
    bool (*run)(void *data); /* false: it failed and is left out of the table */
    void *data;
    double best; /* seconds; 0 until it ran */
    int runs;
    bool failed;
};

/* Runs every contender in turn, `rounds` times, keeping its best; one that has used up `budget`
 * seconds in all sits the rest out (after one run at least). */
void time_in_turns(struct contender *contenders, int count, int rounds, double budget);

double bench_seconds(void);

/* A context on the CUDA device; NULL and a sentence where there is none. */
ro_context *bench_device(void);

/* "CPU model, N threads" and the date, for the head of a table. */
void print_machine(void);

#endif

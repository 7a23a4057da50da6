/* SPDX-License-Identifier: MIT */
#include "bench/timing.h"

#include "cuda/cuda.h"

#include <stdio.h>
#include <time.h>

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void time_in_turns(struct contender *contenders, int count, int rounds, double budget)
{
    for (int i = 0; i < count; i++) /* once untimed: page faults, tables, threads */
        contenders[i].failed = !contenders[i].run(contenders[i].data);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            struct contender *c = &contenders[i];
            if (c->failed || (c->runs > 0 && c->best * (c->runs + 1) > budget))
                continue;
            double start = bench_seconds();
            c->failed = !c->run(c->data);
            double took = bench_seconds() - start;
            if (c->runs++ == 0 || took < c->best)
                c->best = took;
        }
}

ro_context *bench_device(void)
{
    ro_context *context;
    char why[160];
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CUDA},
                        &context) == RO_OK)
        return context;
    cuda_count(why, sizeof why);
    fprintf(stderr, "roundoff: %s\n", why);
    return NULL;
}

void print_machine(void)
{
    ro_device_info info = {.size = sizeof info};
    time_t now = time(NULL);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    if (ro_device_at(0, &info) == RO_OK)
        printf("%s, %s; roundoff %s, %s\n", info.name, info.detail, ro_version(), date);
}

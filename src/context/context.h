/* SPDX-License-Identifier: MIT */
/* The context behind the public handle: pool, instruction set, message, progress, cancellation. */
#ifndef RO_CONTEXT_CONTEXT_H
#define RO_CONTEXT_CONTEXT_H

#include "roundoff/core.h"
#include "thread/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ro_context {
    ro_context_options options; /* as asked for */
    ro_cpu cpu;                 /* the best instruction set a call may use */
    int threads;
    ro_limits limits;
    struct ro_pool *pool;
    struct ro_cuda *cuda; /* opened when a call first needs it */
    atomic_bool cancelled;
    pthread_mutex_t message_lock; /* a reader's thread may fail beside the caller's */
    char message[512];
    ro_report report;
    void *attached; /* what a library on top keeps with the context */
    void (*close_attached)(void *attached);
};

#endif

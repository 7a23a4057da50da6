/* SPDX-License-Identifier: MIT */
/* The context behind the public handle: pool, instruction set, hooks, cancellation. */
#ifndef RO_CONTEXT_CONTEXT_H
#define RO_CONTEXT_CONTEXT_H

#include "roundoff/core.h"
#include "roundoff/library.h"
#include "thread/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What a library on top keeps with a context, for one thread. */
struct attached_part {
    pthread_t owner;
    void *what;
    void (*close)(void *what);
    struct attached_part *next;
};

struct ro_context {
    uint64_t number;            /* no other context of the process has or had it */
    ro_context_options options; /* as asked for */
    ro_cpu cpu;                 /* the best instruction set a call may use */
    int threads;
    ro_limits limits;
    struct thread_pool *pool;
    struct device_state *cuda;    /* opened when a call first needs it */
    pthread_mutex_t device_turns; /* recursive */
    atomic_bool cancelled;
    pthread_mutex_t lock; /* of what follows */
    struct attached_part *attached;
};

/* Returns where a call on the context reports what it ran: a place of the thread that made it. */
ro_report *context_report(const ro_context *context);

/* Calls that run on a device take turns, because they share its streams and scratch memory. Takes
 * the turn until the end of the block, if the condition is true. A context may be NULL. */
#define DEVICE_TURN_IF(context, condition)                                                         \
    __attribute__((cleanup(device_turn_end), unused)) ro_context *device_turn =                    \
        device_turn_begin((condition) ? (context) : NULL)
/* The same if the context was opened for a device. */
#define DEVICE_TURN(context)                                                                       \
    DEVICE_TURN_IF(context, (context) && (context)->options.device == RO_DEVICE_CUDA)

ro_context *device_turn_begin(ro_context *context);
void device_turn_end(ro_context **context);

#endif

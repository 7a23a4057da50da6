/* SPDX-License-Identifier: MIT */
/*
 * A pool of worker threads and the two ways they share work.
 *
 * pool_run divides a call into tasks, which run on the caller's thread and on the pool's workers or
 * the host program's threads. Any number of threads may call it at the same time. How many tasks
 * run at once is not known: all of them, or one after another. They begin in the order of their
 * numbers, so a task may wait for work that a task before it has taken, but never for a later one.
 *
 * Inside, tasks take work by ticket (an atomic counter) and wait for one another with a
 * thread_gate: a number that only grows, which a waiter watches briefly and then sleeps on.
 * Spinning alone collapses when another process takes a core; sleeping alone costs a system call
 * per hand-over.
 */
#ifndef RO_THREAD_POOL_H
#define RO_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct thread_pool;
typedef void pool_task_fn(void *data, int thread);

/* A host program that lends its threads; see ro_context_options. */
struct pool_host {
    void (*parallel_for)(void *user, int count, void (*task)(void *argument, int index),
                         void *argument);
    void *user;
};

/* `host` may be NULL. Returns NULL if memory or threads run out. */
struct thread_pool *pool_open(int threads, const struct pool_host *host);
void pool_close(struct thread_pool *pool); /* NULL is allowed */
int pool_threads(const struct thread_pool *pool);

/* Runs task(data, 0) to task(data, n - 1), n = min(threads, limit), and returns when all are done.
 * Without a host task 0 runs on the calling thread. */
void pool_run(struct thread_pool *pool, int limit, pool_task_fn *task, void *data);

/* Where sleepers of many gates wait together. */
struct gate_room {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool crowded;
};
/* For so many threads, which are crowded where cores are fewer. */
void gate_room_open(struct gate_room *room, int threads);
void gate_room_close(struct gate_room *room);

/* A growing number, alone on its cache line with the count of those who sleep on it. */
struct thread_gate {
    _Alignas(64) atomic_uint_fast64_t reached;
    atomic_int sleepers;
};
void gate_raise(struct gate_room *room, struct thread_gate *gate, uint64_t value);
void gate_wait(struct gate_room *room, struct thread_gate *gate, uint64_t value);
/* The same for a number that somebody else may never raise; false: `stop` became true before. */
bool gate_wait_or_stop(struct gate_room *room, struct thread_gate *gate, uint64_t value,
                       const atomic_bool *stop);

#endif

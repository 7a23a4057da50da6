/* SPDX-License-Identifier: MIT */
/*
 * A pool of worker threads and the two ways they share work.
 *
 * pool_run calls a task once on every thread, the caller's among them. Inside, threads take work
 * by ticket (an atomic counter) and wait for one another with a ro_gate: a number that only grows,
 * which a waiter watches briefly and then sleeps on. Spinning alone collapses when another process
 * takes a core; sleeping alone costs a system call per hand-over.
 */
#ifndef RO_THREAD_POOL_H
#define RO_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ro_pool;
typedef void ro_task_fn(void *data, int thread);

struct ro_pool *pool_open(int threads); /* NULL: no memory or no threads to be had */
void pool_close(struct ro_pool *pool);  /* NULL is allowed */
int pool_threads(const struct ro_pool *pool);

/* Runs task(data, 0 .. n-1) on n = min(threads, limit) threads and returns when all are done. */
void pool_run(struct ro_pool *pool, int limit, ro_task_fn *task, void *data);

/* Where sleepers of many gates wait together. */
struct ro_gate_room {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool crowded;
};
/* For so many threads, which are crowded where cores are fewer. */
void gate_room_open(struct ro_gate_room *room, int threads);
void gate_room_close(struct ro_gate_room *room);

/* A growing number, alone on its cache line with the count of those who sleep on it. */
struct ro_gate {
    _Alignas(64) atomic_uint_fast64_t reached;
    atomic_int sleepers;
};
void gate_raise(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value);
void gate_wait(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value);
/* The same for a number that somebody else may never raise; false: `stop` became true before. */
bool gate_wait_or_stop(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value,
                       const atomic_bool *stop);

#endif

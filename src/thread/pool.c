/* SPDX-License-Identifier: MIT */
#include "thread/pool.h"

#include "core/cpu.h"

#include <stdlib.h>
#include <time.h>

struct worker {
    struct ro_pool *pool;
    int number;
    pthread_t thread;
};

struct ro_pool {
    int threads;
    int started; /* workers that exist; the caller is thread 0 */
    struct worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t round; /* grows with every run */
    int limit, busy;
    bool closing;
    ro_task_fn *task;
    void *data;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct ro_pool *pool = worker->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing)
            break;
        seen = pool->round;
        if (worker->number >= pool->limit)
            continue;
        pthread_mutex_unlock(&pool->lock);
        pool->task(pool->data, worker->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct ro_pool *pool_open(int threads)
{
    struct ro_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->workers = calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers)
        goto fail;
    for (int i = 1; i < threads; i++) {
        pool->workers[i] = (struct worker){.pool = pool, .number = i};
        if (pthread_create(&pool->workers[i].thread, NULL, work, &pool->workers[i]) != 0)
            goto fail;
        pool->started = i;
    }
    return pool;
fail:
    pool_close(pool);
    return NULL;
}

void pool_close(struct ro_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

int pool_threads(const struct ro_pool *pool) { return pool->threads; }

void pool_run(struct ro_pool *pool, int limit, ro_task_fn *task, void *data)
{
    if (limit > pool->threads)
        limit = pool->threads;
    if (limit > 1) {
        pthread_mutex_lock(&pool->lock);
        pool->task = task;
        pool->data = data;
        pool->limit = limit;
        pool->busy = limit - 1;
        pool->round++;
        pthread_cond_broadcast(&pool->begin);
        pthread_mutex_unlock(&pool->lock);
    }
    task(data, 0);
    if (limit > 1) {
        pthread_mutex_lock(&pool->lock);
        while (pool->busy > 0)
            pthread_cond_wait(&pool->end, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
}

void gate_room_open(struct ro_gate_room *room, int threads)
{
    room->crowded = threads > cpu_threads();
    pthread_mutex_init(&room->lock, NULL);
    pthread_cond_init(&room->changed, NULL);
}

void gate_room_close(struct ro_gate_room *room)
{
    pthread_cond_destroy(&room->changed);
    pthread_mutex_destroy(&room->lock);
}

/* The store and the look at `sleepers` here, and the count and the look at `reached` below, are all
 * sequentially consistent: one side always sees the other, so no wake-up is missed. */
void gate_raise(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value)
{
    atomic_store(&gate->reached, value);
    if (atomic_load(&gate->sleepers) > 0) {
        pthread_mutex_lock(&room->lock);
        pthread_cond_broadcast(&room->changed);
        pthread_mutex_unlock(&room->lock);
    }
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Whether the number was seen within some hundred microseconds: less would sleep through hand-overs
 * that a wake-up, some fifty of them on a virtual machine, comes late for. In a crowd whoever
 * watches takes the core of the one it waits for, so there one look must do. */
static bool watch(const struct ro_gate_room *room, const struct ro_gate *gate, uint64_t value)
{
    enum { SPINS = 4000 };
    const int spins = room->crowded ? 1 : SPINS;
    for (int i = 0; i < spins; i++) {
        if (atomic_load_explicit(&gate->reached, memory_order_acquire) >= value)
            return true;
        pause_briefly();
    }
    return false;
}

/* Whoever wakes before its turn watches again. Of threads that each wait for the one before, all
 * are then awake when their turn comes; else each would sleep until the one before it had woken,
 * and all of them would go at the pace of wake-ups from then on. */
void gate_wait(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value)
{
    while (!watch(room, gate, value)) {
        pthread_mutex_lock(&room->lock);
        atomic_fetch_add(&gate->sleepers, 1);
        while (atomic_load(&gate->reached) < value) {
            pthread_cond_wait(&room->changed, &room->lock);
            if (!room->crowded)
                break;
        }
        atomic_fetch_sub(&gate->sleepers, 1);
        pthread_mutex_unlock(&room->lock);
    }
}

/* `stop` may be set by a signal handler, which can wake nobody: sleepers look at it now and then.
 */
bool gate_wait_or_stop(struct ro_gate_room *room, struct ro_gate *gate, uint64_t value,
                       const atomic_bool *stop)
{
    enum { NAP = 10 * 1000 * 1000, SECOND = 1000 * 1000 * 1000 }; /* nanoseconds */
    if (watch(room, gate, value))
        return true;
    bool reached;
    pthread_mutex_lock(&room->lock);
    atomic_fetch_add(&gate->sleepers, 1);
    while (!(reached = atomic_load(&gate->reached) >= value) && !atomic_load(stop)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += NAP;
        if (until.tv_nsec >= SECOND) {
            until.tv_nsec -= SECOND;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&room->changed, &room->lock, &until);
    }
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&room->lock);
    return reached;
}

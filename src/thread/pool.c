/* SPDX-License-Identifier: MIT */
#include "thread/pool.h"

#include "core/cpu.h"
#include "core/details.h"

#include <stdlib.h>
#include <time.h>

/* A call of pool_run. Its tasks are begun in the order of their numbers, by the caller and by
 * workers that have nothing else to do, so a task may wait for those before it. */
struct job {
    pool_task_fn *task;
    void *data;
    struct call_details *details; /* of the caller, whose call it is */
    int count, next;              /* tasks, and the first that has not begun */
    int unfinished;
    struct job *after; /* the next job in the queue */
};

struct thread_pool {
    int threads;
    int started; /* workers that exist */
    pthread_t *workers;
    struct pool_host host;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    struct job *first, *last; /* jobs with tasks that have not begun */
    bool closing;
};

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void enqueue(struct thread_pool *pool, struct job *job)
{
    if (pool->last)
        pool->last->after = job;
    else
        pool->first = job;
    pool->last = job;
}

static void dequeue(struct thread_pool *pool, const struct job *job)
{
    struct job *before = NULL, *at = pool->first;
    while (at != job) {
        before = at;
        at = at->after;
    }
    if (before)
        before->after = job->after;
    else
        pool->first = job->after;
    if (pool->last == job)
        pool->last = before;
}

/* Takes the next task of a job; with the lock held. */
static int claim(struct thread_pool *pool, struct job *job)
{
    const int number = job->next++;
    if (job->next == job->count)
        dequeue(pool, job);
    return number;
}

static void finish(struct thread_pool *pool, struct job *job)
{
    if (--job->unfinished == 0)
        pthread_cond_broadcast(&pool->end);
}

static void *work(void *argument)
{
    struct thread_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        struct job *job = pool->first;
        if (!job) {
            pthread_cond_wait(&pool->begin, &pool->lock);
            continue;
        }
        const int number = claim(pool, job);
        pthread_mutex_unlock(&pool->lock);
        struct call_details *own = details_adopt(job->details);
        job->task(job->data, number);
        details_adopt(own);
        pthread_mutex_lock(&pool->lock);
        finish(pool, job);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The caller takes what no worker has begun: if all are busy elsewhere, it runs every task. */
static void run_job(struct thread_pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    enqueue(pool, job);
    int number = claim(pool, job);
    if (job->count < pool->threads)
        for (int i = 1; i < job->count; i++)
            pthread_cond_signal(&pool->begin);
    else
        pthread_cond_broadcast(&pool->begin);
    for (;;) {
        pthread_mutex_unlock(&pool->lock);
        job->task(job->data, number);
        pthread_mutex_lock(&pool->lock);
        finish(pool, job);
        if (job->next == job->count)
            break;
        number = claim(pool, job);
    }
    while (job->unfinished > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- A host's threads ------------------------------------------------------------------------ */

/* Tasks of a job, taken by ticket so that they begin in order whatever order the host has. */
struct lent {
    pool_task_fn *task;
    void *data;
    struct call_details *details;
    int count;
    atomic_int next;
};

static void run_lent(void *argument, int index)
{
    struct lent *lent = argument;
    (void)index;
    const int number = atomic_fetch_add(&lent->next, 1);
    if (number >= lent->count)
        return;
    struct call_details *own = details_adopt(lent->details);
    lent->task(lent->data, number);
    details_adopt(own);
}

static void run_on_host(const struct pool_host *host, int count, pool_task_fn *task, void *data)
{
    struct lent lent = {task, data, details_here(), count, 0};
    host->parallel_for(host->user, count, run_lent, &lent);
    while (atomic_load(&lent.next) < count) /* a host may run fewer than it was given */
        run_lent(&lent, 0);
}

/* ---- The pool -------------------------------------------------------------------------------- */

struct thread_pool *pool_open(int threads, const struct pool_host *host)
{
    struct thread_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    if (host && host->parallel_for) {
        pool->host = *host;
        return pool;
    }
    pool->workers = calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers)
        goto fail;
    for (; pool->started < threads - 1; pool->started++)
        if (pthread_create(&pool->workers[pool->started], NULL, work, pool) != 0)
            goto fail;
    return pool;
fail:
    pool_close(pool);
    return NULL;
}

void pool_close(struct thread_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

int pool_threads(const struct thread_pool *pool) { return pool->threads; }

void pool_run(struct thread_pool *pool, int limit, pool_task_fn *task, void *data)
{
    const int count = limit < pool->threads ? limit : pool->threads;
    if (count <= 1) {
        task(data, 0);
    } else if (pool->host.parallel_for) {
        run_on_host(&pool->host, count, task, data);
    } else {
        struct job job = {task, data, details_here(), count, 0, count, NULL};
        run_job(pool, &job);
    }
}

/* ---- Gates ----------------------------------------------------------------------------------- */

void gate_room_open(struct gate_room *room, int threads)
{
    room->crowded = threads > cpu_threads();
    pthread_mutex_init(&room->lock, NULL);
    pthread_cond_init(&room->changed, NULL);
}

void gate_room_close(struct gate_room *room)
{
    pthread_cond_destroy(&room->changed);
    pthread_mutex_destroy(&room->lock);
}

/* The store and the look at `sleepers` here, and the count and the look at `reached` below, are all
 * sequentially consistent: one side always sees the other, so no wake-up is missed. */
void gate_raise(struct gate_room *room, struct thread_gate *gate, uint64_t value)
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
static bool watch(const struct gate_room *room, const struct thread_gate *gate, uint64_t value)
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
void gate_wait(struct gate_room *room, struct thread_gate *gate, uint64_t value)
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
bool gate_wait_or_stop(struct gate_room *room, struct thread_gate *gate, uint64_t value,
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

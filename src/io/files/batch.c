/* SPDX-License-Identifier: MIT */
/*
 * Many files to many files. Workers, each with a context of its own, take one after another; the
 * caller's thread tells of each that has ended, and passes a cancellation on.
 *
 *     jobs --> worker: ro_halftone_file --> list of the ended --> caller: done(job)
 */
#include "core/options.h"
#include "io/bytes/file.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50 }; /* how long a cancellation may go unnoticed */

struct worker {
    struct batch *batch;
    ro_context *context;
    pthread_t thread;
    bool started;
};

struct batch {
    ro_context *context;
    ro_file_job *jobs;
    size_t count, next; /* next: the first that nobody took */
    const ro_halftone_options *options;
    const ro_read_options *read;
    const ro_write_options *write;
    size_t *ended; /* numbers of jobs in the order in which they ended */
    size_t ended_count;
    int running; /* workers */
    bool stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_job(struct worker *worker, ro_file_job *job)
{
    const struct batch *batch = worker->batch;
    const double start = seconds_now();
    ro_file_report report = {.size = sizeof report};
    job->status = ro_halftone_file(worker->context, job->in, job->out, batch->options, batch->read,
                                   batch->write, &report);
    job->dropped = report.dropped;
    job->seconds = seconds_now() - start;
    if (job->status == RO_OK)
        job->report = *ro_context_report(worker->context);
    else
        strncpy(job->message, ro_context_message(worker->context), sizeof job->message - 1);
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct batch *batch = worker->batch;
    pthread_mutex_lock(&batch->lock);
    while (batch->next < batch->count && !batch->stop) {
        const size_t number = batch->next++;
        pthread_mutex_unlock(&batch->lock);
        run_job(worker, &batch->jobs[number]);
        pthread_mutex_lock(&batch->lock);
        batch->ended[batch->ended_count++] = number;
        pthread_cond_broadcast(&batch->changed);
    }
    batch->running--;
    pthread_cond_broadcast(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    return NULL;
}

/* With the lock held: waits for a change, or a moment. */
static void wait_a_moment(struct batch *batch)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&batch->changed, &batch->lock, &until);
}

/* Tells of the jobs until all workers have gone. */
static void watch(struct batch *batch, struct worker *workers, int count, ro_job_fn done,
                  void *data)
{
    size_t told = 0;
    pthread_mutex_lock(&batch->lock);
    for (;;) {
        while (told < batch->ended_count) {
            const ro_file_job *job = &batch->jobs[batch->ended[told++]];
            pthread_mutex_unlock(&batch->lock);
            if (done)
                done(data, job);
            (void)ro_context_progress(batch->context, "halftone",
                                      (double)told / (double)batch->count);
            pthread_mutex_lock(&batch->lock);
        }
        if (batch->running == 0)
            break;
        if (ro_context_cancelled(batch->context) && !batch->stop) {
            batch->stop = true;
            for (int i = 0; i < count; i++)
                ro_context_cancel(workers[i].context);
        }
        wait_a_moment(batch);
    }
    pthread_mutex_unlock(&batch->lock);
}

/* Starts as many workers as can be; no signal is delivered to them. */
static ro_status start(struct batch *batch, struct worker *workers, int count,
                       const ro_context_options *each)
{
    sigset_t all, before;
    ro_status status = RO_OK;
    sigfillset(&all);
    for (int i = 0; i < count && status == RO_OK; i++) {
        workers[i].batch = batch;
        status = ro_context_open(each, &workers[i].context);
        if (status != RO_OK)
            status = ro_context_fail(batch->context, status, "%s", ro_context_message(NULL));
    }
    pthread_mutex_lock(&batch->lock);
    for (int i = 0; i < count && status == RO_OK; i++) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        batch->running += workers[i].started;
    }
    if (status == RO_OK && batch->running == 0)
        status = ro_context_fail(batch->context, RO_E_MEMORY, "cannot start a thread");
    pthread_mutex_unlock(&batch->lock);
    return status;
}

static ro_status run(struct batch *batch, struct worker *workers, int count,
                     const ro_context_options *each, ro_job_fn done, void *data)
{
    pthread_mutex_init(&batch->lock, NULL);
    pthread_cond_init(&batch->changed, NULL);
    ro_status status = start(batch, workers, count, each);
    if (status == RO_OK)
        watch(batch, workers, count, done, data);
    for (int i = 0; i < count; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        ro_context_close(workers[i].context);
    }
    pthread_cond_destroy(&batch->changed);
    pthread_mutex_destroy(&batch->lock);
    if (status == RO_OK && batch->stop)
        status = ro_context_fail(batch->context, RO_E_CANCELLED, "cancelled");
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const ro_file_job *const *)a)->out, (*(const ro_file_job *const *)b)->out);
}

/* Two results under one name would be one lost. */
static ro_status check_names(ro_context *context, const ro_file_job *jobs, size_t count)
{
    const ro_file_job **sorted = malloc((count + 1) * sizeof *sorted);
    ro_status status = RO_OK;
    if (!sorted)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory for %zu names", count);
    for (size_t i = 0; i < count && status == RO_OK; i++) {
        sorted[i] = &jobs[i];
        if (!jobs[i].in || !jobs[i].out)
            status = ro_context_fail(context, RO_E_ARGUMENT, "a file has no name");
    }
    if (status == RO_OK)
        qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count && status == RO_OK; i++)
        if (strcmp(sorted[i - 1]->out, sorted[i]->out) == 0)
            status = ro_context_fail(context, RO_E_ARGUMENT, "%s and %s would both become %s",
                                     sorted[i - 1]->in, sorted[i]->in, sorted[i]->out);
    free(sorted);
    return status;
}

ro_status ro_halftone_files(ro_context *context, ro_file_job *jobs, size_t count,
                            const ro_halftone_options *options, const ro_read_options *read,
                            const ro_write_options *write, const ro_context_options *given,
                            ro_job_fn done, void *data)
{
    if (!context || (!jobs && count))
        return ro_context_fail(context, RO_E_ARGUMENT, "there are no files");
    ro_context_options each = RO_CONTEXT_OPTIONS;
    ro_status status = take_options(context, given, &each, "RO_CONTEXT_OPTIONS");
    if (status == RO_OK)
        status = check_names(context, jobs, count);
    if (status != RO_OK || count == 0)
        return status;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = each.threads > 0 ? each.threads : cores > 0 ? (int)cores : 1;
    if (threads > RO_MAX_THREADS)
        threads = RO_MAX_THREADS;
    const int workers_count = count < (size_t)threads ? (int)count : threads;
    each.threads = threads / workers_count;
    each.progress = NULL;
    struct worker *workers = calloc((size_t)workers_count, sizeof *workers);
    struct batch batch = {.context = context,
                          .jobs = jobs,
                          .count = count,
                          .options = options,
                          .read = read,
                          .write = write,
                          .ended = malloc(count * sizeof *batch.ended)};
    for (size_t i = 0; i < count; i++) {
        jobs[i].status = RO_E_CANCELLED; /* until it has run */
        jobs[i].report = (ro_report){0};
        jobs[i].dropped = (ro_dropped){0};
        jobs[i].message[0] = jobs[i].message[sizeof jobs[i].message - 1] = '\0';
        jobs[i].seconds = 0;
    }
    if (workers && batch.ended)
        status = run(&batch, workers, workers_count, &each, done, data);
    else
        status = ro_context_fail(context, RO_E_MEMORY, "not enough memory for %zu files", count);
    free(workers);
    free(batch.ended);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* What a host program lends to a context: its threads, its log, its way to cancel. */
#include "context/calls.h"
#include "context/context.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

typedef void task_fn(void *argument, int index);

/* ---- Threads --------------------------------------------------------------------------------- */

static int tasks_given;

static void forwards(void *user, int count, task_fn *task, void *argument)
{
    (void)user;
    tasks_given += count;
    for (int i = 0; i < count; i++)
        task(argument, i);
}

static void backwards(void *user, int count, task_fn *task, void *argument)
{
    (void)user;
    for (int i = count; i-- > 0;)
        task(argument, i);
}

/* It forgets all but one, which the library then runs by itself. */
static void hardly_any(void *user, int count, task_fn *task, void *argument)
{
    (void)user;
    task(argument, count - 1);
}

struct lent {
    pthread_t thread;
    task_fn *task;
    void *argument;
    int index;
};

static void *run_lent(void *data)
{
    struct lent *lent = data;
    lent->task(lent->argument, lent->index);
    return NULL;
}

/* As many threads as tasks; the caller's does nothing. */
static void side_by_side(void *user, int count, task_fn *task, void *argument)
{
    struct lent lent[64];
    (void)user;
    for (int i = 0; i < count; i++) {
        lent[i] = (struct lent){.task = task, .argument = argument, .index = count - 1 - i};
        if (pthread_create(&lent[i].thread, NULL, run_lent, &lent[i]) != 0)
            abort();
    }
    for (int i = 0; i < count; i++)
        pthread_join(lent[i].thread, NULL);
}

static ro_context *open_context(const ro_context_options *options)
{
    ro_context *context;
    if (ro_context_open(options, &context) != RO_OK)
        fail_msg("%s", ro_context_message(NULL));
    return context;
}

static uint64_t expected[CALLS];

static int run_alone(void **state)
{
    (void)state;
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.threads = 1;
    ro_context *context = open_context(&options);
    for (int i = 0; i < CALLS; i++)
        expected[i] = calls[i].run(context);
    ro_context_close(context);
    return 0;
}

static void run_all(ro_parallel_for_fn host)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.parallel_for = host;
    options.threads = 5;
    ro_context *context = open_context(&options);
    for (int i = 0; i < CALLS; i++)
        if (calls[i].run(context) != expected[i])
            fail_msg("%s: %s", calls[i].name, ro_context_message(context));
    ro_context_close(context);
}

/* A deadlock would last until the test times out. */
static void one_after_another(void **state)
{
    (void)state;
    tasks_given = 0;
    run_all(forwards);
    assert_true(tasks_given > 100); /* the host ran them */
    run_all(backwards);
}

static void fewer_than_given(void **state)
{
    (void)state;
    run_all(hardly_any);
}

static void on_threads_of_the_host(void **state)
{
    (void)state;
    run_all(side_by_side);
}

struct failing {
    ro_context *context;
    pthread_t caller;
    atomic_int helped;
};

static void fail_elsewhere(void *data, int number)
{
    struct failing *failing = data;
    if (pthread_equal(pthread_self(), failing->caller))
        return;
    ro_context_fail(failing->context, RO_E_ARGUMENT, "task %d", number);
    atomic_store(&failing->helped, 1);
}

/* What fails on a helping thread leaves its message with the thread that made the call. */
static void messages_of_helpers(ro_parallel_for_fn host)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.parallel_for = host;
    options.threads = 3;
    struct failing failing = {.context = open_context(&options), .caller = pthread_self()};
    while (!atomic_load(&failing.helped))
        pool_run(failing.context->pool, 3, fail_elsewhere, &failing);
    assert_non_null(strstr(ro_context_message(failing.context), "task "));
    ro_context_close(failing.context);
}

static void messages_from_helpers(void **state)
{
    (void)state;
    messages_of_helpers(side_by_side);
    messages_of_helpers(NULL);
}

/* ---- Log, progress and cancellation ---------------------------------------------------------- */

struct host {
    char error[200], info[200];
    int errors, infos;
    atomic_int looks, stop_at; /* calls of `cancelled` */
};

static void take_log(void *user, ro_log_level level, const char *message)
{
    struct host *host = user;
    snprintf(level == RO_LOG_ERROR ? host->error : host->info, sizeof host->error, "%s", message);
    *(level == RO_LOG_ERROR ? &host->errors : &host->infos) += 1;
}

static void log_of_a_host(void **state)
{
    (void)state;
    struct host host = {0};
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.user = &host;
    options.log = take_log;
    options.threads = 2;
    ro_context *context = open_context(&options);
    assert_int_equal(host.infos, 1);
    assert_non_null(strstr(host.info, "2 threads"));
    assert_true(calls[0].run(context) == expected[0]);
    assert_int_equal(host.errors, 0);
    assert_int_equal(halftone_by(context, "none-such"), 0);
    assert_int_equal(host.errors, 1);
    assert_string_equal(host.error, ro_context_message(context));
    ro_context_close(context);
}

static int stops(void *user)
{
    struct host *host = user;
    return atomic_fetch_add(&host->looks, 1) == atomic_load(&host->stop_at);
}

/* The hook says stop once, early or late: the call must not return a result that lacks what was
 * left out. */
static void cancelled_by_a_host(void **state)
{
    (void)state;
    struct host host = {0};
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.user = &host;
    options.cancelled = stops;
    options.threads = 4;
    ro_context *context = open_context(&options);
    for (int i = 0; i < CALLS; i++) {
        atomic_store(&host.looks, 0);
        atomic_store(&host.stop_at, -1);
        assert_true(calls[i].run(context) == expected[i]);
        const int looks = atomic_load(&host.looks);
        for (int at = 0; at < looks; at += 1 + looks / 3) {
            atomic_store(&host.looks, 0);
            atomic_store(&host.stop_at, at);
            const uint64_t hash = calls[i].run(context);
            if (hash != 0 && hash != expected[i])
                fail_msg("%s, stopped at look %d of %d: a wrong result", calls[i].name, at, looks);
            if (hash == 0)
                assert_string_equal(ro_context_message(context), "cancelled");
            ro_context_resume(context);
        }
    }
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_another),      cmocka_unit_test(fewer_than_given),
        cmocka_unit_test(on_threads_of_the_host), cmocka_unit_test(messages_from_helpers),
        cmocka_unit_test(log_of_a_host),          cmocka_unit_test(cancelled_by_a_host),
    };
    return cmocka_run_group_tests(tests, run_alone, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A context that several threads use at the same time: results, messages and reports of each. The
 * thread sanitizer runs this, too. */
#include "context/calls.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { THREADS = 8 };

static uint64_t expected[CALLS];

static ro_context *open_context(int threads)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    ro_context *context;
    options.threads = threads;
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

static int run_alone(void **state)
{
    (void)state;
    ro_context *context = open_context(1);
    for (int i = 0; i < CALLS; i++) {
        expected[i] = calls[i].run(context);
        if (!expected[i])
            fail_msg("%s: %s", calls[i].name, ro_context_message(context));
    }
    ro_context_close(context);
    return 0;
}

struct user {
    pthread_t thread;
    ro_context *context;
    int number;
    char wrong[200];
};

static void fail_with(struct user *user, const char *what)
{
    snprintf(user->wrong, sizeof user->wrong, "%s: %s", what, ro_context_message(user->context));
}

/* Every thread begins with another call, so that all kinds meet. */
static void *run_calls(void *data)
{
    struct user *user = data;
    for (int i = 0; i < CALLS && !*user->wrong; i++) {
        const int which = (i + user->number * CALLS / THREADS) % CALLS;
        if (calls[which].run(user->context) != expected[which])
            fail_with(user, calls[which].name);
    }
    return NULL;
}

/* A thread's message and report are those of its own calls, whatever others do meanwhile. */
static void *fail_calls(void *data)
{
    struct user *user = data;
    char method[20], says[60];
    snprintf(method, sizeof method, "no-method-%d", user->number);
    snprintf(says, sizeof says, "no method \"%s\"", method);
    for (int i = 0; i < 50 && !*user->wrong; i++) {
        const char *own = user->number % 2 ? "floyd-steinberg" : "stucki";
        if (halftone_by(user->context, own) == 0)
            fail_with(user, own);
        else if (strcmp(ro_context_report(user->context)->method, own) != 0)
            fail_with(user, "the report is of another call");
        else if (halftone_by(user->context, method) != 0)
            fail_with(user, "accepted");
        else if (!strstr(ro_context_message(user->context), method))
            fail_with(user, says);
    }
    return NULL;
}

static void run_users(ro_context *context, void *(*run)(void *))
{
    struct user users[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        users[i].context = context;
        users[i].number = i;
        assert_int_equal(pthread_create(&users[i].thread, NULL, run, &users[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (*users[i].wrong)
            fail_msg("thread %d: %s", i, users[i].wrong);
}

static void all_calls_at_once(void **state)
{
    (void)state;
    ro_context *context = open_context(4);
    run_users(context, run_calls);
    ro_context_close(context);
}

static void details_of_threads(void **state)
{
    (void)state;
    ro_context *context = open_context(2);
    run_users(context, fail_calls);
    assert_string_equal(ro_context_message(context), ""); /* this thread made no call */
    assert_null(ro_context_report(context)->method);
    ro_context_close(context);
}

/* On a device calls take turns. Those that cannot run there are refused to every thread. */
static void *run_calls_there(void *data)
{
    struct user *user = data;
    for (int i = 0; i < 2 * CALLS && !*user->wrong; i++) {
        const int which = (i + user->number * CALLS / THREADS) % CALLS;
        const uint64_t hash = calls[which].run(user->context);
        if (hash != expected[which] &&
            (hash != 0 || strstr(ro_context_message(user->context), "CUDA") == NULL))
            fail_with(user, calls[which].name);
    }
    return NULL;
}

static void all_calls_on_a_device(void **state)
{
    (void)state;
    ro_context_options options = RO_CONTEXT_OPTIONS;
    ro_context *context;
    options.device = RO_DEVICE_CUDA;
    options.threads = 2;
    if (ro_context_open(&options, &context) != RO_OK)
        skip();
    run_users(context, run_calls_there);
    ro_context_close(context);
}

/* A request to stop ends the calls of all threads. */
static void *run_until_cancelled(void *data)
{
    struct user *user = data;
    while (calls[0].run(user->context))
        ;
    if (strcmp(ro_context_message(user->context), "cancelled") != 0)
        fail_with(user, "not cancelled");
    return NULL;
}

static void *cancel(void *data)
{
    struct timespec moment = {0, 20 * 1000 * 1000};
    nanosleep(&moment, NULL);
    ro_context_cancel(data);
    return NULL;
}

static void cancelling(void **state)
{
    (void)state;
    pthread_t thread;
    ro_context *context = open_context(3);
    assert_int_equal(pthread_create(&thread, NULL, cancel, context), 0);
    run_users(context, run_until_cancelled);
    pthread_join(thread, NULL);
    ro_context_resume(context);
    assert_true(calls[0].run(context) == expected[0]);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_calls_at_once),
        cmocka_unit_test(all_calls_on_a_device),
        cmocka_unit_test(details_of_threads),
        cmocka_unit_test(cancelling),
    };
    return cmocka_run_group_tests(tests, run_alone, NULL);
}

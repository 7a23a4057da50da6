/* SPDX-License-Identifier: MIT */
/*
 * The handler only sets flags: ro_context_cancel is one atomic store, and the work stops at its
 * next check, removes its temporary files and returns. System calls are not restarted, so that a
 * read from a silent pipe ends too. Who asks a second time gets no work any more: the handler
 * removes the temporary files and ends the process. A closed pipe and a file over the limit are
 * errors of write.
 */
#include "cli/common/signals.h"

#include "roundoff_io.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int caught;
static atomic_int inside; /* handlers at work: any thread may be the one that is interrupted */
static _Atomic(ro_context *) watched;
static void (*_Atomic at_once)(void);

static void on_signal(int number)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&caught, &none, number)) {
        ro_temporaries_remove();
        _exit(128 + number);
    }
    atomic_fetch_add(&inside, 1);
    void (*action)(void) = atomic_load(&at_once);
    if (action)
        action();
    ro_context *context = atomic_load(&watched);
    if (context)
        ro_context_cancel(context);
    atomic_fetch_sub(&inside, 1);
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup asks to outlive the terminal by ignoring this one. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

void signals_at_once(void (*action)(void)) { atomic_store(&at_once, action); }

void signals_watch(ro_context *context)
{
    atomic_store(&watched, context);
    while (atomic_load(&inside))
        sched_yield(); /* the old context may be closed after this returns */
    if (context && atomic_load(&caught))
        ro_context_cancel(context);
}

int signals_caught(void) { return atomic_load(&caught); }

/* SPDX-License-Identifier: MIT */
#include "io/bytes/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, data) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

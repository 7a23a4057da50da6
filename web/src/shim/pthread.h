/* SPDX-License-Identifier: MIT */
/* POSIX threads for WebAssembly, where there is one thread: nothing to lock and nobody to wake. No
 * thread can be started, and a wait, which could never end, ends the program. */
#ifndef RO_WEB_PTHREAD_H
#define RO_WEB_PTHREAD_H

#include <time.h>

typedef int pthread_t, pthread_mutex_t, pthread_mutexattr_t, pthread_cond_t, pthread_once_t;
typedef int pthread_attr_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_RECURSIVE 1

static inline int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

static inline int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type)
{
    (void)attributes, (void)type;
    return 0;
}

static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)mutex, (void)attributes;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes)
{
    (void)condition, (void)attributes;
    return 0;
}

static inline int pthread_cond_signal(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition, (void)mutex;
    __builtin_trap();
}

static inline int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                         const struct timespec *until)
{
    (void)condition, (void)mutex, (void)until;
    __builtin_trap();
}

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *data)
{
    (void)thread, (void)attributes, (void)run, (void)data;
    return 1;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}

static inline pthread_t pthread_self(void) { return 0; }

static inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once) {
        *once = 1;
        run();
    }
    return 0;
}

#endif

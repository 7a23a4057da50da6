/* SPDX-License-Identifier: MIT */
/* Opening and closing contexts, and what they remember: the last message and the last report. */
#include "context/context.h"

#include "context/device.h"
#include "context/limits.h"
#include "core/cpu.h"
#include "core/details.h"
#include "core/misuse.h"
#include "core/one_line.h"
#include "core/options.h"
#include "cuda/cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPTIONS_INIT(ro_context_options, RO_CONTEXT_OPTIONS)

const char *ro_version(void) { return RO_VERSION; }

void ro_free(void *memory) { free(memory); }

static atomic_uint_fast64_t opened; /* contexts of the process so far */

/* Why a context could not be opened: there is none yet to ask. */
static _Thread_local char not_opened[256];

static ro_status refuse(ro_status status, const char *format, ...) RO_PRINTF(2, 3);
static ro_status refuse(ro_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(not_opened, sizeof not_opened, format, arguments);
    make_one_line(not_opened);
    va_end(arguments);
    return status;
}

static void turns_open(pthread_mutex_t *turns)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(turns, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

ro_context *device_turn_begin(ro_context *context)
{
    if (context)
        pthread_mutex_lock(&context->device_turns);
    return context;
}

void device_turn_end(ro_context **context)
{
    if (*context)
        pthread_mutex_unlock(&(*context)->device_turns);
}

ro_status ro_context_open(const ro_context_options *options, ro_context **context)
{
    char message[RO_OPTIONS_MESSAGE];
    ro_context_options full = RO_CONTEXT_OPTIONS;
    if (!context)
        return refuse(RO_E_ARGUMENT, "there is no place for the context");
    *context = NULL;
    ro_status status = options_copy(options, &full, "RO_CONTEXT_OPTIONS", message);
    if (status != RO_OK)
        return refuse(status, "%s", message);
    options = &full;
    if (options->threads < 0 || options->threads > RO_MAX_THREADS)
        return refuse(RO_E_ARGUMENT, "%d threads: must be from 1 to %d", options->threads,
                      RO_MAX_THREADS);
    if (!cpu_usable(options->cpu))
        return refuse(RO_E_UNSUPPORTED,
                      (unsigned)options->cpu > (unsigned)cpu_best()
                          ? "this processor has no %s, its best is %s"
                          : "this build has no code for %s, only for %s",
                      ro_cpu_name(options->cpu), ro_cpu_name(cpu_best()));
    status = device_usable(options, message, sizeof message);
    if (status != RO_OK)
        return refuse(status, "%s", message);

    ro_context *made = calloc(1, sizeof *made);
    if (!made)
        return refuse(RO_E_MEMORY, "no memory for a context");
    made->number = atomic_fetch_add(&opened, 1) + 1;
    made->options = *options;
    made->cpu = options->cpu ? options->cpu : cpu_best();
    made->threads = options->threads ? options->threads : cpu_threads();
    made->limits = limits_resolve(options->limits);
    turns_open(&made->device_turns);
    pthread_mutex_init(&made->lock, NULL);
    made->pool = pool_open(made->threads, &(struct pool_host){full.parallel_for, full.user});
    if (!made->pool) {
        ro_context_close(made);
        return refuse(RO_E_MEMORY, "no memory for a context of %d threads", full.threads);
    }
    if (full.log) {
        snprintf(message, sizeof message, "version %s, %s, %s, %d threads", RO_VERSION,
                 ro_device_name(full.device), ro_cpu_name(made->cpu), made->threads);
        full.log(full.user, RO_LOG_INFO, message);
    }
    *context = made;
    *not_opened = 0;
    return RO_OK;
}

void ro_context_close(ro_context *context)
{
    if (!context)
        return;
    while (context->attached) {
        struct attached_part *attached = context->attached;
        context->attached = attached->next;
        attached->close(attached->what);
        free(attached);
    }
    if (context->cuda)
        cuda_close(context->cuda);
    pool_close(context->pool);
    pthread_mutex_destroy(&context->device_turns);
    pthread_mutex_destroy(&context->lock);
    free(context);
}

const char *ro_context_message(const ro_context *context)
{
    return context ? details_of(context->number)->message : not_opened;
}

ro_report *context_report(const ro_context *context)
{
    return &details_of(context->number)->report;
}

const ro_report *ro_context_report(const ro_context *context)
{
    return context ? context_report(context) : NULL;
}

int ro_context_threads(const ro_context *context) { return context ? context->threads : 0; }

const ro_context_options *ro_context_asked(const ro_context *context)
{
    return context ? &context->options : NULL;
}

const ro_limits *ro_context_limits(const ro_context *context)
{
    return context ? &context->limits : NULL;
}

void ro_context_cancel(ro_context *context)
{
    if (context)
        atomic_store(&context->cancelled, true);
}

void ro_context_resume(ro_context *context)
{
    if (context)
        atomic_store(&context->cancelled, false);
}

/* A request by the hook stays as one by ro_context_cancel does: a call that has left out work must
 * not find at its end that it was not cancelled. */
int ro_context_cancelled(const ro_context *context)
{
    if (!context)
        return 0;
    const ro_context_options *options = &context->options;
    if (options->cancelled && !atomic_load(&context->cancelled) &&
        options->cancelled(options->user))
        ro_context_cancel((ro_context *)context);
    return atomic_load(&context->cancelled);
}

ro_status ro_context_fail(ro_context *context, ro_status status, const char *format, ...)
{
    char message[RO_DETAILS_MESSAGE];
    va_list arguments;
    if (!context || !format)
        return RO_E_ARGUMENT;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    make_one_line(message);
    va_end(arguments);
    details_fail(context->number, message);
    if (context->options.log)
        context->options.log(context->options.user, RO_LOG_ERROR, message);
    return status;
}

/* Finds the pointer to what this thread keeps, or to the NULL at the end; with the lock held. */
static struct attached_part **attached_here(ro_context *context)
{
    struct attached_part **at = &context->attached;
    while (*at && !pthread_equal((*at)->owner, pthread_self()))
        at = &(*at)->next;
    return at;
}

ro_status ro_context_attach(ro_context *context, void *what, void (*close)(void *what))
{
    if (!context)
        return RO_E_ARGUMENT;
    struct attached_part *made = what ? malloc(sizeof *made) : NULL;
    if (what && !made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to keep something");
    pthread_mutex_lock(&context->lock);
    struct attached_part **at = attached_here(context), *before = *at;
    if (before)
        *at = before->next;
    if (made) {
        *made = (struct attached_part){pthread_self(), what, close, context->attached};
        context->attached = made;
    }
    pthread_mutex_unlock(&context->lock);
    if (before)
        before->close(before->what);
    free(before);
    return RO_OK;
}

void *ro_context_attached(ro_context *context)
{
    if (!context)
        return NULL;
    pthread_mutex_lock(&context->lock);
    const struct attached_part *attached = *attached_here(context);
    void *what = attached ? attached->what : NULL;
    pthread_mutex_unlock(&context->lock);
    return what;
}

struct device_state **context_cuda(ro_context *context) { return &context->cuda; }

int context_device_number(const ro_context *context)
{
    return is_default(context->options.device_number) ? -1 : context->options.device_number;
}

ro_status ro_context_progress(ro_context *context, const char *phase, double done)
{
    if (MISSING(context, phase))
        return RO_E_ARGUMENT;
    const ro_context_options *options = &context->options;
    if (options->progress && options->progress(options->user, phase, done) != 0)
        ro_context_cancel(context);
    if (ro_context_cancelled(context))
        return ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    return RO_OK;
}

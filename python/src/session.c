/* SPDX-License-Identifier: MIT */
/* A context for each thread, the interpreter's lock given up round calls, signals, exceptions. */
#include "binding.h"
#include "roundoff/library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t own_session;
static pthread_once_t own_session_made = PTHREAD_ONCE_INIT;
static bool own_session_there;

/* ---- Exceptions
 * ---------------------------------------------------------------------------------- */
static const char *exception_of(ro_status status)
{
    switch (status) {
    case RO_E_MEMORY:
        return "OutOfMemory";
    case RO_E_IO:
    case RO_E_DEVICE:
        return "SystemFailure";
    case RO_E_CANCELLED:
        return "Cancelled";
    default:
        return "BadArgument";
    }
}

void raise_status(ro_status status, const char *sentence)
{
    PyObject *errors = PyImport_ImportModule("roundoff._errors");
    PyObject *exception = errors ? PyObject_GetAttrString(errors, exception_of(status)) : NULL;
    if (exception)
        PyErr_SetString(exception, sentence[0] ? sentence : ro_status_name(status));
    Py_XDECREF(exception);
    Py_XDECREF(errors);
}

void raise_bad(const char *format, ...)
{
    va_list arguments;
    PyErr_Clear(); /* this sentence says more */
    PyObject *errors = PyImport_ImportModule("roundoff._errors");
    PyObject *exception = errors ? PyObject_GetAttrString(errors, "BadArgument") : NULL;
    va_start(arguments, format);
    if (exception)
        PyErr_FormatV(exception, format, arguments);
    va_end(arguments);
    Py_XDECREF(exception);
    Py_XDECREF(errors);
}

bool session_succeeded(struct session *session, ro_status status)
{
    if (status == RO_E_CANCELLED) /* the next call is another matter */
        ro_context_resume(session->context);
    if (PyErr_Occurred()) /* of a signal or of progress, which cancelled the call */
        return false;
    if (status != RO_OK)
        raise_status(status, ro_context_message(session->context));
    return status == RO_OK;
}

/* ---- Leaving the interpreter
 * ----------------------------------------------------------------------- */
void session_leave(struct session *session)
{
    clock_gettime(CLOCK_MONOTONIC, &session->looked);
    session->released = PyEval_SaveThread();
}

void session_return(struct session *session)
{
    PyThreadState *state = session->released;
    session->released = NULL;
    PyEval_RestoreThread(state);
}

static bool time_to_look(struct session *session)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double passed = (double)(now.tv_sec - session->looked.tv_sec) +
                          1e-9 * (double)(now.tv_nsec - session->looked.tv_nsec);
    if (passed < 0.02) /* taking the lock costs more than most steps */
        return false;
    session->looked = now;
    return true;
}

static int on_progress(void *data, const char *phase, double done)
{
    struct session *session = data;
    if (!session->released || !(time_to_look(session) || (session->progress && done >= 1)))
        return 0;
    session_return(session);
    bool stop = PyErr_CheckSignals() != 0;
    if (!stop && session->progress) {
        PyObject *answer = PyObject_CallFunction(session->progress, "sd", phase, done);
        stop = !answer;
        Py_XDECREF(answer);
    }
    session->released = PyEval_SaveThread();
    return stop;
}

/* ---- Opening
 * ------------------------------------------------------------------------------------- */
void session_close(struct session *session)
{
    if (session->context && session->process == getpid()) { /* a fork has none of its threads */
        quick_plan_free(&session->quick);
        ro_context_close(session->context);
    }
    session->quick = (struct quick_plan){0};
    session->context = NULL;
}

static void close_own(void *data)
{
    struct session *session = data;
    session_close(&session[0]);
    session_close(&session[1]);
    free(session);
}

static void make_own(void) { own_session_there = pthread_key_create(&own_session, close_own) == 0; }

static bool parse_run(PyObject *run, ro_context_options *options, PyObject **progress)
{
    const char *device, *cpu;
    PyObject *number;
    if (!PyArg_ParseTuple(run, "ssiOO", &device, &cpu, &options->threads, &number, progress))
        return false;
    int found = -1;
    for (int i = RO_DEVICE_AUTO; i <= RO_DEVICE_CUDA; i++)
        if (ro_name_equal(device, ro_device_name((ro_device)i)))
            options->device = (ro_device)(found = i);
    if (found < 0) {
        raise_bad("device: %s is not auto, cpu or cuda", device);
        return false;
    }
    found = -1;
    for (int i = RO_CPU_AUTO; i <= RO_CPU_AVX512; i++)
        if (ro_name_equal(cpu, ro_cpu_name((ro_cpu)i)))
            options->cpu = (ro_cpu)(found = i);
    if (found < 0) {
        raise_bad("cpu: %s is not auto, scalar, v128, avx2 or avx512", cpu);
        return false;
    }
    if (number != Py_None) {
        const long wanted = PyLong_AsLong(number);
        if (wanted == -1 && PyErr_Occurred())
            return false;
        options->device_number = (int)wanted;
    }
    if (*progress == Py_None)
        *progress = NULL;
    return true;
}

static bool same_context(const ro_context_options *a, const ro_context_options *b)
{
    return a->device == b->device && a->cpu == b->cpu && a->threads == b->threads &&
           a->device_number == b->device_number;
}

bool session_resume(struct session *session, PyObject *progress)
{
    if (session->busy) {
        raise_status(RO_E_STATE, "a call is already in progress here");
        return false;
    }
    session->busy = true;
    session->progress = progress;
    return true;
}

/* Takes the session for a call, on a context with these options. */
static bool take(struct session *session, ro_context_options options, PyObject *progress)
{
    if (!session_resume(session, progress))
        return false;
    if (session->context && session->process == getpid() &&
        same_context(&session->opened, &options))
        return true;
    session_close(session);
    options.progress = on_progress;
    options.user = session;
    const ro_status status = ro_context_open(&options, &session->context);
    if (status != RO_OK) {
        session_end(session);
        raise_status(status, ro_context_message(NULL));
        return false;
    }
    session->opened = options;
    session->process = getpid();
    return true;
}

bool session_open(struct session *session, PyObject *run)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    PyObject *progress = NULL;
    return parse_run(run, &options, &progress) && take(session, options, progress);
}

/* The thread's own, one for the CPU and one for devices, so that calls for either in turn open no
 * context; NULL with an exception where there is no memory. */
static struct session *session_of_thread(bool device)
{
    pthread_once(&own_session_made, make_own);
    struct session *session = own_session_there ? pthread_getspecific(own_session) : NULL;
    if (!session) {
        session = calloc(2, sizeof *session);
        if (!session || !own_session_there || pthread_setspecific(own_session, session) != 0) {
            free(session);
            PyErr_NoMemory();
            return NULL;
        }
    }
    return session + device;
}

struct session *session_begin(PyObject *run)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    PyObject *progress = NULL;
    if (!parse_run(run, &options, &progress))
        return NULL;
    struct session *session = session_of_thread(options.device == RO_DEVICE_CUDA);
    return session && take(session, options, progress) ? session : NULL;
}

struct session *session_begin_usual(void)
{
    struct session *session = session_of_thread(false);
    const ro_context_options options = RO_CONTEXT_OPTIONS;
    return session && take(session, options, NULL) ? session : NULL;
}

void session_end(struct session *session)
{
    session->busy = false;
    session->progress = NULL;
}

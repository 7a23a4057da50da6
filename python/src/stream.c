/* SPDX-License-Identifier: MIT */
/* Halftones row by row, and pieces of a picture that are handed what the rows above carry on. */
#include "binding.h"
#include "roundoff/pieces.h"

#include <stdlib.h>
#include <unistd.h>

static const char stream_name[] = "roundoff.stream";

struct stream {
    struct session session;
    struct halftone_request request;
    bool requested;
    ro_plan *plan;
    ro_stream *rows;
    uint32_t width;
    int carried;
    bool waits; /* for what the rows above carry on */
};

static void stream_free(struct stream *stream)
{
    if (stream->session.process == getpid()) { /* a fork has none of its threads */
        ro_stream_close(stream->rows);
        ro_plan_free(stream->plan);
    }
    if (stream->requested)
        halftone_request_release(&stream->request);
    session_close(&stream->session);
    free(stream);
}

static void capsule_free(PyObject *capsule)
{
    stream_free(PyCapsule_GetPointer(capsule, stream_name));
}

/* stream_open(shape view, height, out format number, first row, rows, options, run) */
static PyObject *stream_open(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *shape, *dictionary, *run;
    unsigned height, first, rows;
    int format;
    if (!PyArg_ParseTuple(arguments, "OIiIIO!O", &shape, &height, &format, &first, &rows,
                          &PyDict_Type, &dictionary, &run))
        return NULL;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return PyErr_NoMemory();
    struct view view = {0};
    bool done = view_take(shape, false, &view) && session_open(&stream->session, run);
    if (done) {
        stream->requested = true;
        done = halftone_request_take(&stream->session, dictionary, &stream->request);
    }
    if (done) {
        ro_image picture = view.image;
        picture.height = height;
        ro_plan_info info = {.size = sizeof info};
        session_leave(&stream->session);
        ro_status status = ro_halftone_plan(stream->session.context, &picture, (ro_format)format,
                                            &stream->request.options, &stream->plan);
        if (status == RO_OK)
            status = ro_plan_query(stream->plan, &info);
        if (status == RO_OK)
            status = ro_stream_open_piece(stream->plan, first, rows, &stream->rows);
        session_return(&stream->session);
        stream->width = picture.width;
        stream->carried = info.carried;
        stream->waits = first > 0 && info.carried > 0;
        done = session_succeeded(&stream->session, status);
    }
    view_release(&view);
    session_end(&stream->session);
    PyObject *capsule = done ? PyCapsule_New(stream, stream_name, capsule_free) : NULL;
    if (!capsule)
        stream_free(stream);
    return capsule;
}

static struct stream *stream_of(PyObject *capsule)
{
    struct stream *stream = PyCapsule_GetPointer(capsule, stream_name);
    return stream && session_resume(&stream->session, NULL) ? stream : NULL;
}

/* Rows go in or come out; gives how many. */
static PyObject *move_rows(PyObject *arguments, bool out)
{
    PyObject *capsule, *triple;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &triple))
        return NULL;
    struct stream *stream = stream_of(capsule);
    if (!stream)
        return NULL;
    struct view view = {0};
    uint32_t moved = 0;
    bool done = view_take(triple, out, &view);
    if (done && stream->waits) { /* the library would wait for another thread */
        raise_status(RO_E_STATE, "what the rows above carry on was not given");
        done = false;
    }
    if (done) {
        ro_image *rows = &view.image;
        session_leave(&stream->session);
        const ro_status status =
            out ? ro_stream_pull(stream->rows, rows->data, rows->stride, rows->height, &moved)
                : ro_stream_push(stream->rows, rows->data, rows->stride, rows->height, &moved);
        session_return(&stream->session);
        done = session_succeeded(&stream->session, status);
    }
    view_release(&view);
    session_end(&stream->session);
    return done ? PyLong_FromUnsignedLong(moved) : NULL;
}

static PyObject *stream_push(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    return move_rows(arguments, false);
}

static PyObject *stream_pull(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    return move_rows(arguments, true);
}

static PyObject *stream_carry_in(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *capsule, *given;
    if (!PyArg_ParseTuple(arguments, "OS", &capsule, &given))
        return NULL;
    struct stream *stream = stream_of(capsule);
    if (!stream)
        return NULL;
    bool done = true;
    const size_t bytes = stream->carried > 0 ? 4 * (size_t)stream->carried * stream->width : 0;
    if ((size_t)PyBytes_Size(given) != bytes) {
        raise_status(RO_E_SIZE, "what is carried in is of a picture of another width or method");
        done = false;
    } else if (bytes > 0) {
        const ro_status status = ro_halftone_carry_in(
            stream->rows, 0, stream->width, (const int32_t *)(void *)PyBytes_AsString(given));
        done = session_succeeded(&stream->session, status);
        stream->waits = !done;
    }
    session_end(&stream->session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *stream_carry_out(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    struct stream *stream = stream_of(capsule);
    if (!stream)
        return NULL;
    const size_t bytes = stream->carried > 0 ? 4 * (size_t)stream->carried * stream->width : 0;
    PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (result && bytes > 0) {
        int32_t *values = (int32_t *)(void *)PyBytes_AsString(result);
        session_leave(&stream->session);
        const ro_status status = ro_halftone_carry_out(stream->rows, 0, stream->width, values);
        session_return(&stream->session);
        if (!session_succeeded(&stream->session, status))
            Py_CLEAR(result);
    }
    session_end(&stream->session);
    return result;
}

PyMethodDef stream_functions[] = {
    {"stream_open", stream_open, METH_VARARGS,
     "stream_open(shape, height, format, first_row, rows, options, run) -> stream"},
    {"stream_push", stream_push, METH_VARARGS, "stream_push(stream, rows) -> taken"},
    {"stream_pull", stream_pull, METH_VARARGS, "stream_pull(stream, rows) -> given"},
    {"stream_carry_in", stream_carry_in, METH_VARARGS, "stream_carry_in(stream, bytes)"},
    {"stream_carry_out", stream_carry_out, METH_O, "stream_carry_out(stream) -> bytes"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/*
 * The shortest way through: a small grey picture of bytes, two levels, a method and nothing else.
 * The thread's session keeps the plan of the last such call, so that a call costs little more than
 * the picture itself.
 */
#include "binding.h"

#include <string.h>
#include <unistd.h>

enum { MOST_PIXELS = 1 << 20 }; /* above it a plan is no matter, and would hold memory */

void quick_plan_free(struct quick_plan *quick)
{
    ro_plan_free(quick->plan);
    *quick = (struct quick_plan){0};
}

/* The plan for a picture, of the last call or a new one; NULL: the long way will say why. */
static ro_plan *plan_for(struct session *session, const char *method, const ro_image *in)
{
    struct quick_plan *quick = &session->quick;
    if (quick->plan && quick->width == in->width && quick->height == in->height &&
        strcmp(quick->method, method) == 0)
        return quick->plan;
    quick_plan_free(quick);
    if (strlen(method) >= sizeof quick->method)
        return NULL;
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.method = *method ? method : NULL;
    if (ro_halftone_plan(session->context, in, RO_GREY8, &options, &quick->plan) != RO_OK)
        return NULL;
    strcpy(quick->method, method);
    quick->width = in->width;
    quick->height = in->height;
    return quick->plan;
}

static bool take_bytes(PyObject *array, bool writable, Py_buffer *buffer, ro_image *image)
{
    if (PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0))) {
        PyErr_Clear();
        return false;
    }
    const bool fits =
        buffer->ndim == 2 && buffer->itemsize == 1 && buffer->len > 0 && buffer->len <= MOST_PIXELS;
    if (fits)
        *image = (ro_image){.format = RO_GREY8,
                            .width = (uint32_t)buffer->shape[1],
                            .height = (uint32_t)buffer->shape[0],
                            .maxval = 255,
                            .stride = buffer->shape[1],
                            .data = buffer->buf};
    else
        PyBuffer_Release(buffer);
    return fits;
}

/* quick(source, target, method or None) -> whether it was done; if not, the long way is taken. */
static PyObject *quick(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count)
{
    const char *method = "";
    if (count != 3 ||
        (arguments[2] != Py_None && !(method = PyUnicode_AsUTF8AndSize(arguments[2], NULL)))) {
        PyErr_Clear();
        return PyBool_FromLong(0);
    }
    struct session *session = session_begin_usual();
    if (!session)
        return NULL;
    Py_buffer from, to;
    ro_image in, out;
    ro_status status = RO_E_UNSUPPORTED;
    bool done = true;
    if (take_bytes(arguments[0], false, &from, &in)) {
        if (take_bytes(arguments[1], true, &to, &out)) {
            ro_plan *plan = plan_for(session, method, &in);
            if (plan) {
                session_leave(session);
                status = ro_plan_run(plan, &in, &out, NULL);
                session_return(session);
                done = session_succeeded(session, status);
            }
            PyBuffer_Release(&to);
        }
        PyBuffer_Release(&from);
    }
    session_end(session);
    return done ? PyBool_FromLong(status == RO_OK) : NULL;
}

PyMethodDef quick_functions[] = {
    {"quick", (PyCFunction)(void (*)(void))quick, METH_FASTCALL,
     "quick(source, target, method) -> whether it was done"},
    {NULL, NULL, 0, NULL},
};

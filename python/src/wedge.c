/* SPDX-License-Identifier: MIT */
/* Pictures that are drawn: the test card, and a wedge to print with the tone curve of its scan. */
#include "binding.h"

static PyObject *testcard(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *target, *run;
    if (!PyArg_ParseTuple(arguments, "OO", &target, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view out = {0};
    const bool done = view_take(target, true, &out) &&
                      session_succeeded(session, ro_testcard(session->context, &out.image));
    view_release(&out);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *wedge_size(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    unsigned patch;
    if (!PyArg_ParseTuple(arguments, "I", &patch))
        return NULL;
    return Py_BuildValue("II", ro_wedge_height(patch), ro_wedge_width(patch));
}

static PyObject *wedge_draw(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *target, *run;
    unsigned patch;
    if (!PyArg_ParseTuple(arguments, "IOO", &patch, &target, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view out = {0};
    const bool done =
        view_take(target, true, &out) &&
        session_succeeded(session, ro_wedge_draw(session->context, patch, &out.image));
    view_release(&out);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *wedge_fit(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *ink, *run;
    ro_wedge_options options = RO_WEDGE_OPTIONS;
    if (!PyArg_ParseTuple(arguments, "OpOO", &source, &options.linear, &ink, &run))
        return NULL;
    uint8_t *colour = options.ink_colour;
    options.ink_given = ink != Py_None;
    if (options.ink_given && !PyArg_ParseTuple(ink, "bbb;ink", &colour[0], &colour[1], &colour[2]))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0};
    ro_tone_point points[RO_WEDGE_STEPS];
    int count = 0;
    ro_wedge_report report = {.size = sizeof report};
    PyObject *list = NULL;
    if (view_take(source, false, &in)) {
        session_leave(session);
        const ro_status status =
            ro_wedge_read(session->context, &in.image, &options, points, &count, &report);
        session_return(session);
        if (session_succeeded(session, status))
            list = PyList_New(0);
    }
    for (int i = 0; list && i < count; i++)
        if (!list_append(list, Py_BuildValue("dd", points[i].in, points[i].out)))
            Py_CLEAR(list);
    view_release(&in);
    session_end(session);
    return list ? Py_BuildValue("N{s:i,s:d,s:d,s:d,s:d}", list, "turns", report.turns, "angle",
                                report.angle, "black", report.black, "light", report.light, "error",
                                report.error)
                : NULL;
}

PyMethodDef wedge_functions[] = {
    {"testcard", testcard, METH_VARARGS, "testcard(target, run)"},
    {"wedge_size", wedge_size, METH_VARARGS, "wedge_size(patch) -> height, width"},
    {"wedge_draw", wedge_draw, METH_VARARGS, "wedge_draw(patch, target, run)"},
    {"wedge_fit", wedge_fit, METH_VARARGS,
     "wedge_fit(scan, linear, ink or None, run) -> points, figures"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Registration and warping. A field is an array of floats twice as wide as the picture. */
#include "binding.h"

#include <string.h>

static const char *const others[] = {"fixed_mask", "moving_mask", NULL};

static PyObject *map_of(const ro_register_report *r)
{
    const double *m = r->map;
    if (strcmp(r->transform, "dense") == 0)
        return Py_NewRef(Py_None);
    return Py_BuildValue("((ddd)(ddd)(ddd))", m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
}

static PyObject *figures_of(const ro_register_report *r)
{
    return Py_BuildValue(
        "{s:s,s:d,s:d,s:I,s:I,s:I,s:d,s:d,s:d,s:K,s:d,s:I,s:s,s:O,s:d,s:d,s:d,s:I,s:I,s:d,s:O,s:s,"
        "s:N,s:d}",
        "number", r->number, "energy_before", r->energy_before, "energy_after", r->energy_after,
        "scales", r->scales, "steps", r->steps, "trials", r->trials, "rms", r->rms, "largest",
        r->largest, "jacobian", r->jacobian, "folds", (unsigned long long)r->folds, "outside",
        r->outside, "useless", r->useless, "match", r->match, "negative",
        r->negative ? Py_True : Py_False, "noise", r->noise, "counted", r->counted, "confidence",
        r->confidence, "matches", r->matches, "support", r->support, "directions", r->directions,
        "descended", r->descended ? Py_True : Py_False, "transform", r->transform, "map", map_of(r),
        "residual", r->residual);
}

static bool take_mask(PyObject *dictionary, const char *name, struct view *view,
                      const ro_image **mask)
{
    PyObject *given = option_of(dictionary, name);
    if (!given)
        return true;
    *mask = &view->image;
    return view_take(given, false, view);
}

static PyObject *register_pair(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *one, *other, *target, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOOO!O", &one, &other, &target, &PyDict_Type, &dictionary,
                          &run))
        return NULL;
    ro_register_options options = RO_REGISTER_OPTIONS;
    if (!members_set(dictionary, "ro_register_options", others, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view fixed = {0}, moving = {0}, field = {0}, fixed_mask = {0}, moving_mask = {0};
    ro_register_report report = {.size = sizeof report};
    PyObject *result = NULL;
    if (take_mask(dictionary, "fixed_mask", &fixed_mask, &options.fixed_mask) &&
        take_mask(dictionary, "moving_mask", &moving_mask, &options.moving_mask) &&
        view_take(one, false, &fixed) && view_take(other, false, &moving) &&
        view_take(target, true, &field)) {
        session_leave(session);
        const ro_status status = ro_register(session->context, &fixed.image, &moving.image,
                                             &field.image, &options, &report);
        session_return(session);
        if (session_succeeded(session, status))
            result = figures_of(&report);
    }
    view_release(&fixed);
    view_release(&moving);
    view_release(&field);
    view_release(&fixed_mask);
    view_release(&moving_mask);
    session_end(session);
    return result;
}

static PyObject *warp(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *picture, *displacement, *target, *run;
    int nearest;
    if (!PyArg_ParseTuple(arguments, "OOOpO", &picture, &displacement, &target, &nearest, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view image = {0}, field = {0}, out = {0};
    bool done = view_take(picture, false, &image) && view_take(displacement, false, &field) &&
                view_take(target, true, &out);
    if (done) {
        session_leave(session);
        const ro_status status = ro_warp(session->context, &image.image, &field.image, &out.image,
                                         nearest ? RO_SAMPLE_NEAREST : RO_SAMPLE_BILINEAR);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&image);
    view_release(&field);
    view_release(&out);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *inverse(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *displacement, *target, *run;
    if (!PyArg_ParseTuple(arguments, "OOO", &displacement, &target, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view field = {0}, out = {0};
    uint64_t missed = 0;
    bool done = view_take(displacement, false, &field) && view_take(target, true, &out);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_displacement_inverse(session->context, &field.image, &out.image, &missed);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&field);
    view_release(&out);
    session_end(session);
    return done ? PyLong_FromUnsignedLongLong(missed) : NULL;
}

/* points(field, from, to, inverse, run); from and to are arrays of doubles x, y. */
static PyObject *points(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *displacement, *given, *moved, *run;
    int back;
    if (!PyArg_ParseTuple(arguments, "OOOpO", &displacement, &given, &moved, &back, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view field = {0};
    Py_buffer from = {0}, to = {0};
    bool done = view_take(displacement, false, &field) &&
                PyObject_GetBuffer(given, &from, PyBUF_C_CONTIGUOUS) == 0 &&
                PyObject_GetBuffer(moved, &to, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) == 0;
    if (done && from.len != to.len) {
        raise_bad("points: there is no room for as many");
        done = false;
    }
    if (done) {
        const ro_status status =
            ro_displacement_points(session->context, &field.image, back,
                                   (size_t)from.len / (2 * sizeof(double)), from.buf, to.buf);
        done = session_succeeded(session, status);
    }
    view_release(&field);
    PyBuffer_Release(&from);
    PyBuffer_Release(&to);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef register_functions[] = {
    {"register", register_pair, METH_VARARGS,
     "register(fixed, moving, field, options, run) -> figures"},
    {"warp", warp, METH_VARARGS, "warp(image, field, target, nearest, run)"},
    {"inverse", inverse, METH_VARARGS, "inverse(field, target, run) -> pixels that are missed"},
    {"points", points, METH_VARARGS, "points(field, from, to, inverse, run)"},
    {NULL, NULL, 0, NULL},
};

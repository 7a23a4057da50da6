/* SPDX-License-Identifier: MIT */
/* Segmentation by level sets in small numbers: fronts that know nothing of each other. */
#include "binding.h"

#include <stdlib.h>

/* A speed is (coefficients, gaussian, mean, deviation, window, low, high, edge, kappa,
 * curvature). */
static bool take_speed(PyObject *tuple, ro_speed *speed)
{
    PyObject *list;
    if (!PyArg_ParseTuple(tuple, "O!ddddddddd;speed", &PyList_Type, &list, &speed->gaussian,
                          &speed->mean, &speed->deviation, &speed->window, &speed->low,
                          &speed->high, &speed->edge, &speed->kappa, &speed->curvature))
        return false;
    const Py_ssize_t count = PyList_Size(list);
    if (count > RO_POLYNOMIAL) {
        raise_bad("polynomial: more than %d coefficients", RO_POLYNOMIAL);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        speed->polynomial[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
    speed->coefficients = (int)count;
    return !PyErr_Occurred();
}

static PyObject *figures_of(const ro_segment_report *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < RO_LABELS; i++) {
        const ro_segment_label *l = &r->label[i];
        if (l->used &&
            !list_append(
                list,
                Py_BuildValue("{s:i,s:I,s:O,s:O,s:K,s:d,s:d,s:K,s:d,s:d,s:d,s:d,s:O,s:I}", "label",
                              i + 1, "steps", l->steps, "ended", l->ended ? Py_True : Py_False,
                              "stalled", l->stalled ? Py_True : Py_False, "held",
                              (unsigned long long)l->held, "slowest", l->slowest, "time", l->time,
                              "area", (unsigned long long)l->area, "perimeter", l->perimeter, "low",
                              l->low, "high", l->high, "fastest", l->fastest, "border",
                              l->border ? Py_True : Py_False, "useless", l->useless)))
            Py_CLEAR(list);
    }
    return list;
}

static bool take_optional(PyObject *triple, struct view *view, const ro_image **image)
{
    if (triple == Py_None)
        return true;
    *image = &view->image;
    return view_take(triple, false, view);
}

/* evolve(source, labels, seeds, speeds, mask, distance, velocity, factor, options, run) -> table,
 * lines */
static PyObject *evolve(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *list, *speeds, *masked, *apart, *carried, *slowed, *dictionary,
        *run;
    ro_segment_options options = RO_SEGMENT_OPTIONS;
    if (!PyArg_ParseTuple(arguments, "OOOO!OOOOO!O", &source, &target, &list, &PyList_Type, &speeds,
                          &masked, &apart, &carried, &slowed, &PyDict_Type, &dictionary, &run) ||
        !members_set(dictionary, "ro_segment_options", NULL, &options))
        return NULL;
    for (Py_ssize_t i = 0; i < RO_LABELS && i < PyList_Size(speeds); i++)
        if (!take_speed(PyList_GetItem(speeds, i), &options.speed[i]))
            return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, labels = {0}, mask = {0}, distance = {0}, velocity = {0}, factor = {0};
    ro_seed *seeds = NULL;
    const ro_image *flow = NULL;
    ro_segmentation *result = NULL;
    ro_segment_report report = {.size = sizeof report};
    PyObject *given = NULL;
    if (seeds_take(list, &seeds, &options.seed_count) && view_take(source, false, &in) &&
        view_take(target, true, &labels) && take_optional(masked, &mask, &options.mask) &&
        take_optional(apart, &distance, &options.distance) &&
        take_optional(slowed, &factor, &options.factor) &&
        take_optional(carried, &velocity, &flow)) {
        const ro_polyline *lines = NULL;
        size_t count = 0;
        options.seeds = seeds;
        options.velocity = flow ? flow->data : NULL;
        session_leave(session);
        ro_status status = ro_segment(session->context, &in.image, &options, &result, &report);
        if (status == RO_OK)
            status = ro_segmentation_labels(result, &labels.image);
        if (status == RO_OK)
            status = ro_segmentation_contours(result, &lines, &count);
        session_return(session);
        if (session_succeeded(session, status)) {
            PyObject *table = figures_of(&report), *outlines = lines_give(lines, count);
            if (table && outlines)
                given = PyTuple_Pack(2, table, outlines);
            Py_XDECREF(table);
            Py_XDECREF(outlines);
        }
    }
    ro_segmentation_free(result);
    free(seeds);
    view_release(&in);
    view_release(&labels);
    view_release(&mask);
    view_release(&distance);
    view_release(&velocity);
    view_release(&factor);
    session_end(session);
    return given;
}

PyMethodDef levelset_functions[] = {
    {"evolve", evolve, METH_VARARGS,
     "evolve(source, labels, seeds, speeds, mask, distance, velocity, factor, options, run) -> "
     "table, "
     "lines"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Segmentation by fronts that compete. */
#include "binding.h"

#include <stdlib.h>

bool seeds_take(PyObject *list, ro_seed **seeds, size_t *count)
{
    const Py_ssize_t given = PySequence_Size(list);
    if (given < 0)
        return false;
    *seeds = calloc((size_t)given + 1, sizeof **seeds);
    if (!*seeds) {
        PyErr_NoMemory();
        return false;
    }
    *count = (size_t)given;
    for (Py_ssize_t i = 0; i < given; i++) {
        ro_seed *seed = &(*seeds)[i];
        PyObject *item = PySequence_GetItem(list, i);
        const bool taken =
            item && PyArg_ParseTuple(item, "iddd;a seed is label, x, y, radius", &seed->label,
                                     &seed->x, &seed->y, &seed->radius);
        Py_XDECREF(item);
        if (!taken)
            return false;
    }
    return true;
}

/* The windows of fronts, in the order of the seeds. */
static PyObject *fronts_of(const ro_regions *regions)
{
    static const char *const kinds[] = {"none", "bright", "dark", "band"};
    size_t count;
    const ro_region_front *fronts = ro_regions_fronts(regions, &count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        const ro_region_front *f = &fronts[i];
        if (!list_append(list, Py_BuildValue("{s:I,s:d,s:d,s:s,s:(dd),s:K,s:d}", "label", f->label,
                                             "x", f->x, "y", f->y, "kind", kinds[f->kind], "window",
                                             f->low, f->high, "area", (unsigned long long)f->area,
                                             "confidence", f->confidence)))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *table_of(const ro_regions *regions)
{
    size_t count;
    const ro_region *table = ro_regions_table(regions, &count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        const ro_region *r = &table[i];
        if (!list_append(list,
                         Py_BuildValue("{s:I,s:I,s:K,s:d,s:(IIII),s:(dd),s:d,s:O,s:I,s:d,s:d}",
                                       "label", r->label, "fronts", r->fronts, "area",
                                       (unsigned long long)r->area, "perimeter", r->perimeter,
                                       "box", r->left, r->top, r->right, r->bottom, "centroid",
                                       r->x, r->y, "mean", r->mean, "border",
                                       r->border ? Py_True : Py_False, "useless", r->useless,
                                       "confidence", r->confidence, "medians", r->medians)))
            Py_CLEAR(list);
    }
    return list;
}

PyObject *lines_give(const ro_polyline *lines, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++)
        if (!list_append(list,
                         Py_BuildValue("iOy#", lines[i].label, lines[i].closed ? Py_True : Py_False,
                                       (const char *)lines[i].points,
                                       (Py_ssize_t)(lines[i].count * 2 * sizeof(double)))))
            Py_CLEAR(list);
    return list;
}

/* grow(source, labels, seeds, mask, factor, options, run) -> table, lines, fronts; seeds None: they
 * are found */
static PyObject *grow(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *list, *mask_given, *factor_given, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOOOOO!O", &source, &target, &list, &mask_given,
                          &factor_given, &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_regions_options options = RO_REGIONS_OPTIONS;
    if (!members_set(dictionary, "ro_regions_options", NULL, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, labels = {0}, mask = {0}, factor = {0};
    ro_seed *seeds = NULL;
    PyObject *result = NULL;
    options.find_seeds = list == Py_None;
    if ((list == Py_None || seeds_take(list, &seeds, &options.seed_count)) &&
        view_take(source, false, &in) && view_take(target, true, &labels) &&
        (mask_given == Py_None || view_take(mask_given, false, &mask)) &&
        (factor_given == Py_None || view_take(factor_given, false, &factor))) {
        options.seeds = seeds;
        options.mask = mask_given == Py_None ? NULL : &mask.image;
        options.factor = factor_given == Py_None ? NULL : &factor.image;
        ro_regions *regions = NULL;
        session_leave(session);
        ro_status status = ro_regions_grow(session->context, &in.image, &options, &regions, NULL);
        if (status == RO_OK)
            status = ro_regions_labels(regions, &labels.image);
        session_return(session);
        if (session_succeeded(session, status)) {
            size_t count = 0;
            const ro_polyline *outlines = ro_regions_contours(regions, &count);
            PyObject *table = table_of(regions), *lines = lines_give(outlines, count);
            PyObject *fronts = fronts_of(regions);
            if (table && lines && fronts)
                result = PyTuple_Pack(3, table, lines, fronts);
            Py_XDECREF(fronts);
            Py_XDECREF(table);
            Py_XDECREF(lines);
        }
        ro_regions_free(regions);
    }
    free(seeds);
    view_release(&in);
    view_release(&labels);
    view_release(&mask);
    view_release(&factor);
    session_end(session);
    return result;
}

static PyObject *components(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *run;
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &target, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view mask = {0}, labels = {0};
    uint32_t count = 0;
    const bool done = view_take(source, false, &mask) && view_take(target, true, &labels) &&
                      session_succeeded(session, ro_mask_components(session->context, &mask.image,
                                                                    &labels.image, &count));
    view_release(&mask);
    view_release(&labels);
    session_end(session);
    return done ? PyLong_FromUnsignedLong(count) : NULL;
}

PyMethodDef segment_functions[] = {
    {"grow", grow, METH_VARARGS,
     "grow(source, labels, seeds, mask, factor, options, run) -> table, lines, fronts"},
    {"components", components, METH_VARARGS, "components(mask, labels, run) -> count"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Modulators by name, and spots behind a lens. */
#include "binding.h"
#include "roundoff/command.h"

#include <stdlib.h>

/* A list of (x, y, z, weight), which the caller frees. */
static bool spots_take(PyObject *list, ro_spot **spots, size_t *count)
{
    const Py_ssize_t n = PyList_Size(list);
    *spots = n > 0 ? malloc((size_t)n * sizeof **spots) : NULL;
    *count = *spots ? (size_t)n : 0;
    if (n > 0 && !*spots)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n && *spots; i++) {
        ro_spot *s = *spots + i;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "dddd;a spot", &s->x, &s->y, &s->z,
                              &s->weight))
            return false;
    }
    return n >= 0 && (n == 0 || *spots);
}

static PyObject *spots(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *target, *list, *given, *dictionary, *run;
    struct hologram_request request;
    ro_spots wanted = RO_SPOTS;
    unsigned long long seed;
    ro_spot *places = NULL;
    if (!PyArg_ParseTuple(arguments, "OO!diKOO!O", &target, &PyList_Type, &list, &wanted.focal,
                          &wanted.iterations, &seed, &given, &PyDict_Type, &dictionary, &run) ||
        !hologram_request_take(given, dictionary, &request))
        return NULL;
    struct session *session = session_begin(run);
    struct view out = {0};
    ro_spots_report r = {.size = sizeof r};
    bool done =
        session && spots_take(list, &places, &wanted.count) && view_take(target, true, &out);
    if (done) {
        wanted.spots = places;
        wanted.seed = seed;
        session_leave(session);
        const ro_status status =
            ro_hologram_spots(session->context, &wanted, &out.image, &request.options, &r);
        session_return(session);
        done = session_succeeded(session, status);
    }
    free(places);
    view_release(&out);
    hologram_request_release(&request);
    if (session)
        session_end(session);
    return done ? Py_BuildValue("{s:i,s:d,s:d}", "iterations", r.iterations, "efficiency",
                                r.efficiency, "uniformity", r.uniformity)
                : NULL;
}

static PyObject *modulators(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    PyObject *list = PyList_New(0);
    const ro_slm *slm;
    for (int i = 0; list && (slm = ro_slm_at(i)); i++)
        if (!list_append(list, Py_BuildValue("ssIIdzs", slm->name, slm->title, slm->height,
                                             slm->width, slm->pitch, slm->levels, slm->source)))
            Py_CLEAR(list);
    return list;
}

/* The levels of one, as bytes of pairs of floats. */
static PyObject *levels(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name;
    const ro_slm *slm;
    ro_modulator modulator;
    if (!PyArg_ParseTuple(arguments, "s", &name))
        return NULL;
    struct session *session = session_begin_usual();
    if (!session)
        return NULL;
    ro_status status = ro_slm_find(session->context, name, &slm);
    if (status == RO_OK)
        status = ro_slm_modulator(session->context, slm, &modulator);
    const bool done = session_succeeded(session, status);
    session_end(session);
    return done ? PyBytes_FromStringAndSize((const char *)modulator.table,
                                            (Py_ssize_t)modulator.count * 8)
                : NULL;
}

/* What one is sent for numbers, as bytes, rows, columns and the distance of rows. */
static PyObject *frame(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *result = NULL;
    const char *name;
    const ro_slm *slm;
    struct view in = {0};
    ro_image sent = {0};
    if (!PyArg_ParseTuple(arguments, "sO", &name, &source) || !view_take(source, false, &in))
        return NULL;
    struct session *session = session_begin_usual();
    if (session) {
        ro_status status = ro_slm_find(session->context, name, &slm);
        if (status == RO_OK)
            status = ro_slm_frame(session->context, slm, &in.image, &sent);
        if (session_succeeded(session, status))
            result = Py_BuildValue("y#IIn", (const char *)sent.data,
                                   (Py_ssize_t)sent.stride * (Py_ssize_t)sent.height, sent.height,
                                   sent.width, (Py_ssize_t)sent.stride);
        session_end(session);
    }
    ro_image_free(&sent);
    view_release(&in);
    return result;
}

PyMethodDef modulator_functions[] = {
    {"hologram_spots", spots, METH_VARARGS,
     "hologram_spots(numbers, spots, focal, iterations, seed, optics, options, run) -> figures"},
    {"modulators", modulators, METH_NOARGS,
     "modulators() -> name, title, rows, columns, pitch, levels, source of each"},
    {"modulator_levels", levels, METH_VARARGS, "modulator_levels(name) -> pairs of floats"},
    {"modulator_frame", frame, METH_VARARGS,
     "modulator_frame(name, numbers) -> bytes, rows, columns, stride"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* The options of a halftone, with what their pointers lead to. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

static const char *const others[] = {"palette", "recolour", "kernel", "curve", "screen", "spot",
                                     "first",   "inks",     "black",  "white", NULL};

/* ---- Options that are more than a number
 * ----------------------------------------------------------- */
static bool take_points(PyObject *pairs, ro_tone_point **points, int *points_count)
{
    const Py_ssize_t count = PySequence_Size(pairs);
    if (count < 0 || count > RO_CURVE_POINTS) {
        if (!PyErr_Occurred())
            raise_bad("curve: more than %d points", RO_CURVE_POINTS);
        return false;
    }
    *points = calloc((size_t)count + 1, sizeof **points);
    if (!*points) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *pair = PySequence_GetItem(pairs, i);
        const bool taken = pair && PyArg_ParseTuple(pair, "dd;curve: needs pairs of tones",
                                                    &(*points)[i].in, &(*points)[i].out);
        Py_XDECREF(pair);
        if (!taken)
            return false;
    }
    *points_count = (int)count;
    return true;
}

static bool take_curve(PyObject *pairs, struct halftone_request *request)
{
    if (!take_points(pairs, &request->curve, &request->options.tone.curve_points))
        return false;
    request->options.tone.curve = request->curve;
    return true;
}

/* An ink is (name, red, green, blue, lpi, degrees, shape or None, curve or None). */
static bool take_ink(PyObject *tuple, ro_ink *ink, ro_tone_point **curve)
{
    PyObject *pairs;
    if (!PyArg_ParseTuple(tuple, "sbbbddzO;inks", &ink->name, &ink->colour[0], &ink->colour[1],
                          &ink->colour[2], &ink->lpi, &ink->degrees, &ink->shape, &pairs))
        return false;
    if (pairs == Py_None)
        return true;
    if (!take_points(pairs, curve, &ink->curve_points))
        return false;
    ink->curve = *curve;
    return true;
}

static bool take_inks(PyObject *list, struct halftone_request *request)
{
    const Py_ssize_t count = PyList_Size(list);
    if (count < 0 || count > RO_INKS_MOST) {
        raise_bad("inks: there are more than %d", RO_INKS_MOST);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!take_ink(PyList_GetItem(list, i), &request->inks[i], &request->ink_curves[i]))
            return false;
    request->options.inks = request->inks;
    request->options.ink_count = (int)count;
    return true;
}

static bool take_kernel(PyObject *kernel, struct halftone_request *request)
{
    PyObject *taps;
    if (!PyArg_ParseTuple(kernel, "iO;kernel: needs a divisor and taps", &request->kernel.divisor,
                          &taps))
        return false;
    const Py_ssize_t count = PySequence_Size(taps);
    if (count < 0 || count > RO_KERNEL_TAPS) {
        if (!PyErr_Occurred())
            raise_bad("kernel: more than %d taps", RO_KERNEL_TAPS);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *tap = PySequence_GetItem(taps, i);
        const bool taken =
            tap && PyArg_ParseTuple(tap, "iii;kernel: a tap is dx, dy, weight",
                                    &request->kernel.taps[i].dx, &request->kernel.taps[i].dy,
                                    &request->kernel.taps[i].weight);
        Py_XDECREF(tap);
        if (!taken)
            return false;
    }
    request->kernel.count = (int)count;
    request->options.kernel = &request->kernel;
    return true;
}

bool palette_take(struct session *session, PyObject *text, ro_palette *palette)
{
    const char *words = PyUnicode_AsUTF8AndSize(text, NULL);
    return words && session_succeeded(session, ro_palette_parse(session->context, words, palette));
}

static bool take_image(PyObject *dictionary, const char *name, struct view *view,
                       const ro_image **image)
{
    PyObject *value = option_of(dictionary, name);
    if (!value)
        return true;
    *image = &view->image;
    return view_take(value, false, view);
}

static bool take_sample(PyObject *dictionary, const char *name, double *sample)
{
    PyObject *value = option_of(dictionary, name);
    if (value)
        *sample = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
}

bool halftone_request_take(struct session *session, PyObject *dictionary,
                           struct halftone_request *request)
{
    memset(request, 0, sizeof *request);
    request->options = (ro_halftone_options)RO_HALFTONE_OPTIONS;
    if (!members_set(dictionary, "ro_halftone_options", others, &request->options))
        return false;
    PyObject *value = option_of(dictionary, "palette");
    if (value && !palette_take(session, value, &request->palette))
        return false;
    request->options.palette = value ? &request->palette : NULL;
    value = option_of(dictionary, "recolour");
    if (value && !palette_take(session, value, &request->recolour))
        return false;
    request->options.recolour = value ? &request->recolour : NULL;
    value = option_of(dictionary, "kernel");
    if (value && !take_kernel(value, request))
        return false;
    value = option_of(dictionary, "curve");
    if (value && !take_curve(value, request))
        return false;
    if (!take_sample(dictionary, "black", &request->options.black) ||
        !take_sample(dictionary, "white", &request->options.white))
        return false;
    value = option_of(dictionary, "inks");
    if (value && !take_inks(value, request))
        return false;
    return take_image(dictionary, "screen", &request->screen, &request->options.screen) &&
           take_image(dictionary, "spot", &request->spot, &request->options.spot) &&
           take_image(dictionary, "first", &request->first, &request->options.first);
}

void halftone_request_release(struct halftone_request *request)
{
    free(request->curve);
    for (int i = 0; i < RO_INKS_MOST; i++)
        free(request->ink_curves[i]);
    view_release(&request->spot);
    view_release(&request->screen);
    view_release(&request->first);
}

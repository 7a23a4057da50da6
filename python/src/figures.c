/* SPDX-License-Identifier: MIT */
/* Figures of a result against its original. */
#include "binding.h"

/* ---- Figures by name; the names are those of `roundoff measure --json` -------------------------
 */

/* Takes the value over; false with an exception. */
static bool put(PyObject *dictionary, const char *name, PyObject *value)
{
    const bool done = value && PyDict_SetItemString(dictionary, name, value) == 0;
    Py_XDECREF(value);
    return done;
}

static PyObject *list_of(const double *values, int from, int to)
{
    PyObject *list = PyList_New(0);
    for (int i = from; list && i < to; i++)
        if (!list_append(list, PyFloat_FromDouble(values[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *levels_of(const ro_measure_report *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < RO_MEASURE_LEVELS; i++)
        if (r->levels[i].pixels > 0 &&
            !list_append(list, Py_BuildValue("{s:i,s:K,s:d,s:d}", "level", i, "pixels",
                                             (unsigned long long)r->levels[i].pixels, "in",
                                             r->levels[i].in, "out", r->levels[i].out)))
            Py_CLEAR(list);
    return list;
}

static PyObject *fields_of(const ro_measure_report *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < r->fields_count; i++) {
        const ro_measure_field *f = &r->fields[i];
        if (!list_append(list,
                         Py_BuildValue("{s:i,s:I,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N,s:N}", "level",
                                       f->level, "tiles", f->tiles, "in", f->in, "out", f->out,
                                       "rms", f->rms, "principal", f->principal, "peak", f->peak,
                                       "grain", f->grain, "anisotropy", f->anisotropy, "worms",
                                       f->worms, "power", list_of(f->power, 1, f->bins),
                                       "anisotropies", list_of(f->anisotropies, 1, f->bins))))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *figures_of(const ro_measure_report *r)
{
    PyObject *figures = Py_BuildValue(
        "{s:I,s:I,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "width", r->width,
        "height", r->height, "pixels_per_degree", r->pixels_per_degree, "sigma", r->sigma, "rms",
        r->raw.rms, "psnr", r->raw.psnr, "rms_gaussian", r->gaussian.rms, "psnr_gaussian",
        r->gaussian.psnr, "rms_contrast", r->contrast.rms, "psnr_contrast", r->contrast.psnr,
        "ssim", r->ssim, "tone_in", r->tone_in, "tone_out", r->tone_out, "tone_error",
        r->tone_out - r->tone_in, "tone_rms", r->tone_rms);
    bool done = figures != NULL;
    if (done && r->fields_count > 0)
        done = put(figures, "worms", PyFloat_FromDouble(r->worms)) &&
               put(figures, "grain", PyFloat_FromDouble(r->grain)) &&
               put(figures, "anisotropy", PyFloat_FromDouble(r->anisotropy));
    if (done && r->binary) {
        const ro_measure_dots *d = &r->dots;
        done = put(figures, "dots",
                   Py_BuildValue("{s:K,s:K,s:K,s:K,s:d,s:d,s:d}", "pixels",
                                 (unsigned long long)d->pixels, "dots", (unsigned long long)d->dots,
                                 "largest", (unsigned long long)d->largest, "single",
                                 (unsigned long long)d->single, "run_across", d->run_across,
                                 "run_down", d->run_down, "clumping", d->clumping));
    }
    const ro_measure_border *b = &r->border;
    done = done &&
           put(figures, "border",
               Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d}", "left", b->left, "right", b->right, "top",
                             b->top, "bottom", b->bottom, "rms", b->rms, "rms_inside",
                             b->rms_inside)) &&
           put(figures, "spectrum", list_of(r->spectrum, 0, RO_MEASURE_SPECTRUM)) &&
           put(figures, "levels", levels_of(r)) && put(figures, "fields", fields_of(r));
    if (!done)
        Py_CLEAR(figures);
    return figures;
}

/* ---- Calls -------------------------------------------------------------------------------------
 */
static PyObject *measure(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *first, *second, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &first, &second, &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_measure_options options = RO_MEASURE_OPTIONS;
    if (!members_set(dictionary, "ro_measure_options", NULL, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view original = {0}, result = {0};
    PyObject *figures = NULL;
    ro_measure_report *report = PyMem_Calloc(1, sizeof *report); /* too large for a small stack */
    if (report)
        report->size = sizeof *report;
    if (!report)
        PyErr_NoMemory();
    else if (view_take(first, false, &original) && view_take(second, false, &result)) {
        session_leave(session);
        const ro_status status =
            ro_measure(session->context, &original.image, &result.image, &options, report);
        session_return(session);
        if (session_succeeded(session, status)) {
            figures = figures_of(report);
            ro_free(report->fields);
        }
    }
    PyMem_Free(report);
    view_release(&original);
    view_release(&result);
    session_end(session);
    return figures;
}

static PyObject *measure_colour(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    static const char *const others[] = {"adapted", NULL};
    PyObject *first, *second, *dictionary, *run;
    ro_measure_options options = RO_MEASURE_OPTIONS;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &first, &second, &PyDict_Type, &dictionary, &run) ||
        !members_set(dictionary, "ro_measure_options", others, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view original = {0}, result = {0};
    ro_colour_report r = {.size = sizeof r};
    ro_palette palette = {0};
    PyObject *adapted = option_of(dictionary, "adapted");
    bool done = !adapted || palette_take(session, adapted, &palette);
    options.adapted = adapted ? &palette : NULL;
    done = done && view_take(first, false, &original) && view_take(second, false, &result);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_measure_colour(session->context, &original.image, &result.image, &options, &r);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&original);
    view_release(&result);
    session_end(session);
    return done ? Py_BuildValue("{s:d,s:d,s:d,s:(ddd),s:(ddd),s:d,s:d}", "delta_e", r.delta_e,
                                "delta_e_95", r.delta_e_95, "delta_e_most", r.delta_e_most,
                                "light_in", r.light_in[0], r.light_in[1], r.light_in[2],
                                "light_out", r.light_out[0], r.light_out[1], r.light_out[2],
                                "scielab", r.scielab, "scielab_95", r.scielab_95)
                : NULL;
}

PyMethodDef figures_functions[] = {
    {"measure", measure, METH_VARARGS, "measure(original, result, options, run) -> figures"},
    {"measure_colour", measure_colour, METH_VARARGS,
     "measure_colour(original, result, options, run) -> figures"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Holograms. A field of complex pixels is an array of floats twice as wide. */
#include "binding.h"

#include <string.h>

/* ---- Arguments ---------------------------------------------------------------------------------
 */
bool field_take(PyObject *triple, bool writable, struct view *view, ro_field *field)
{
    if (!view_take(triple, writable, view))
        return false;
    *field =
        (ro_field){view->image.width / 2, view->image.height, view->image.stride, view->image.data};
    return true;
}

/* Optics are (wavelength, pitch, pitch_y, viewer, viewing_area, depth, hogel). */
bool optics_take(PyObject *tuple, ro_optics *optics)
{
    return PyArg_ParseTuple(tuple, "ddd(ddd)(dd)dI;optics", &optics->wavelength, &optics->pitch,
                            &optics->pitch_y, &optics->viewer[0], &optics->viewer[1],
                            &optics->viewer[2], &optics->viewing_area[0], &optics->viewing_area[1],
                            &optics->depth, &optics->hogel);
}

PyObject *optics_give(const ro_optics *optics)
{
    return Py_BuildValue("ddd(ddd)(dd)dI", optics->wavelength, optics->pitch, optics->pitch_y,
                         optics->viewer[0], optics->viewer[1], optics->viewer[2],
                         optics->viewing_area[0], optics->viewing_area[1], optics->depth,
                         optics->hogel);
}

/* ---- Calls
 * --------------------------------------------------------------------------------------- */

/* Optics with what a dictionary says of them. */
static PyObject *change(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *given, *dictionary;
    ro_optics optics;
    return PyArg_ParseTuple(arguments, "OO!", &given, &PyDict_Type, &dictionary) &&
                   optics_take(given, &optics) &&
                   members_set(dictionary, "ro_optics", NULL, &optics)
               ? optics_give(&optics)
               : NULL;
}

static PyObject *make(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *target, *given, *dictionary, *run;
    ro_hologram_scene scene = RO_HOLOGRAM_SCENE;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &target, &given, &PyDict_Type, &dictionary, &run) ||
        !optics_take(given, &scene.optics) ||
        !members_set(dictionary, "ro_hologram_scene", NULL, &scene))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view out = {0};
    ro_field field;
    ro_optics optics = {0};
    PyObject *result = NULL;
    if (field_take(target, true, &out, &field)) {
        session_leave(session);
        const ro_status status = ro_hologram_make(session->context, &scene, &field, &optics);
        session_return(session);
        if (session_succeeded(session, status))
            result = optics_give(&optics);
    }
    view_release(&out);
    session_end(session);
    return result;
}

static PyObject *propagate(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *given, *run;
    double distance;
    ro_optics optics = {0};
    if (!PyArg_ParseTuple(arguments, "OOOdO", &source, &target, &given, &distance, &run) ||
        !optics_take(given, &optics))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, out = {0};
    ro_field from, to;
    bool done = field_take(source, false, &in, &from) && field_take(target, true, &out, &to);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_field_propagate(session->context, &from, &to, &optics, distance);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&in);
    view_release(&out);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *figures_of(const ro_hologram_report *r)
{
    return Py_BuildValue("{s:I,s:i,s:d,s:K,s:d,s:d,s:d}", "hogels", r->hogels, "levels", r->levels,
                         "gain", r->gain, "clips", (unsigned long long)r->clips, "predicted_snr_db",
                         r->predicted_snr, "reached_snr_db", r->reached_snr, "efficiency",
                         r->efficiency);
}

/* An array of levels, a pair of floats each, one behind the other. */
static bool table_take(PyObject *triple, struct view *view, const float **table, int *count)
{
    if (!view_take(triple, false, view))
        return false;
    const ro_image *image = &view->image;
    if (image->width != 2 || (image->height > 1 && image->stride != 2 * sizeof(float)) ||
        image->height > RO_HOLOGRAM_LEVELS) {
        raise_bad("levels are up to %d complex numbers", RO_HOLOGRAM_LEVELS);
        return false;
    }
    *table = image->data;
    *count = (int)image->height;
    return true;
}

bool hologram_request_take(PyObject *given, PyObject *dictionary, struct hologram_request *request)
{
    static const char *const others[] = {"table", "source", NULL};
    *request = (struct hologram_request){.options = RO_HOLOGRAM_OPTIONS};
    ro_hologram_options *o = &request->options;
    if (!optics_take(given, &o->optics) ||
        !members_set(dictionary, "ro_hologram_options", others, o))
        return false;
    PyObject *table = option_of(dictionary, "table"), *source = option_of(dictionary, "source");
    bool done = !table || table_take(table, &request->table, &o->table, &o->table_count);
    if (done && source) {
        done = field_take(source, false, &request->light, &request->source);
        o->source = &request->source;
    }
    if (!done)
        hologram_request_release(request);
    return done;
}

void hologram_request_release(struct hologram_request *request)
{
    view_release(&request->table);
    view_release(&request->light);
}

static PyObject *quantize(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *given, *dictionary, *run;
    int measure;
    struct hologram_request request;
    if (!PyArg_ParseTuple(arguments, "OOOO!pO", &source, &target, &given, &PyDict_Type, &dictionary,
                          &measure, &run) ||
        !hologram_request_take(given, dictionary, &request))
        return NULL;
    request.options.measure = measure;
    struct session *session = session_begin(run);
    if (!session) {
        hologram_request_release(&request);
        return NULL;
    }
    struct view in = {0}, out = {0};
    ro_field field;
    ro_hologram_report report = {.size = sizeof report};
    PyObject *result = NULL;
    if (field_take(source, false, &in, &field) && view_take(target, true, &out)) {
        session_leave(session);
        const ro_status status =
            ro_hologram_quantize(session->context, &field, &out.image, &request.options, &report);
        session_return(session);
        if (session_succeeded(session, status)) {
            result = figures_of(&report);
            ro_free(report.hogel);
        }
    }
    hologram_request_release(&request);
    view_release(&in);
    view_release(&out);
    session_end(session);
    return result;
}

/* The light that leaves a modulator at level numbers: of a name, or of an array of levels. */
static PyObject *light(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *run, *table;
    const char *levels;
    if (!PyArg_ParseTuple(arguments, "OOzOO", &source, &target, &levels, &table, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, out = {0}, own = {0};
    ro_field field;
    ro_modulator modulator = {0};
    const float *numbers = NULL;
    bool done = view_take(source, false, &in) && field_take(target, true, &out, &field) &&
                (levels || table_take(table, &own, &numbers, &modulator.count));
    if (done) {
        ro_status status = RO_OK;
        if (levels)
            status = ro_modulator_named(session->context, levels, &modulator);
        else
            memcpy(modulator.table, numbers, 2 * (size_t)modulator.count * sizeof *numbers);
        if (status == RO_OK)
            status = ro_modulator_light(session->context, &modulator, &in.image, &field);
        done = session_succeeded(session, status);
    }
    view_release(&own);
    view_release(&in);
    view_release(&out);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *reconstruct(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *given, *dictionary, *run;
    ro_view view = RO_VIEW;
    if (!PyArg_ParseTuple(arguments, "OOOdO!O", &source, &target, &given, &view.depth, &PyDict_Type,
                          &dictionary, &run) ||
        !optics_take(given, &view.optics) || !members_set(dictionary, "ro_view", NULL, &view))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, out = {0};
    ro_field field;
    double scale = 0;
    bool done = field_take(source, false, &in, &field) && view_take(target, true, &out);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_hologram_reconstruct(session->context, &field, &out.image, &view, &scale);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&in);
    view_release(&out);
    session_end(session);
    return done ? PyFloat_FromDouble(scale) : NULL;
}

PyMethodDef hologram_functions[] = {
    {"hologram_optics", change, METH_VARARGS, "hologram_optics(optics, changes) -> optics"},
    {"hologram_make", make, METH_VARARGS, "hologram_make(field, optics, scene, run) -> optics"},
    {"hologram_propagate", propagate, METH_VARARGS,
     "hologram_propagate(field, target, optics, distance, run)"},
    {"hologram_quantize", quantize, METH_VARARGS,
     "hologram_quantize(field, numbers, optics, options, measure, run) -> figures"},
    {"hologram_light", light, METH_VARARGS, "hologram_light(numbers, field, levels, table, run)"},
    {"hologram_reconstruct", reconstruct, METH_VARARGS,
     "hologram_reconstruct(field, target, optics, depth, view, run) -> scale"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Halftoning of whole pictures and of pieces, screens, palettes. */
#include "binding.h"

#include <string.h>

static PyObject *halftone(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &source, &target, &PyDict_Type, &dictionary, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, out = {0};
    struct halftone_request request;
    bool done = halftone_request_take(session, dictionary, &request) &&
                view_take(source, false, &in) && view_take(target, true, &out);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_halftone(session->context, &in.image, &out.image, &request.options);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&in);
    view_release(&out);
    halftone_request_release(&request);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* method_named(name, options, run) -> the method that a name or an alias means, which is what a run
 * on one pixel says it was. */
static PyObject *method_named(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *dictionary, *run;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "sO!O", &name, &PyDict_Type, &dictionary, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct halftone_request request;
    uint8_t pixel[2] = {0, 0};
    const ro_image in = ro_image_view(RO_GREY8, 1, 1, pixel);
    ro_image out = ro_image_view(RO_INDEX8, 1, 1, pixel + 1);
    PyObject *found = NULL;
    if (halftone_request_take(session, dictionary, &request)) {
        request.options.method = name;
        if (session_succeeded(session, ro_halftone(session->context, &in, &out, &request.options)))
            found = PyUnicode_FromString(ro_context_report(session->context)->method);
    }
    halftone_request_release(&request);
    session_end(session);
    return found;
}

static PyObject *screen(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    static const char *const others[] = {"spot", NULL};
    PyObject *dictionary, *run;
    const char *kind;
    int ranks;
    if (!PyArg_ParseTuple(arguments, "zpO!O", &kind, &ranks, &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_screen_options options = RO_SCREEN_OPTIONS;
    if (!members_set(dictionary, "ro_screen_options", others, &options))
        return NULL;
    options.kind = kind;
    options.ranks = ranks;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    ro_image made;
    struct view spot = {0};
    PyObject *result = NULL, *given = option_of(dictionary, "spot");
    bool done = !given || view_take(given, false, &spot);
    if (done) {
        options.spot = given ? &spot.image : NULL;
        session_leave(session);
        const ro_status status = ro_screen_make(session->context, &options, &made);
        session_return(session);
        done = session_succeeded(session, status);
    }
    if (done) {
        const size_t row = ro_format_row_bytes(made.format, made.width);
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(row * made.height));
        for (uint32_t y = 0; bytes && y < made.height; y++)
            memcpy(PyBytes_AsString(bytes) + y * row,
                   (const char *)made.data + (ptrdiff_t)y * made.stride, row);
        if (bytes)
            result = Py_BuildValue("NIII", bytes, made.width, made.height, made.maxval);
        ro_image_free(&made);
    }
    view_release(&spot);
    session_end(session);
    return result;
}

/* Angles of least moiré for the inks of a request. */
static PyObject *angles(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *dictionary, *run, *list = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyDict_Type, &dictionary, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct halftone_request request;
    if (halftone_request_take(session, dictionary, &request)) {
        const ro_halftone_options *options = &request.options;
        const ro_screen_options screen = {RO_SCREEN_DEFAULTS,      .kind = "am",
                                          .lpi = options->lpi,     .dpi = options->dpi,
                                          .dpi_y = options->dpi_y, .shape = options->shape};
        session_leave(session);
        const ro_status status =
            ro_angles_find(session->context, &screen, request.inks, options->ink_count, NULL);
        session_return(session);
        if (session_succeeded(session, status))
            list = PyList_New(0);
        for (int i = 0; list && i < options->ink_count; i++)
            if (!list_append(list, PyFloat_FromDouble(request.inks[i].degrees)))
                Py_CLEAR(list);
    }
    halftone_request_release(&request);
    session_end(session);
    return list;
}

static PyObject *palette_colours(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *text, *run;
    if (!PyArg_ParseTuple(arguments, "UO", &text, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    ro_palette palette;
    PyObject *result = NULL;
    if (palette_take(session, text, &palette))
        result = PyBytes_FromStringAndSize((const char *)palette.colours, 3 * palette.count);
    session_end(session);
    return result;
}

/* The colours that a picture is told best by, after the steps of tone of the options. */
static PyObject *palette_adapt(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *dictionary, *run;
    int count;
    if (!PyArg_ParseTuple(arguments, "OO!iO", &source, &PyDict_Type, &dictionary, &count, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0};
    struct halftone_request request;
    ro_palette palette;
    bool done =
        halftone_request_take(session, dictionary, &request) && view_take(source, false, &in);
    if (done) {
        session_leave(session);
        const ro_status status =
            ro_palette_adapt(session->context, &in.image, &request.options.tone, count, &palette);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&in);
    halftone_request_release(&request);
    session_end(session);
    return done ? PyBytes_FromStringAndSize((const char *)palette.colours, 3 * palette.count)
                : NULL;
}

PyMethodDef halftone_functions[] = {
    {"halftone", halftone, METH_VARARGS, "halftone(source, target, options, run)"},
    {"method_named", method_named, METH_VARARGS, "method_named(name, options, run) -> name"},
    {"screen", screen, METH_VARARGS, "screen(options, run) -> bytes, width, height, maxval"},
    {"angles", angles, METH_VARARGS, "angles(options, run) -> degrees of each ink"},
    {"palette_colours", palette_colours, METH_VARARGS, "palette_colours(text, run) -> bytes"},
    {"palette_adapt", palette_adapt, METH_VARARGS,
     "palette_adapt(picture, options, count, run) -> bytes"},
    {NULL, NULL, 0, NULL},
};

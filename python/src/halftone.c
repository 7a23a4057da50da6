/* SPDX-License-Identifier: MIT */
/* Halftoning of whole pictures and of pieces, screens, palettes. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(name) MEMBER(ro_halftone_options, MEMBER_TEXT, name)
#define INT(name) MEMBER(ro_halftone_options, MEMBER_INT, name)
#define REAL(name) MEMBER(ro_halftone_options, MEMBER_REAL, name)
#define TONE(kind, name)                                                                           \
    {                                                                                              \
#name, kind, offsetof(ro_halftone_options, tone.name)                                      \
    }

static const struct member members[] = {
    TEXT(method),
    INT(levels),
    TEXT(schedule),
    MEMBER(ro_halftone_options, MEMBER_U64, seed),
    INT(cell),
    {"angle", MEMBER_REAL, offsetof(ro_halftone_options, degrees)},
    REAL(lpi),
    REAL(dpi_y),
    INT(dot),
    TEXT(shape),
    INT(strength),
    INT(noise),
    INT(threshold),
    INT(serpentine),
    TEXT(like),
    INT(same_phases),
    REAL(grey_in_colour),
    INT(clamp),
    INT(overshoot),
    INT(fit),
    REAL(dpi),
    REAL(distance),
    REAL(sigma),
    INT(radius),
    TEXT(aim),
    TEXT(order),
    TEXT(start),
    INT(rounds),
    INT(channels),
    TONE(MEMBER_INT, invert),
    TONE(MEMBER_REAL, brightness),
    TONE(MEMBER_REAL, contrast),
    TONE(MEMBER_REAL, gamma),
    TONE(MEMBER_INT, linear),
    INT(range),
    {"range_black", MEMBER_REAL, offsetof(ro_halftone_options, black)},
    {"range_white", MEMBER_REAL, offsetof(ro_halftone_options, white)},
    {"shadow_of", MEMBER_U32, offsetof(ro_halftone_options, shadow[0])},
    {"shadow_in", MEMBER_U32, offsetof(ro_halftone_options, shadow[1])},
};
static const char *const others[] = {"palette", "kernel", "curve", "screen", "first", NULL};

/* ---- Options that are more than a number
 * ----------------------------------------------------------- */
static bool take_curve(PyObject *pairs, struct halftone_request *request)
{
    const Py_ssize_t count = PySequence_Size(pairs);
    if (count < 0 || count > RO_CURVE_POINTS) {
        if (!PyErr_Occurred())
            raise_bad("curve: more than %d points", RO_CURVE_POINTS);
        return false;
    }
    request->curve = calloc((size_t)count + 1, sizeof *request->curve);
    if (!request->curve) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *pair = PySequence_GetItem(pairs, i);
        const bool taken = pair && PyArg_ParseTuple(pair, "dd;curve: needs pairs of tones",
                                                    &request->curve[i].in, &request->curve[i].out);
        Py_XDECREF(pair);
        if (!taken)
            return false;
    }
    request->options.tone.curve = request->curve;
    request->options.tone.curve_points = (int)count;
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

static bool take_palette(struct session *session, PyObject *text, ro_palette *palette)
{
    const char *words = PyUnicode_AsUTF8AndSize(text, NULL);
    return words && session_succeeded(session, ro_palette_parse(session->context, words, palette));
}

bool halftone_request_take(struct session *session, PyObject *dictionary,
                           struct halftone_request *request)
{
    memset(request, 0, sizeof *request);
    request->options = (ro_halftone_options)RO_HALFTONE_OPTIONS;
    if (!members_set(dictionary, members, sizeof members / sizeof *members, others,
                     &request->options))
        return false;
    PyObject *value = option_of(dictionary, "palette");
    if (value) {
        if (!take_palette(session, value, &request->palette))
            return false;
        request->options.palette = &request->palette;
    }
    value = option_of(dictionary, "kernel");
    if (value && !take_kernel(value, request))
        return false;
    value = option_of(dictionary, "curve");
    if (value && !take_curve(value, request))
        return false;
    value = option_of(dictionary, "screen");
    if (value) {
        if (!view_take(value, false, &request->screen))
            return false;
        request->options.screen = &request->screen.image;
    }
    value = option_of(dictionary, "first");
    if (value) {
        if (!view_take(value, false, &request->first))
            return false;
        request->options.first = &request->first.image;
    }
    return true;
}

void halftone_request_release(struct halftone_request *request)
{
    free(request->curve);
    view_release(&request->screen);
    view_release(&request->first);
}

/* ---- Calls
 * -------------------------------------------------------------------------------------------- */
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

static PyObject *screen(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    static const struct member screen_members[] = {
        MEMBER(ro_screen_options, MEMBER_TEXT, kind),  MEMBER(ro_screen_options, MEMBER_U32, cell),
        MEMBER(ro_screen_options, MEMBER_U64, seed),   MEMBER(ro_screen_options, MEMBER_INT, angle),
        MEMBER(ro_screen_options, MEMBER_TEXT, shape), MEMBER(ro_screen_options, MEMBER_INT, ranks),
    };
    PyObject *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_screen_options options = RO_SCREEN_OPTIONS;
    if (!members_set(dictionary, screen_members, sizeof screen_members / sizeof *screen_members,
                     NULL, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    ro_image made;
    session_leave(session);
    const ro_status status = ro_screen_make(session->context, &options, &made);
    session_return(session);
    PyObject *result = NULL;
    if (session_succeeded(session, status)) {
        const size_t row = ro_format_row_bytes(made.format, made.width);
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(row * made.height));
        for (uint32_t y = 0; bytes && y < made.height; y++)
            memcpy(PyBytes_AsString(bytes) + y * row,
                   (const char *)made.data + (ptrdiff_t)y * made.stride, row);
        if (bytes)
            result = Py_BuildValue("NIII", bytes, made.width, made.height, made.maxval);
        ro_image_free(&made);
    }
    session_end(session);
    return result;
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
    if (take_palette(session, text, &palette))
        result = PyBytes_FromStringAndSize((const char *)palette.colours, 3 * palette.count);
    session_end(session);
    return result;
}

static PyObject *palette_adapt(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *dictionary, *run;
    int count;
    if (!PyArg_ParseTuple(arguments, "OiO!O", &source, &count, &PyDict_Type, &dictionary, &run))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0};
    struct halftone_request request;
    PyObject *result = NULL;
    if (halftone_request_take(session, dictionary, &request) && view_take(source, false, &in)) {
        session_leave(session);
        const ro_status status = ro_palette_adapt(session->context, &in.image,
                                                  &request.options.tone, count, &request.palette);
        session_return(session);
        if (session_succeeded(session, status))
            result = PyBytes_FromStringAndSize((const char *)request.palette.colours,
                                               3 * request.palette.count);
    }
    view_release(&in);
    halftone_request_release(&request);
    session_end(session);
    return result;
}

static PyObject *option_names(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < sizeof members / sizeof *members; i++) {
        if (!list_append(list, PyUnicode_FromString(members[i].name)))
            Py_CLEAR(list);
    }
    return list;
}

PyMethodDef halftone_functions[] = {
    {"halftone", halftone, METH_VARARGS, "halftone(source, target, options, run)"},
    {"halftone_members", option_names, METH_NOARGS, "names of plain options"},
    {"screen", screen, METH_VARARGS, "screen(options, run) -> bytes, width, height, maxval"},
    {"palette_adapt", palette_adapt, METH_VARARGS,
     "palette_adapt(source, count, options, run) -> bytes"},
    {"palette_colours", palette_colours, METH_VARARGS, "palette_colours(text, run) -> bytes"},
    {NULL, NULL, 0, NULL},
};

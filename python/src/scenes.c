/* SPDX-License-Identifier: MIT */
/* Holograms of pictures at depths, and level numbers that are refined or spread over frames. */
#include "binding.h"
#include "roundoff/command.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pictures at depths -------------------------------------------------------------------------
 */

struct pictures {
    ro_scene_picture *picture;
    struct view *views; /* three of each: amplitudes, depths, phases */
    Py_ssize_t count;
};

static bool take_optional(PyObject *triple, struct view *view, ro_image *image)
{
    if (triple == Py_None)
        return true;
    if (!view_take(triple, false, view))
        return false;
    *image = view->image;
    return true;
}

/* A picture is (amplitudes, depths or None, depth, phases or None, width). */
static bool take_pictures(PyObject *list, struct pictures *pictures)
{
    pictures->count = PyList_Size(list);
    pictures->picture = calloc((size_t)pictures->count + 1, sizeof *pictures->picture);
    pictures->views = calloc(3 * (size_t)pictures->count + 1, sizeof *pictures->views);
    if (!pictures->picture || !pictures->views) {
        pictures->count = 0;
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < pictures->count; i++) {
        PyObject *amplitudes, *depths, *phases;
        ro_scene_picture *picture = &pictures->picture[i];
        struct view *views = &pictures->views[3 * i];
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OOdOd", &amplitudes, &depths,
                              &picture->depth, &phases, &picture->width) ||
            !take_optional(amplitudes, &views[0], &picture->amplitude) ||
            !take_optional(depths, &views[1], &picture->depths) ||
            !take_optional(phases, &views[2], &picture->phases))
            return false;
    }
    return true;
}

static void release_pictures(struct pictures *pictures)
{
    for (Py_ssize_t i = 0; i < 3 * pictures->count; i++)
        view_release(&pictures->views[i]);
    free(pictures->picture);
    free(pictures->views);
}

/* Returns (pixels as bytes, bytes per row, columns, rows, width in metres) of a picture that was
 * placed in a field. */
static PyObject *place(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *given, *run;
    unsigned rows, columns;
    int how, ready;
    ro_optics optics = {0};
    if (!PyArg_ParseTuple(arguments, "OIIOiiO", &source, &rows, &columns, &given, &how, &ready,
                          &run) ||
        !optics_take(given, &optics))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0};
    ro_image picture = {0};
    double wide = 0;
    PyObject *placed = NULL;
    if (view_take(source, false, &in)) {
        const ro_image *image = &in.image;
        ro_status status = ro_image_alloc(session->context, image->format, image->width,
                                          image->height, image->maxval, &picture);
        for (uint32_t y = 0; status == RO_OK && y < image->height; y++)
            memcpy((char *)picture.data + (ptrdiff_t)y * picture.stride,
                   (const char *)image->data + (ptrdiff_t)y * image->stride,
                   image->width * sizeof(float));
        if (status == RO_OK)
            status = ro_picture_place(session->context, &picture, columns, rows, &optics, how,
                                      ready ? &wide : NULL);
        if (session_succeeded(session, status))
            placed = Py_BuildValue("y#nIId", (const char *)picture.data,
                                   (Py_ssize_t)picture.stride * picture.height,
                                   (Py_ssize_t)picture.stride, picture.width, picture.height, wide);
    }
    ro_image_free(&picture);
    view_release(&in);
    session_end(session);
    return placed;
}

static PyObject *make(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *target, *list, *given, *dictionary, *run;
    ro_picture_scene scene = RO_PICTURE_SCENE;
    if (!PyArg_ParseTuple(arguments, "OO!OO!O", &target, &PyList_Type, &list, &given, &PyDict_Type,
                          &dictionary, &run) ||
        !optics_take(given, &scene.optics) ||
        !members_set(dictionary, "ro_picture_scene", NULL, &scene))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct pictures pictures = {0};
    struct view out = {0};
    ro_field field;
    ro_optics optics = {0};
    bool done = take_pictures(list, &pictures) && field_take(target, true, &out, &field);
    if (done) {
        scene.pictures = pictures.picture;
        scene.count = (int)pictures.count;
        session_leave(session);
        const ro_status status = ro_hologram_pictures(session->context, &scene, &field, &optics);
        session_return(session);
        done = session_succeeded(session, status);
    }
    release_pictures(&pictures);
    view_release(&out);
    session_end(session);
    return done ? optics_give(&optics) : NULL;
}

/* ---- Refining, frames ---------------------------------------------------------------------------
 */

static PyObject *refine(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *wanted, *given, *dictionary, *more, *run;
    struct hologram_request request;
    ro_refinement refinement = RO_REFINEMENT;
    if (!PyArg_ParseTuple(arguments, "OOOOO!O!O", &source, &target, &wanted, &given, &PyDict_Type,
                          &dictionary, &PyDict_Type, &more, &run) ||
        !members_set(more, "ro_refinement", NULL, &refinement) ||
        !hologram_request_take(given, dictionary, &request))
        return NULL;
    struct session *session = session_begin(run);
    if (!session) {
        hologram_request_release(&request);
        return NULL;
    }
    struct view in = {0}, out = {0}, aim = {0};
    ro_field field;
    ro_refinement_report r = {.size = sizeof r};
    const bool given_field = source != Py_None;
    bool done = (!given_field || field_take(source, false, &in, &field)) &&
                view_take(target, true, &out) && view_take(wanted, false, &aim);
    if (done) {
        refinement.target = aim.image;
        session_leave(session);
        const ro_status status = ro_hologram_refine(session->context, given_field ? &field : NULL,
                                                    &out.image, &request.options, &refinement, &r);
        session_return(session);
        done = session_succeeded(session, status);
    }
    view_release(&in);
    view_release(&out);
    view_release(&aim);
    hologram_request_release(&request);
    session_end(session);
    return done ? Py_BuildValue("{s:i,s:i,s:s,s:d,s:d,s:d}", "iterations", r.iterations, "passes",
                                r.passes, "edges", r.edges, "start_psnr_db", r.start_psnr,
                                "psnr_db", r.psnr, "efficiency", r.efficiency)
                : NULL;
}

/* `targets` is a list of views, one a frame. */
static PyObject *frames(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *targets, *given, *dictionary, *more, *run;
    ro_hologram_options options = RO_HOLOGRAM_OPTIONS;
    ro_frames wanted = RO_FRAMES;
    if (!PyArg_ParseTuple(arguments, "OO!OO!O!O", &source, &PyList_Type, &targets, &given,
                          &PyDict_Type, &dictionary, &PyDict_Type, &more, &run) ||
        !optics_take(given, &options.optics) ||
        !members_set(dictionary, "ro_hologram_options", NULL, &options) ||
        !members_set(more, "ro_frames", NULL, &wanted))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    const Py_ssize_t count = PyList_Size(targets);
    struct view in = {0}, *views = calloc((size_t)count + 1, sizeof *views);
    ro_image *out = calloc((size_t)count + 1, sizeof *out);
    ro_field field;
    ro_frames_report r = {.size = sizeof r};
    bool done = views && out && field_take(source, false, &in, &field);
    if (!views || !out)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && done; i++) {
        done = view_take(PyList_GetItem(targets, i), true, &views[i]);
        out[i] = views[i].image;
    }
    if (done) {
        wanted.count = (int)count;
        session_leave(session);
        const ro_status status =
            ro_hologram_frames(session->context, &field, out, &options, &wanted, &r);
        session_return(session);
        done = session_succeeded(session, status);
    }
    for (Py_ssize_t i = 0; i < count && views; i++)
        view_release(&views[i]);
    view_release(&in);
    free(views);
    free(out);
    session_end(session);
    return done ? Py_BuildValue("{s:d,s:d,s:d}", "psnr_db", r.psnr, "first_psnr_db", r.first_psnr,
                                "efficiency", r.efficiency)
                : NULL;
}

PyMethodDef scene_functions[] = {
    {"hologram_pictures", make, METH_VARARGS,
     "hologram_pictures(field, pictures, optics, scene, run) -> optics"},
    {"hologram_place", place, METH_VARARGS,
     "hologram_place(picture, rows, columns, optics, place, ready, run) -> pixels, stride, "
     "columns, rows, width"},
    {"hologram_refine", refine, METH_VARARGS,
     "hologram_refine(field, numbers, target, optics, options, refinement, run) -> figures"},
    {"hologram_frames", frames, METH_VARARGS,
     "hologram_frames(field, frames, optics, options, more, run) -> figures"},
    {NULL, NULL, 0, NULL},
};

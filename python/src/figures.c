/* SPDX-License-Identifier: MIT */
/* Figures of a result against its original. */
#include "binding.h"

static const struct member members[] = {
    MEMBER(ro_measure_options, MEMBER_REAL, dpi),
    MEMBER(ro_measure_options, MEMBER_REAL, distance),
    MEMBER(ro_measure_options, MEMBER_INT, linear),
    MEMBER(ro_measure_options, MEMBER_INT, tile),
    MEMBER(ro_measure_options, MEMBER_INT, border),
};

/* The names are those of `roundoff measure --json`. */
static PyObject *figures_of(const ro_measure_report *r)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "rms",
                         r->raw.rms, "rms_gaussian", r->gaussian.rms, "rms_contrast",
                         r->contrast.rms, "psnr", r->raw.psnr, "psnr_gaussian", r->gaussian.psnr,
                         "psnr_contrast", r->contrast.psnr, "ssim", r->ssim, "tone_in", r->tone_in,
                         "tone_out", r->tone_out, "tone_rms", r->tone_rms, "border_rms",
                         r->border.rms, "grain", r->grain, "worms", r->worms, "anisotropy",
                         r->anisotropy, "clumping", r->dots.clumping);
}

static PyObject *measure(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *first, *second, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &first, &second, &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_measure_options options = RO_MEASURE_OPTIONS;
    if (!members_set(dictionary, members, sizeof members / sizeof *members, NULL, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view original = {0}, result = {0};
    PyObject *figures = NULL;
    ro_measure_report *report = PyMem_Calloc(1, sizeof *report); /* too large for a small stack */
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

PyMethodDef figures_functions[] = {
    {"measure", measure, METH_VARARGS, "measure(original, result, options, run) -> figures"},
    {NULL, NULL, 0, NULL},
};

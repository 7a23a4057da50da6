/* SPDX-License-Identifier: MIT */
/* Denoising of whole pictures. */
#include "binding.h"

bool denoise_options_take(PyObject *dictionary, ro_denoise_options *options)
{
    return members_set(dictionary, "ro_denoise_options", NULL, options);
}

static PyObject *figures_of(const ro_denoise_report *r)
{
    return Py_BuildValue(
        "{s:s,s:d,s:I,s:d,s:d,s:d,s:d,s:I,s:O,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:O}",
        "number", r->number, "white", r->white, "sample_white", r->sample_white, "kappa", r->kappa,
        "noise", r->noise, "noise_dark", r->noise_dark, "time_step", r->time_step, "steps",
        r->steps, "converged", r->converged ? Py_True : Py_False, "sum_before", r->sum_before,
        "sum_after", r->sum_after, "min_before", r->min_before, "min_after", r->min_after,
        "max_before", r->max_before, "max_after", r->max_after, "energy_before", r->energy_before,
        "energy_after", r->energy_after, "drift", r->drift, "difference", r->difference,
        "saturating", r->saturating ? Py_True : Py_False);
}

static PyObject *denoise(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *source, *target, *dictionary, *run;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &source, &target, &PyDict_Type, &dictionary, &run))
        return NULL;
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    if (!denoise_options_take(dictionary, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct view in = {0}, out = {0};
    ro_denoise_report report = {.size = sizeof report};
    PyObject *result = NULL;
    if (view_take(source, false, &in) && view_take(target, true, &out)) {
        session_leave(session);
        const ro_status status =
            ro_denoise(session->context, &in.image, &out.image, &options, &report);
        session_return(session);
        if (session_succeeded(session, status))
            result = figures_of(&report);
    }
    view_release(&in);
    view_release(&out);
    session_end(session);
    return result;
}

PyMethodDef denoise_functions[] = {
    {"denoise", denoise, METH_VARARGS, "denoise(source, target, options, run) -> figures"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/*
 * Arrays in the memory of a CUDA device, halftoned and denoised where they lie. Python has read
 * their __cuda_array_interface__; what only has DLPack is read here.
 */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* ---- DLPack ------------------------------------------------------------------------------------
 */

/* The part of its interface that is looked at (version 0, which every producer still gives). */
struct dl_tensor {
    void *data;
    int32_t device_type, device_number;
    int32_t dimensions;
    uint8_t type_code, type_bits;
    uint16_t type_lanes;
    int64_t *shape, *strides; /* in elements; no strides: rows without gaps */
    uint64_t byte_offset;
};

static PyObject *tuple_of(const int64_t *numbers, int32_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int32_t i = 0; tuple && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* The capsule stays its owner's: it is given back by whoever holds it. */
static PyObject *read_dlpack(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    const struct dl_tensor *tensor = PyCapsule_GetPointer(capsule, "dltensor");
    if (!tensor)
        return NULL;
    if (tensor->type_lanes != 1 || tensor->dimensions < 0) {
        raise_bad("an array has several numbers in one element");
        return NULL;
    }
    PyObject *shape = tuple_of(tensor->shape, tensor->dimensions);
    PyObject *strides =
        tensor->strides ? tuple_of(tensor->strides, tensor->dimensions) : Py_NewRef(Py_None);
    if (!shape || !strides) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        return NULL;
    }
    return Py_BuildValue(
        "KiiiNN", (unsigned long long)(uintptr_t)tensor->data + tensor->byte_offset,
        tensor->device_number, tensor->type_code, tensor->type_bits, shape, strides);
}

/* ---- Runs ---------------------------------------------------------------------------------------
 */

/* Pictures are (address, format, width, height, stride, maxval). */
struct batch {
    ro_image *in, *out;
    uint32_t count;
};

static ro_image *take_pictures(PyObject *list, Py_ssize_t count)
{
    ro_image *images = calloc((size_t)count + 1, sizeof *images);
    if (!images) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long long address;
        int format;
        PyObject *picture = PyList_GetItem(list, i);
        ro_image *image = &images[i];
        if (!picture || !PyArg_ParseTuple(picture, "KiIInI", &address, &format, &image->width,
                                          &image->height, &image->stride, &image->maxval)) {
            free(images);
            return NULL;
        }
        image->format = (ro_format)format;
        image->data = (void *)(uintptr_t)address;
    }
    return images;
}

static bool take_batch(PyObject *in, PyObject *out, struct batch *batch)
{
    const Py_ssize_t count = PyList_Size(in);
    if (count != PyList_Size(out) || count > INT32_MAX) {
        raise_bad("there must be as many results as pictures");
        return false;
    }
    batch->count = (uint32_t)count;
    batch->in = take_pictures(in, count);
    batch->out = batch->in ? take_pictures(out, count) : NULL;
    return batch->out != NULL;
}

static void release_batch(struct batch *batch)
{
    free(batch->in);
    free(batch->out);
}

/* Runs a plan, if `status` says that there is one, and frees it. */
static bool run_batch(struct session *session, ro_plan *plan, ro_status status, struct batch *batch,
                      unsigned long long stream)
{
    const ro_run run = {RO_RUN_DEFAULTS, .count = batch->count, .on_device = 1,
                        .stream = (void *)(uintptr_t)stream};
    if (status == RO_OK && batch->count > 0)
        status = ro_plan_run(plan, batch->in, batch->out, &run);
    ro_plan_free(plan);
    session_return(session);
    return session_succeeded(session, status);
}

static PyObject *halftone(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *in, *out, *dictionary, *run;
    unsigned long long stream;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OK", &PyList_Type, &in, &PyList_Type, &out,
                          &PyDict_Type, &dictionary, &run, &stream))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct batch batch = {0};
    struct halftone_request request;
    bool done = halftone_request_take(session, dictionary, &request) && take_batch(in, out, &batch);
    if (done) {
        session_leave(session);
        ro_plan *plan = NULL;
        const ro_status status = ro_halftone_plan(session->context, batch.in, batch.out->format,
                                                  &request.options, &plan);
        done = run_batch(session, plan, status, &batch, stream);
    }
    release_batch(&batch);
    halftone_request_release(&request);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *denoise(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *in, *out, *dictionary, *run;
    unsigned long long stream;
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OK", &PyList_Type, &in, &PyList_Type, &out,
                          &PyDict_Type, &dictionary, &run, &stream) ||
        !denoise_options_take(dictionary, &options))
        return NULL;
    struct session *session = session_begin(run);
    if (!session)
        return NULL;
    struct batch batch = {0};
    bool done = take_batch(in, out, &batch);
    if (done) {
        ro_plan *plan = NULL;
        session_leave(session);
        const ro_status status =
            ro_denoise_plan(session->context, batch.in, batch.out, &options, &plan);
        done = run_batch(session, plan, status, &batch, stream);
    }
    release_batch(&batch);
    session_end(session);
    return done ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef device_functions[] = {
    {"read_dlpack", read_dlpack, METH_O,
     "read_dlpack(capsule) -> address, device number, type code, bits, shape, strides"},
    {"halftone_device", halftone, METH_VARARGS,
     "halftone_device(pictures, results, options, run, stream)"},
    {"denoise_device", denoise, METH_VARARGS,
     "denoise_device(pictures, results, options, run, stream)"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
/* Number systems, and products of few bits with matrices that keep the sum. */
#include "binding.h"

#include "roundoff/number.h"

static PyObject *numbers(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    const ro_number *number;
    for (int i = 0; list && (number = ro_number_at(i)); i++)
        if (!number->floating &&
            !list_append(list, Py_BuildValue("sLLLi", number->name, (long long)number->fixed.min,
                                             (long long)number->fixed.max,
                                             (long long)number->fixed.one, number->fixed.step)))
            Py_CLEAR(list);
    return list;
}

/* Arrays of a call: contiguous, of items of 4 bytes, or 8 of starts. */
enum { VALUES, OUT, SCALES, STARTS, COLUMNS, WEIGHTS, ARRAYS };
struct arrays {
    Py_buffer view[ARRAYS];
    size_t count[ARRAYS];
};

static bool take_array(struct arrays *arrays, int which, PyObject *from)
{
    const int flags = PyBUF_C_CONTIGUOUS | (which == OUT ? PyBUF_WRITABLE : 0);
    const size_t item = which == STARTS ? sizeof(size_t) : sizeof(int32_t);
    if (from == Py_None)
        return true;
    if (PyObject_GetBuffer(from, &arrays->view[which], flags) != 0)
        return false;
    arrays->count[which] = (size_t)arrays->view[which].len / item;
    return true;
}

static void drop_arrays(struct arrays *arrays)
{
    for (int i = 0; i < ARRAYS; i++)
        if (arrays->view[i].obj)
            PyBuffer_Release(&arrays->view[i]);
}

static bool fits(const struct arrays *arrays, size_t rows)
{
    return arrays->count[VALUES] == rows && arrays->count[OUT] == rows &&
           (!arrays->view[SCALES].obj || arrays->count[SCALES] == rows);
}

/* product(number, kind, rounding, scale, one, (values, out, scales), matrix): a matrix is (starts,
 * columns, weights), a stencil (width, height, taps). Gives the report. */
static PyObject *product(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name, *rounding;
    int kind, scale, one;
    unsigned width = 0, height = 0;
    PyObject *from[ARRAYS];
    struct arrays arrays = {0};
    ro_product_options options = {.size = sizeof options};
    ro_product_report report = {.size = sizeof report};
    for (int i = 0; i < ARRAYS; i++)
        from[i] = Py_None;
    if (!PyArg_ParseTuple(arguments, "sisii(OOO)IIOOO", &name, &kind, &rounding, &scale, &one,
                          &from[VALUES], &from[OUT], &from[SCALES], &width, &height, &from[STARTS],
                          &from[COLUMNS], &from[WEIGHTS]))
        return NULL;
    const ro_number *number = ro_number_find(name);
    ro_status status = RO_E_ARGUMENT;
    bool taken = true;
    for (int i = 0; i < ARRAYS && taken; i++)
        taken = take_array(&arrays, i, from[i]);
    options.product = (ro_product)kind;
    options.scale = scale;
    options.scales = arrays.view[SCALES].buf;
    if (taken && number && !number->floating && ro_rounding_find(rounding, &options.rounding)) {
        const int32_t *v = arrays.view[VALUES].buf;
        int32_t *out = arrays.view[OUT].buf;
        if (from[STARTS] == Py_None) {
            const ro_stencil stencil = {width, height, arrays.count[WEIGHTS] / 3,
                                        arrays.view[WEIGHTS].buf, one};
            if (fits(&arrays, (size_t)width * height))
                status = ro_stencil_product(&number->fixed, &stencil, &options, v, out, &report);
        } else {
            const size_t *starts = arrays.view[STARTS].buf;
            const size_t rows = arrays.count[STARTS] - 1;
            const ro_matrix matrix = {rows, starts, arrays.view[COLUMNS].buf,
                                      arrays.view[WEIGHTS].buf, one};
            if (arrays.count[STARTS] > 0 && fits(&arrays, rows) &&
                starts[rows] <= arrays.count[COLUMNS] && starts[rows] <= arrays.count[WEIGHTS])
                status = ro_matrix_product(&number->fixed, &matrix, &options, v, out, &report);
        }
    }
    drop_arrays(&arrays);
    if (!taken)
        return NULL;
    return Py_BuildValue("iLLK", (int)status, (long long)report.sum, (long long)report.defect,
                         (unsigned long long)report.saturated);
}

PyMethodDef number_functions[] = {
    {"numbers", numbers, METH_NOARGS, "(name, min, max, one, step) of fixed-point systems"},
    {"product", product, METH_VARARGS, "a product with a matrix or stencil"},
    {NULL, NULL, 0, NULL},
};

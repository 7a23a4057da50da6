/* SPDX-License-Identifier: MIT */
/* Arrays of other libraries as views of pixels, by the buffer protocol and without a copy. */
#include "binding.h"

#include <limits.h>

bool view_take(PyObject *triple, bool writable, struct view *view)
{
    PyObject *object;
    int number;
    unsigned value;
    if (!PyArg_ParseTuple(triple, "OiI", &object, &number, &value))
        return false;
    const ro_format format = (ro_format)number;
    Py_buffer *buffer = &view->buffer;
    if (PyObject_GetBuffer(object, buffer, PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0)) != 0)
        return false;
    const int channels = ro_format_is_colour(format) ? 3 : 1;
    const Py_ssize_t sample = format == RO_BITS ? 1 : ro_format_sample_bytes(format);
    const Py_ssize_t pixel = sample * channels;
    bool fits = buffer->itemsize == sample && buffer->ndim == (channels == 3 ? 3 : 2) &&
                buffer->shape[0] <= UINT32_MAX && buffer->shape[1] <= UINT32_MAX;
    if (fits && channels == 3)
        fits = buffer->shape[2] == 3 && buffer->strides[2] == sample;
    if (fits && buffer->shape[1] > 1)
        fits = buffer->strides[1] == pixel;
    if (fits && buffer->shape[0] > 1)
        fits = buffer->strides[0] >= pixel * buffer->shape[1] && buffer->strides[0] % sample == 0;
    if (fits && format == RO_BITS)
        fits = buffer->shape[1] == (Py_ssize_t)(((uint64_t)value + 7) / 8);
    if (!fits) {
        raise_bad("an array does not have the shape or strides of %s", ro_format_name(format));
        return false;
    }
    view->image.format = format;
    view->image.width = format == RO_BITS ? value : (uint32_t)buffer->shape[1];
    view->image.height = (uint32_t)buffer->shape[0];
    view->image.maxval = format == RO_BITS ? 0 : value;
    view->image.stride = buffer->shape[0] > 1 ? buffer->strides[0] : pixel * buffer->shape[1];
    view->image.data = buffer->buf;
    return true;
}

void view_release(struct view *view) { PyBuffer_Release(&view->buffer); }

/* SPDX-License-Identifier: MIT */
/* The module roundoff._core: lists of what there is, and the functions of the families. */
#include "binding.h"

bool list_append(PyObject *list, PyObject *item)
{
    const bool done = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return done;
}

static PyObject *methods(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    const ro_method *method;
    for (int i = 0; list && (method = ro_halftone_method_at(i)); i++)
        if (!list_append(list, Py_BuildValue("ssss", method->name, method->family, method->summary,
                                             method->paper)))
            Py_CLEAR(list);
    return list;
}

static PyObject *palettes(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    const ro_palette_info *palette;
    for (int i = 0; list && (palette = ro_palette_at(i)); i++)
        if (!list_append(list,
                         Py_BuildValue("sss", palette->name, palette->summary, palette->source)))
            Py_CLEAR(list);
    return list;
}

static PyObject *devices(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && true; i++) {
        ro_device_info info = {.size = sizeof info};
        const ro_status status = ro_device_at(i, &info);
        if (status == RO_E_ARGUMENT)
            break;
        if (status != RO_OK)
            continue;
        if (!list_append(list,
                         Py_BuildValue("sissK", ro_device_name(info.device), info.index, info.name,
                                       info.detail, (unsigned long long)info.memory)))
            Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef lists[] = {
    {"methods", methods, METH_NOARGS, "(name, family, summary, paper) of halftoning methods"},
    {"palettes", palettes, METH_NOARGS, "(name, summary, source) of built-in palettes"},
    {"devices", devices, METH_NOARGS, "(kind, index, name, detail, memory) of devices"},
    {NULL, NULL, 0, NULL},
};

static const struct {
    const char *name;
    int value;
} constants[] = {{"GREY8", RO_GREY8}, {"GREY16", RO_GREY16}, {"GREYF", RO_GREYF},
                 {"RGB8", RO_RGB8},   {"RGB16", RO_RGB16},   {"RGBF", RO_RGBF},
                 {"BITS", RO_BITS},   {"INDEX8", RO_INDEX8}};

static int fill(PyObject *module)
{
    PyMethodDef *const families[] = {lists,
                                     halftone_functions,
                                     quick_functions,
                                     stream_functions,
                                     denoise_functions,
                                     figures_functions,
                                     register_functions,
                                     segment_functions,
                                     hologram_functions,
                                     wedge_functions,
                                     device_functions,
                                     member_functions,
                                     scene_functions,
                                     modulator_functions,
                                     levelset_functions,
                                     number_functions};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (PyModule_AddFunctions(module, families[i]) != 0)
            return -1;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value) != 0)
            return -1;
    return PyModule_AddStringConstant(module, "version", ro_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "roundoff._core",
    "The C library; use roundoff itself.",
    0,
    NULL,
    slots,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }

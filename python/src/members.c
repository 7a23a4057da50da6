/* SPDX-License-Identifier: MIT */
/* Keyword arguments as options of the library, which reads them by its tables. */
#include "binding.h"
#include "roundoff/command.h"

#include <string.h>

static const ro_option_table *rows_of(const char *structure)
{
    const ro_option_table *table;
    for (int i = 0; (table = ro_options_at(i)); i++)
        if (strcmp(table->structure, structure) == 0)
            return table;
    PyErr_Format(PyExc_SystemError, "there is no structure %s", structure);
    return NULL;
}

static PyObject *as_text(const ro_option *row, PyObject *value);

/* Several numbers as the text that stands for them. */
static PyObject *as_list(const ro_option *row, PyObject *values)
{
    const Py_ssize_t count = PySequence_Size(values);
    PyObject *texts = count < 0 ? NULL : PyList_New(0), *comma = PyUnicode_FromString(",");
    bool done = texts && comma;
    for (Py_ssize_t i = 0; i < count && done; i++) {
        PyObject *value = PySequence_GetItem(values, i), *text = value ? as_text(row, value) : NULL;
        done = text && PyList_Append(texts, text) == 0;
        Py_XDECREF(value);
        Py_XDECREF(text);
    }
    PyObject *joined = done ? PyUnicode_Join(comma, texts) : NULL;
    Py_XDECREF(texts);
    Py_XDECREF(comma);
    return joined;
}

/* A number or a truth as the text that stands for it; a text as it is. */
static PyObject *as_text(const ro_option *row, PyObject *value)
{
    if (PyUnicode_Check(value))
        return Py_NewRef(value);
    if (row->count > 1 && PySequence_Check(value))
        return as_list(row, value);
    if (PyBool_Check(value))
        return PyUnicode_FromString(value == Py_True ? "true" : "false");
    if (row->kind == RO_OPTION_TEXT) {
        PyErr_Format(PyExc_TypeError, "%s: must be a text", row->name);
        return NULL;
    }
    PyObject *number = row->kind == RO_OPTION_REAL ? PyNumber_Float(value) : PyNumber_Index(value);
    PyObject *text = number ? PyObject_Str(number) : NULL;
    if (!number && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s: must be a %s, not %R", row->name,
                     row->kind == RO_OPTION_REAL ? "number" : "whole number", value);
    Py_XDECREF(number);
    return text;
}

static bool set_row(const ro_option_table *table, const char *name, PyObject *value, void *options)
{
    const ro_option *row = ro_option_find(table, name);
    if (!row || !row->help) {
        PyErr_Format(PyExc_TypeError, "there is no option %s", name);
        return false;
    }
    char message[RO_OPTION_MESSAGE];
    PyObject *text = as_text(row, value);
    const char *given = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const bool set = given && ro_option_set(table, row, options, given, message) == RO_OK;
    if (given && !set)
        raise_bad("%s", message);
    Py_XDECREF(text); /* text that is kept is the caller's own */
    return set;
}

static bool listed(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

bool members_set(PyObject *dictionary, const char *structure, const char *const *others,
                 void *options)
{
    const ro_option_table *table = rows_of(structure);
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (table && PyDict_Next(dictionary, &place, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name)
            return false;
        if (value != Py_None && !listed(name, others) && !set_row(table, name, value, options))
            return false;
    }
    return table != NULL;
}

PyObject *option_of(PyObject *dictionary, const char *key)
{
    PyObject *value = PyDict_GetItemString(dictionary, key);
    return value == Py_None ? NULL : value;
}

/* Returns the names of the options that a structure has. */
static PyObject *option_names(PyObject *Py_UNUSED(module), PyObject *structure)
{
    const char *name = PyUnicode_AsUTF8AndSize(structure, NULL);
    const ro_option_table *table = name ? rows_of(name) : NULL;
    PyObject *names = table ? PyList_New(0) : NULL;
    const ro_option *row;
    for (int i = 0; names && (row = ro_option_at(table, i)); i++)
        if (row->help && !list_append(names, PyUnicode_FromString(row->name)))
            Py_CLEAR(names);
    return names;
}

PyMethodDef member_functions[] = {
    {"options", option_names, METH_O, "options(structure) -> names"},
    {NULL, NULL, 0, NULL},
};

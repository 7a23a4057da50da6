/* SPDX-License-Identifier: MIT */
/* Keyword arguments as members of the library's structures of options. */
#include "binding.h"

#include <limits.h>
#include <string.h>

static bool set_member(const struct member *member, PyObject *value, char *options)
{
    void *place = options + member->offset;
    if (member->kind == MEMBER_TEXT) {
        if (!PyUnicode_Check(value)) {
            PyErr_Format(PyExc_TypeError, "%s: must be a text", member->name);
            return false;
        }
        const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
        if (text)
            *(const char **)place = text;
        return text != NULL;
    }
    if (member->kind == MEMBER_REAL) {
        const double number = PyFloat_AsDouble(value);
        *(double *)place = number;
        return !(number == -1 && PyErr_Occurred());
    }
    if (member->kind == MEMBER_U64) {
        PyObject *whole = PyNumber_Index(value);
        if (!whole)
            return false;
        *(uint64_t *)place = PyLong_AsUnsignedLongLong(whole);
        Py_DECREF(whole);
        if (!PyErr_Occurred())
            return true;
        raise_bad("%s: must be a whole number from 0 to 2^64 - 1", member->name);
        return false;
    }
    const Py_ssize_t whole = PyNumber_AsSsize_t(value, NULL);
    if (whole == -1 && PyErr_Occurred())
        return false;
    const bool is_int = member->kind == MEMBER_INT;
    if (whole < (is_int ? INT_MIN : 0) || whole > (is_int ? INT_MAX : (Py_ssize_t)UINT32_MAX)) {
        raise_bad("%s: %zd is out of range", member->name, whole);
        return false;
    }
    if (is_int)
        *(int *)place = (int)whole;
    else
        *(uint32_t *)place = (uint32_t)whole;
    return true;
}

static const struct member *find(const char *name, const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

static bool listed(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

bool members_set(PyObject *dictionary, const struct member *members, size_t count,
                 const char *const *others, void *options)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(dictionary, &place, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name)
            return false;
        if (value == Py_None || listed(name, others))
            continue;
        const struct member *member = find(name, members, count);
        if (!member) {
            PyErr_Format(PyExc_TypeError, "there is no option %s", name);
            return false;
        }
        if (!set_member(member, value, options))
            return false;
    }
    return true;
}

PyObject *option_of(PyObject *dictionary, const char *key)
{
    PyObject *value = PyDict_GetItemString(dictionary, key);
    return value == Py_None ? NULL : value;
}

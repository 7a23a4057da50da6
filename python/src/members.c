/* SPDX-License-Identifier: MIT */
/*
 * Keyword arguments as members of the library's structures of options. members.h lists these; it is
 * made from the public headers by python/generate.py.
 */
#include "binding.h"

#include <limits.h>
#include <string.h>

enum member_kind { MEMBER_TEXT, MEMBER_INT, MEMBER_U32, MEMBER_U64, MEMBER_REAL };
struct member {
    const char *name;
    enum member_kind kind;
    size_t offset;
    int count; /* of numbers one behind the other */
};
struct member_table {
    const char *structure;
    const struct member *members;
    size_t count;
};
#include "members.h"

static const char *const kinds[] = {"text", "int", "u32", "u64", "real"};
static const size_t sizes[] = {sizeof(const char *), sizeof(int), sizeof(uint32_t),
                               sizeof(uint64_t), sizeof(double)};

static bool set_one(const struct member *member, PyObject *value, void *place)
{
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

static bool set_member(const struct member *member, PyObject *value, char *options)
{
    char *place = options + member->offset;
    if (member->count == 1)
        return set_one(member, value, place);
    if (PySequence_Size(value) != member->count) {
        raise_bad("%s: must be %d numbers", member->name, member->count);
        return false;
    }
    for (int i = 0; i < member->count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        const bool set = item && set_one(member, item, place + (size_t)i * sizes[member->kind]);
        Py_XDECREF(item);
        if (!set)
            return false;
    }
    return true;
}

/* ---- Structures that have a table of options --------------------------------------------------
 */

static const ro_option_table *rows_of(const char *structure)
{
    const ro_option_table *table;
    for (int i = 0; (table = ro_options_at(i)); i++)
        if (strcmp(table->structure, structure) == 0)
            return table;
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

/* ---- Other structures ------------------------------------------------------------------------ */

static const struct member_table *table_of(const char *structure)
{
    for (size_t i = 0; i < sizeof member_tables / sizeof *member_tables; i++)
        if (strcmp(member_tables[i].structure, structure) == 0)
            return &member_tables[i];
    PyErr_Format(PyExc_SystemError, "there is no structure %s", structure);
    return NULL;
}

static const struct member *find(const char *name, const struct member_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->members[i].name, name) == 0)
            return &table->members[i];
    return NULL;
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
    const ro_option_table *rows = rows_of(structure);
    const struct member_table *table = rows ? NULL : table_of(structure);
    if (!rows && !table)
        return false;
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(dictionary, &place, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name)
            return false;
        if (value == Py_None || listed(name, others))
            continue;
        if (rows) {
            if (!set_row(rows, name, value, options))
                return false;
            continue;
        }
        const struct member *member = find(name, table);
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

/* members(structure) -> {name: (kind, count)}; the kind of what has a row is "row" */
static PyObject *members(PyObject *Py_UNUSED(module), PyObject *structure)
{
    const char *name = PyUnicode_AsUTF8AndSize(structure, NULL);
    const ro_option_table *rows = name ? rows_of(name) : NULL;
    const struct member_table *table = name && !rows ? table_of(name) : NULL;
    PyObject *found = rows || table ? PyDict_New() : NULL;
    const ro_option *row;
    for (int i = 0; found && rows && (row = ro_option_at(rows, i)); i++) {
        PyObject *value = Py_BuildValue("si", "row", 1);
        if (!value || PyDict_SetItemString(found, row->name, value) != 0)
            Py_CLEAR(found);
        Py_XDECREF(value);
    }
    for (size_t i = 0; found && table && i < table->count; i++) {
        const struct member *member = &table->members[i];
        PyObject *value = Py_BuildValue("si", kinds[member->kind], member->count);
        if (!value || PyDict_SetItemString(found, member->name, value) != 0)
            Py_CLEAR(found);
        Py_XDECREF(value);
    }
    return found;
}

PyMethodDef member_functions[] = {
    {"members", members, METH_O, "members(structure) -> {name: (kind, count)}"},
    {NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: MIT */
#include "core/names.h"
#include "core/misuse.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

/* Copies the letters that count, at most LONGEST of them. */
static size_t fold(const char *name, char *letters)
{
    size_t length = 0;
    for (; *name && length < LONGEST; name++)
        if (*name != '-' && *name != '_' && *name != ' ')
            letters[length++] = (char)tolower((unsigned char)*name);
    return length;
}

static const char *status_name(int status)
{
    static const char *const names[] = {
        [RO_OK] = "ok",
        [RO_E_ARGUMENT] = "bad argument",
        [RO_E_UNSUPPORTED] = "not supported",
        [RO_E_SIZE] = "bad size",
        [RO_E_MEMORY] = "out of memory",
        [RO_E_DEVICE] = "device error",
        [RO_E_IO] = "input or output error",
        [RO_E_FORMAT] = "bad file",
        [RO_E_STATE] = "called out of order",
        [RO_E_CANCELLED] = "cancelled",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

static const char *device_name(int device)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return (unsigned)device < sizeof names / sizeof *names ? names[device] : "unknown";
}

/* The values of each enumeration of ro_names. */
static const struct {
    const char *(*name)(int value);
    int least, largest;
} enumerations[] = {
    [RO_NAMES_STATUS] = {status_name, RO_OK, RO_E_CANCELLED},
    [RO_NAMES_DEVICE] = {device_name, RO_DEVICE_AUTO, RO_DEVICE_CUDA},
    [RO_NAMES_CPU] = {cpu_name, RO_CPU_AUTO, RO_CPU_AVX512},
    [RO_NAMES_FORMAT] = {format_name, RO_GREY8, RO_RGBA8},
};

static bool is_enumeration(ro_names names)
{
    return (unsigned)names < sizeof enumerations / sizeof *enumerations;
}

const char *ro_name_of(ro_names names, int value)
{
    return is_enumeration(names) ? enumerations[names].name(value) : "unknown enumeration";
}

ro_status ro_name_find(ro_names names, const char *name, int *value)
{
    if (value)
        *value = 0;
    if (ABSENT(name, value) || !is_enumeration(names))
        return RO_E_ARGUMENT;
    for (int i = enumerations[names].least; i <= enumerations[names].largest; i++)
        if (ro_name_equal(name, enumerations[names].name(i))) {
            *value = i;
            return RO_OK;
        }
    return RO_E_ARGUMENT;
}

int ro_name_equal(const char *a, const char *b)
{
    if (ABSENT(a, b))
        return 0;
    char folded_a[LONGEST], folded_b[LONGEST];
    size_t length_a = fold(a, folded_a), length_b = fold(b, folded_b);
    return length_a == length_b && memcmp(folded_a, folded_b, length_a) == 0;
}

size_t name_distance(const char *a, const char *b)
{
    char from[LONGEST], to[LONGEST];
    size_t n = fold(a, from), m = fold(b, to), row[LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (from[i - 1] != to[j - 1]);
            size_t insert = row[j - 1] + 1, drop = row[j] + 1;
            diagonal = row[j];
            row[j] = insert < drop ? insert : drop;
            if (change < row[j])
                row[j] = change;
        }
    }
    return row[m];
}

const char *ro_name_nearest(const char *name, const char *const *names, size_t count)
{
    if (ABSENT(name, names))
        return NULL;
    const char *best = NULL;
    size_t nearest = strlen(name) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = name_distance(name, names[i]);
        if (distance < nearest) {
            nearest = distance;
            best = names[i];
        }
    }
    return best;
}

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

/* SPDX-License-Identifier: MIT */
/*
 * options: --unwind 24 --unwinding-assertions
 *
 * The reader of NPY headers stays inside its text, whatever its bytes are: up to 8 of a shape, up
 * to 10 where a key is looked for.
 */
#include "proofs/proof.h"

#include <ctype.h>
#include <stdarg.h>

/* The C library looks these up in tables of its own. */
static int is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
#undef isspace
#undef isdigit
#define isspace is_blank
#define isdigit is_digit
#include "io/arrays/npy_array.c"

enum { SHAPE = 8, VALUE = 10 };

/* ---- What the reader calls ------------------------------------------------------------------ */

/* The digits that are there, whatever number they make. */
unsigned long long strtoull(const char *text, char **end, int base)
{
    (void)base;
    while (is_digit(*text))
        text++;
    *end = (char *)text;
    return (unsigned long long)nondet_int();
}

size_t strcspn(const char *text, const char *ends)
{
    size_t n = 0;
    while (text[n] && !strchr(ends, text[n]))
        n++;
    return n;
}

char *strstr(const char *text, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (; *text; text++)
        if (strncmp(text, wanted, length) == 0)
            return (char *)text;
    return NULL;
}

/* Of what it is asked for here only the key in quotes is read again. */
int snprintf(char *to, size_t size, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    if (strcmp(format, "'%s'") == 0) {
        const char *key = va_arg(more, const char *);
        const size_t length = strlen(key);
        assert(length + 3 <= size);
        to[0] = '\'';
        memcpy(to + 1, key, length);
        to[length + 1] = '\'';
        to[length + 2] = '\0';
    }
    va_end(more);
    return 0;
}

static char *any_text(size_t length)
{
    char *text = malloc(length + 1); /* what lies behind it is not ours */
    assume(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)nondet_byte();
    text[length] = '\0';
    return text;
}

/* ---- The proofs ----------------------------------------------------------------------------- */

void proof_shape(void)
{
    uint64_t *sizes = malloc(RO_NPY_DIMENSIONS * sizeof *sizes);
    assume(sizes);
    int count = parse_shape(any_text(SHAPE), sizes);
    assert(count >= 0 && count <= RO_NPY_DIMENSIONS);
}

void proof_value(void)
{
    char *text = any_text(VALUE);
    const char *value = value_of(text, "shape");
    assert(!value || (value > text && value <= text + VALUE));
}

/* SPDX-License-Identifier: MIT */
/*
 * options: --unwind 10 --unwindset strchr.0:40 --unwinding-assertions
 *
 * The JSON reader stays inside its text, whatever its up to 6 bytes are: texts are taken into a
 * room of 4 or skipped, lists of numbers are read. (Values inside values, which are skipped by
 * recursion, are left to the fuzzer: the solver does not end.)
 */
#include "io/json/json.c"
#include "proofs/proof.h"

enum { LENGTH = 6, ROOM = 4 };

static struct json_parser any_json(int length)
{
    char *text = malloc((size_t)length + 1); /* what lies behind it is not ours */
    assume(text);
    for (int i = 0; i < length; i++)
        text[i] = (char)nondet_byte();
    text[length] = '\0';
    return (struct json_parser){.text = text, .at = text};
}

static void check(const struct json_parser *json, int length)
{
    assert(json->at >= json->text && json->at <= json->text + length);
}

/* ---- What the reader calls ------------------------------------------------------------------ */

ro_status ro_context_fail(ro_context *context, ro_status status, const char *format, ...)
{
    (void)context, (void)format;
    return status;
}

size_t strspn(const char *text, const char *wanted)
{
    size_t n = 0;
    while (text[n] && strchr(wanted, text[n]))
        n++;
    return n;
}

size_t strcspn(const char *text, const char *ends)
{
    size_t n = 0;
    while (text[n] && !strchr(ends, text[n]))
        n++;
    return n;
}

/* As many characters as it likes, but none behind the end. */
double strtod(const char *text, char **end)
{
    size_t n = 0;
    while (text[n] && nondet_byte())
        n++;
    *end = (char *)text + n;
    return 0;
}

/* ---- The proofs ----------------------------------------------------------------------------- */

void proof_skip_text(void)
{
    struct json_parser json = any_json(LENGTH);
    skip_text(&json);
    check(&json, LENGTH);
}

void proof_text(void)
{
    struct json_parser json = any_json(LENGTH);
    char *text = malloc(ROOM);
    assume(text);
    json_read_text(&json, text, ROOM);
    check(&json, LENGTH);
    if (!json.failed)
        json_read_text(&json, text, ROOM);
    check(&json, LENGTH);
}

void proof_number(void)
{
    struct json_parser json = any_json(LENGTH);
    if (json_take(&json, '['))
        do
            json_read_number(&json);
        while (json_take(&json, ','));
    json_expect(&json, ']');
    check(&json, LENGTH);
}

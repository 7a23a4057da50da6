/* SPDX-License-Identifier: MIT */
/* Forms of the JSON writer become objects, whatever their strings hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/json/json_write.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    return file;
}

static void expect(FILE *file, const char *wanted)
{
    fclose(file);
    assert_string_equal(text, wanted);
    free(text);
}

static void members(void **state)
{
    (void)state;
    FILE *file = begin();
    json_put(file,
             "{width %u, sum %lld, bytes %zu, at %-3d, share %.3f, found %hhd, lost %hhd, rms null",
             640u, -5LL, (size_t)9, 7, 0.25, 1, 0);
    json_put(file, ", list [%c%.1f%c%.1f], %s: {inner %g}}\n", 0, 1., 1, 2., "a name", 1e9);
    expect(file, "{\"width\": 640, \"sum\": -5, \"bytes\": 9, \"at\": 7  , \"share\": 0.250, "
                 "\"found\": true, \"lost\": false, \"rms\": null, \"list\": [1.0, 2.0], "
                 "\"a name\": {\"inner\": 1e+09}}\n");
}

static void strings(void **state)
{
    (void)state;
    FILE *file = begin();
    json_put(file, "[%s, %s, %s]", "a \"b\" \\ </script>", "\x1b[2J\n\xc2\x85", "\xff \xc3\xa9");
    expect(file, "[\"a \\\"b\\\" \\\\ \\u003c/script>\", \"\\u001b[2J\\u000a\\u0085\", "
                 "\"\\ufffd \xc3\xa9\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members), cmocka_unit_test(strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

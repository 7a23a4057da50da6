/* SPDX-License-Identifier: MIT */
/* The reader of JSON: escapes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "io/json/json.h"

#include <string.h>

static bool reads(const char *json_text, const char *wanted)
{
    char text[24];
    struct json_parser json = json_of(context, "here", json_text);
    json_read_text(&json, text, sizeof text);
    return !json.failed && *json.at == '\0' && strcmp(text, wanted) == 0;
}

static void strings_lose_their_escapes(void **state)
{
    (void)state;
    assert_true(reads("\"\"", ""));
    assert_true(reads(" \"plain\"", "plain"));
    assert_true(reads("\"a\\\"b\\\\c\\/\"", "a\"b\\c/"));
    assert_true(reads("\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t"));
    assert_true(reads("\"\\u0041\\u00e9\\u00E9\\u20ac\"", "A\u00e9\u00e9\u20ac"));
    assert_true(reads("\"caf\u00e9\"", "caf\u00e9"));
    assert_true(reads("\"12345678901234567890123\"", "12345678901234567890123"));
}

static void other_strings_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "plain",
        "\"",
        "\"a",
        "\"a\\",
        "\"a\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"a\nb\"",
        "\"123456789012345678901234\"",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(reads(bad[i], ""));
    assert_string_equal(ro_context_message(context),
                        "here: line 1: a short text in quotes is needed");
}

static void values_are_skipped(void **state)
{
    (void)state;
    struct json_parser json =
        json_of(context, "here", "{\"a\": [1, -2.5e3, {\"b\\\"]\": null}], \"c\": \"}\"}, 7");
    json_skip(&json);
    assert_true(json_take(&json, ','));
    assert_true(json_read_number(&json) == 7 && !json.failed);
    static const char *const bad[] = {"[1,", "{\"a\" 1}", "[", "\"a", "{1: 2}", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json = json_of(context, "here", bad[i]);
        json_skip(&json);
        assert_true(json.failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_lose_their_escapes),
        cmocka_unit_test(other_strings_are_refused),
        cmocka_unit_test(values_are_skipped),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

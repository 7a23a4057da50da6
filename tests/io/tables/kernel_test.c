/* SPDX-License-Identifier: MIT */
/* Kernels from JSON: the two forms, and what is refused. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "fixture.h"
#include "roundoff_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ro_status read_text(ro_context *context, const char *text, ro_kernel *kernel)
{
    char path[] = "kernel-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    ro_status status = ro_kernel_read(context, path, kernel);
    unlink(path);
    return status;
}

static void both_forms_are_read(void **state)
{
    ro_context *context = *state;
    ro_kernel taps, matrix;
    assert_int_equal(read_text(context,
                               "{\"name\": \"floyd-steinberg\",\n \"divisor\": 16,\n"
                               " \"taps\": [[1,0,7], [-1,1,3], [0,1,5], [1,1,1]]}\n",
                               &taps),
                     RO_OK);
    assert_int_equal(read_text(context, "{\"matrix\":[[0,0,7],[3,5,1]],\"divisor\":16}", &matrix),
                     RO_OK);
    assert_int_equal(taps.divisor, 16);
    assert_int_equal(taps.count, 4);
    assert_memory_equal(&taps, &matrix, sizeof taps);
}

static void others_are_refused(void **state)
{
    ro_context *context = *state;
    static const char *const wrong[][2] = {
        {"", "line 1: '{' is missing"},
        {"[1]", "line 1: '{' is missing"},
        {"{\"divisor\": 16}", "a kernel needs a divisor, and taps or a matrix"},
        {"{\"taps\": [[1,0,1]]}", "a kernel needs a divisor, and taps or a matrix"},
        {"{\"divisor\": 1.5, \"taps\": [[1,0,1]]}", "a whole number from"},
        {"{\"divisor\": 99999999999, \"taps\": [[1,0,1]]}", "a whole number from"},
        {"{\"divisor\": 2, \"taps\": [[1,0]]}", "a tap is [dx, dy, weight]"},
        {"{\"divisor\": 2, \"taps\": [[1,0,1]}", "']' is missing"},
        {"{\"divisor\": 2,\n\"tops\": [[1,0,1]]}", "line 2: a kernel has one name"},
        {"{\"divisor\": 2, \"divisor\": 2, \"taps\": [[1,0,1]]}", "a kernel has one name"},
        {"{\"divisor\": 2, \"taps\": [[1,0,1]]} x", "something follows"},
        {"{\"divisor\": 2, \"matrix\": [[1,0,1]]}", "the first row of a matrix"},
        {"{\"divisor\": 2, \"taps\": []}", "'[' is missing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ro_kernel kernel;
        assert_int_equal(read_text(context, wrong[i][0], &kernel), RO_E_FORMAT);
        if (!strstr(ro_context_message(context), wrong[i][1]))
            fail_msg("%s gave %s", wrong[i][0], ro_context_message(context));
    }
    ro_kernel kernel;
    assert_int_equal(ro_kernel_read(context, "no-such-file.json", &kernel), RO_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_read),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

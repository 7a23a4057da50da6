/* SPDX-License-Identifier: MIT */
/* What a context that cannot be opened says, and which version is there. */
#include "roundoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void refused(const ro_context_options *options, ro_status status, const char *says)
{
    ro_context *context = (ro_context *)(void *)&context;
    assert_int_equal(ro_context_open(options, &context), status);
    assert_null(context);
    if (!strstr(ro_context_message(NULL), says))
        fail_msg("'%s' does not say '%s'", ro_context_message(NULL), says);
}

static void it_says_why(void **state)
{
    (void)state;
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.threads = -1;
    refused(&options, RO_E_ARGUMENT, "-1 threads: must be from 1 to 1024");
    options.threads = 1;
    options.cpu = (ro_cpu)9;
    refused(&options, RO_E_UNSUPPORTED, "this processor has no");
    options.cpu = RO_CPU_AUTO;
    options.device_number = 0;
    refused(&options, RO_E_ARGUMENT, "auto has none");
    options.device = RO_DEVICE_CPU;
    refused(&options, RO_E_ARGUMENT, "cpu has none");
    options.device = RO_DEVICE_CUDA;
    options.device_number = 1000;
    refused(&options, RO_E_DEVICE, "CUDA");
    options.device_number = -1;
    refused(&options, RO_E_DEVICE, "CUDA");
    options.device = (ro_device)7;
    refused(&options, RO_E_ARGUMENT, "no kind of device 7");
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_string_equal(ro_context_message(NULL), "");
    ro_context_close(context);
}

/* Where there is a device, its number opens it. */
static void devices_have_numbers(void **state)
{
    (void)state;
    ro_device_info info = {.size = sizeof info};
    for (int i = 1; ro_device_at(i, &info) == RO_OK; i++) {
        ro_context *context;
        ro_context_options options = RO_CONTEXT_OPTIONS;
        options.device = info.device;
        options.device_number = info.index;
        assert_int_equal(ro_context_open(&options, &context), RO_OK);
        unsigned char pixels[64 * 64] = {0}, bits[64 * 8];
        ro_image in = ro_image_view(RO_GREY8, 64, 64, pixels),
                 out = ro_image_view(RO_BITS, 64, 64, bits);
        if (ro_halftone(context, &in, &out, NULL) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        assert_int_equal(ro_context_report(context)->device, info.device);
        ro_context_close(context);
    }
}

static void versions_agree(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", RO_VERSION_MAJOR, RO_VERSION_MINOR, RO_VERSION_PATCH);
    assert_string_equal(text, RO_VERSION);
    assert_string_equal(ro_version(), RO_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_why),
        cmocka_unit_test(devices_have_numbers),
        cmocka_unit_test(versions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

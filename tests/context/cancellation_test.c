/* SPDX-License-Identifier: MIT */
/*
 * How long a call goes on after it was cancelled. Calls look for a cancellation by the hook of the
 * context, so the longest time between two looks, and after the last one, is what anybody may have
 * to wait. It is the processor's time, because other programs may be running.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double most = 0.5, whole = 1.5; /* seconds between looks, and until it is cancelled */

static struct watch {
    double start, last, longest;
} watch;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void look(void)
{
    const double now = seconds(), waited = now - watch.last;
    watch.longest = waited > watch.longest ? waited : watch.longest;
    watch.last = now;
}

static int cancelled(void *user)
{
    (void)user;
    look();
    return watch.last - watch.start > whole;
}

static ro_context *begin(void)
{
    ro_context *context;
    const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1,
                                        .cancelled = cancelled};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    watch.start = watch.last = seconds();
    watch.longest = 0;
    return context;
}

/* After a call on the context, which may have been cancelled. */
static void end(ro_context *context, const char *name, ro_status status)
{
    look();
    printf("%s: %s, at most %.3f s between two looks\n", name, ro_status_name(status),
           watch.longest);
    assert_true(status == RO_OK || status == RO_E_CANCELLED);
    assert_true(watch.longest <= most);
    ro_context_close(context);
}

static ro_image plain(ro_format format, uint32_t width, uint32_t height)
{
    const size_t row = ro_format_row_bytes(format, width);
    ro_image image = {.format = format,
                      .width = width,
                      .height = height,
                      .maxval = 0,
                      .stride = (ptrdiff_t)row,
                      .data = calloc(height, row)};
    assert_non_null(image.data);
    return image;
}

static void testcards(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ro_format format;
        uint32_t width, height;
    } cases[] = {{"test card, 20000 x 20000", RO_GREY8, 20000, 20000},
                 {"test card, 600 x 400000", RO_RGB8, 600, 400000},
                 {"test card, 400000 x 600", RO_RGB8, 400000, 600}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_image image = plain(cases[i].format, cases[i].width, cases[i].height);
        ro_context *context = begin();
        end(context, cases[i].name, ro_testcard(context, &image));
        free(image.data);
    }
}

static ro_status take_row(void *to, uint32_t y, const float *row)
{
    (void)to, (void)y, (void)row;
    return RO_OK;
}

static void scenes(void **state)
{
    (void)state;
    for (int specific = 0; specific < 2; specific++)
        for (uint32_t side = 2000; side <= 4000; side *= 2) {
            ro_hologram_scene scene = RO_HOLOGRAM_SCENE;
            ro_field field = {side, side, 8 * (ptrdiff_t)side, NULL};
            char name[64];
            scene.view_specific = specific;
            if (specific) {
                scene.rows = take_row;
            } else if (!(field.data = calloc((size_t)side * side, 8))) {
                fail();
            }
            ro_context *context = begin();
            snprintf(name, sizeof name, "scene, %u a side%s", side,
                     specific ? ", view-specific" : "");
            end(context, name, ro_hologram_make(context, &scene, &field, NULL));
            free(field.data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testcards),
        cmocka_unit_test(scenes),
    };
    if (getenv("SANITIZE") && *getenv("SANITIZE"))
        return 77; /* its times are not those of the code */
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Structures that grow: defaults are filled in as far as the caller's structure goes, and reports
 * are written no further, so programs of older and newer headers run with this library. */
#include "roundoff/solver.h"
#include "roundoff_io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 64, HEIGHT = 48, MOST = 8192, GUARD = 0xa5 };

static ro_context *context;
static unsigned char pixels[WIDTH * HEIGHT], made[2][4 * WIDTH * HEIGHT];

static int open_context(void **state)
{
    (void)state;
    ro_image card = ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels);
    return ro_context_open(NULL, &context) != RO_OK || ro_testcard(context, &card) != RO_OK;
}

static int close_context(void **state)
{
    (void)state;
    ro_context_close(context);
    return 0;
}

/* ---- Options --------------------------------------------------------------------------------- */

typedef void init_fn(void *options, size_t size);

#define STRUCTURES(X)                                                                              \
    X(ro_context_options, ro_context_options_init)                                                 \
    X(ro_halftone_options, ro_halftone_options_init)                                               \
    X(ro_denoise_options, ro_denoise_options_init)                                                 \
    X(ro_segment_options, ro_segment_options_init)                                                 \
    X(ro_regions_options, ro_regions_options_init)                                                 \
    X(ro_register_options, ro_register_options_init)                                               \
    X(ro_screen_options, ro_screen_options_init)                                                   \
    X(ro_measure_options, ro_measure_options_init)                                                 \
    X(ro_wedge_options, ro_wedge_options_init)                                                     \
    X(ro_multigrid_options, ro_multigrid_options_init)                                             \
    X(ro_hologram_options, ro_hologram_options_init)                                               \
    X(ro_hologram_scene, ro_hologram_scene_init)                                                   \
    X(ro_picture_scene, ro_picture_scene_init)                                                     \
    X(ro_point_scene, ro_point_scene_init)                                                         \
    X(ro_refinement, ro_refinement_init)                                                           \
    X(ro_spots, ro_spots_init)                                                                     \
    X(ro_frames, ro_frames_init)                                                                   \
    X(ro_view, ro_view_init)                                                                       \
    X(ro_read_options, ro_read_options_init)                                                       \
    X(ro_write_options, ro_write_options_init)                                                     \
    X(ro_proof_options, ro_proof_options_init)

#define CALL(structure, function)                                                                  \
    static void call_##function(void *options, size_t size) { function(options, size); }
STRUCTURES(CALL)

static const struct {
    const char *name;
    init_fn *init;
    size_t size;
} structures[] = {
#define ROW(structure, function) {#structure, call_##function, sizeof(structure)},
    STRUCTURES(ROW)};

static size_t size_of(const void *structure)
{
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

static void check_bytes(const char *name, const unsigned char *bytes, size_t from, size_t to,
                        int value)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != value)
            fail_msg("%s: byte %zu is %d, not %d", name, i, bytes[i], value);
}

static void structures_of_other_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        _Alignas(16) unsigned char usual[MOST], other[MOST];
        const char *name = structures[i].name;
        const size_t size = structures[i].size, half = size / 2 & ~(size_t)7;
        memset(usual, GUARD, sizeof usual);
        structures[i].init(usual, size);
        assert_int_equal(size_of(usual), size);
        check_bytes(name, usual, size, MOST, GUARD);
        memset(other, GUARD, sizeof other);
        structures[i].init(other, half);
        assert_int_equal(size_of(other), half);
        assert_memory_equal(other + sizeof size, usual + sizeof size, half - sizeof size);
        check_bytes(name, other, half, MOST, GUARD);
        structures[i].init(other, 2 * size);
        assert_int_equal(size_of(other), 2 * size);
        assert_memory_equal(other + sizeof size, usual + sizeof size, size - sizeof size);
        check_bytes(name, other, size, 2 * size, 0);
        structures[i].init(NULL, size);
        memset(other, GUARD, sizeof other);
        structures[i].init(other, 3);
        check_bytes(name, other, 0, MOST, GUARD);
    }
}

static ro_image view(ro_format format, void *data)
{
    return (ro_image){.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = data};
}

static void expect_ok(ro_status status)
{
    if (status != RO_OK)
        fail_msg("%s", ro_context_message(context));
}

/* Defaults that are filled in are taken, and mean what NULL means. */
static void defaults_are_the_defaults(void **state)
{
    (void)state;
    const ro_image in = view(RO_GREY8, pixels);
    ro_halftone_options halftone;
    ro_denoise_options denoise;
    ro_screen_options screen;
    ro_measure_options measure;
    ro_register_options reg;
    ro_halftone_options_init(&halftone, sizeof halftone);
    ro_denoise_options_init(&denoise, sizeof denoise);
    ro_screen_options_init(&screen, sizeof screen);
    ro_measure_options_init(&measure, sizeof measure);
    ro_register_options_init(&reg, sizeof reg);
    assert_true(reg.scheme && strcmp(reg.scheme, "auto") == 0);
    assert_true(measure.dpi == 300 && measure.tile == 64);

    ro_image out[2] = {view(RO_BITS, made[0]), view(RO_BITS, made[1])};
    expect_ok(ro_halftone(context, &in, &out[0], NULL));
    expect_ok(ro_halftone(context, &in, &out[1], &halftone));
    assert_memory_equal(made[0], made[1], (size_t)out->stride * HEIGHT);

    ro_measure_report figures[2] = {{.size = sizeof *figures}, {.size = sizeof *figures}};
    expect_ok(ro_measure(context, &in, &out[0], NULL, &figures[0]));
    expect_ok(ro_measure(context, &in, &out[0], &measure, &figures[1]));
    assert_true(figures[0].gaussian.psnr == figures[1].gaussian.psnr);
    for (int i = 0; i < 2; i++)
        ro_free(figures[i].fields);

    out[0] = view(RO_GREY8, made[0]);
    out[1] = view(RO_GREY8, made[1]);
    expect_ok(ro_denoise(context, &in, &out[0], NULL, NULL));
    expect_ok(ro_denoise(context, &in, &out[1], &denoise, NULL));
    assert_memory_equal(made[0], made[1], WIDTH * HEIGHT);

    ro_image screens[2];
    expect_ok(ro_screen_make(context, NULL, &screens[0]));
    expect_ok(ro_screen_make(context, &screen, &screens[1]));
    assert_memory_equal(screens[0].data, screens[1].data, screens[0].stride * screens[0].height);
    for (int i = 0; i < 2; i++)
        ro_image_free(&screens[i]);

    ro_image fields[2];
    for (int i = 0; i < 2; i++) {
        expect_ok(ro_image_alloc(context, RO_GREYF, 2 * WIDTH, HEIGHT, 0, &fields[i]));
        expect_ok(ro_register(context, &in, &in, &fields[i], i ? &reg : NULL, NULL));
    }
    assert_memory_equal(fields[0].data, fields[1].data, fields[0].stride * HEIGHT);
    for (int i = 0; i < 2; i++)
        ro_image_free(&fields[i]);
}

/* ---- Reports --------------------------------------------------------------------------------- */

static void reports_of_other_sizes(void **state)
{
    (void)state;
    const ro_image in = view(RO_GREY8, pixels);
    ro_image out = view(RO_GREY8, made[0]);
    union {
        ro_denoise_report report;
        unsigned char bytes[MOST];
    } usual, other;
    const size_t size = sizeof usual.report, half = offsetof(ro_denoise_report, sum_before);
    usual.report.size = size;
    expect_ok(ro_denoise(context, &in, &out, NULL, &usual.report));
    assert_int_equal(usual.report.size, size);
    assert_true(usual.report.white > 0 && usual.report.sum_after > 0);

    memset(&other, GUARD, sizeof other);
    other.report.size = half;
    expect_ok(ro_denoise(context, &in, &out, NULL, &other.report));
    assert_int_equal(other.report.size, half);
    assert_true(other.report.white == usual.report.white);
    check_bytes("a shorter report", other.bytes, half, MOST, GUARD);

    other.report.size = size + 64;
    expect_ok(ro_denoise(context, &in, &out, NULL, &other.report));
    assert_true(other.report.sum_after == usual.report.sum_after);
    check_bytes("a longer report", other.bytes, size, size + 64, 0);
    check_bytes("a longer report", other.bytes, size + 64, MOST, GUARD);

    const size_t wrong[] = {0, 3, size + 1, 100 * size};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&other, GUARD, sizeof other);
        other.report.size = wrong[i];
        assert_int_equal(ro_denoise(context, &in, &out, NULL, &other.report), RO_E_ARGUMENT);
        assert_non_null(strstr(ro_context_message(context), "the size of the report is"));
        check_bytes("a wrong size", other.bytes, sizeof size, MOST, GUARD);
    }
}

static void info_has_a_size(void **state)
{
    (void)state;
    ro_device_info device = {.size = sizeof device};
    ro_plan_info info = {.size = 0};
    ro_plan *plan;
    const ro_image in = view(RO_GREY8, NULL);
    assert_int_equal(ro_device_at(0, &device), RO_OK);
    assert_true(device.device == RO_DEVICE_CPU && device.memory > 0);
    device.size = 0;
    assert_int_equal(ro_device_at(0, &device), RO_E_ARGUMENT);
    expect_ok(ro_halftone_plan(context, &in, RO_BITS, NULL, &plan));
    assert_int_equal(ro_plan_query(plan, &info), RO_E_ARGUMENT);
    info.size = sizeof info;
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_string_equal(info.method, "acuity");
    ro_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_of_other_sizes),
        cmocka_unit_test(defaults_are_the_defaults),
        cmocka_unit_test(reports_of_other_sizes),
        cmocka_unit_test(info_has_a_size),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}

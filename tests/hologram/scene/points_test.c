/* SPDX-License-Identifier: MIT */
/* Fields of points against the Rayleigh-Sommerfeld kernel summed directly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "roundoff/command.h"

#include <complex.h>

enum { W = 240, H = 200, POINTS = 40 };
static const double pi = 3.14159265358979323846;

static void scatter(ro_scene_point *points, double near, double far)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        const double u = pixel_hash(1, i, 0) * 0x1p-32, v = pixel_hash(1, i, 1) * 0x1p-32;
        points[i] = (ro_scene_point){.x = (u - 0.5) * 0.4e-3,
                                     .y = (v - 0.5) * 0.3e-3,
                                     .depth = near + (far - near) * pixel_hash(1, i, 2) * 0x1p-32,
                                     .amplitude = 0.5 + pixel_hash(1, i, 3) * 0x1p-32,
                                     .phase = 6.28 * pixel_hash(1, i, 4) * 0x1p-32};
    }
}

/* Relative to all light, over some pixels of the middle. */
static double error_of(const ro_field *field, const ro_scene_point *points, const ro_optics *o,
                       int half)
{
    double error = 0, all = 0;
    for (int v = H / 2 - half; v < H / 2 + half; v += 3)
        for (int u = W / 2 - half; u < W / 2 + half; u += 3) {
            double complex want = 0;
            for (int i = 0; i < POINTS; i++) {
                const ro_scene_point *p = &points[i];
                const double dx = (u + 0.5 - W / 2.0) * o->pitch - p->x;
                const double dy = (v + 0.5 - H / 2.0) * o->pitch_y - p->y, z = p->depth;
                const double r = sqrt(dx * dx + dy * dy + z * z), k = 2 * pi / o->wavelength;
                want += p->amplitude * cexp(I * p->phase) * z / (2 * pi * r * r) * (1 / r - I * k) *
                        cexp(I * k * r) * o->pitch * o->pitch_y;
            }
            const float *got = row_of(field, (uint32_t)v) + 2 * u;
            error += pow(cabs(want - (got[0] + I * got[1])), 2);
            all += pow(cabs(want), 2);
        }
    return sqrt(error / all);
}

/* Far enough that planes carry the light, and so near that they are the hologram itself. */
static void the_kernel(void **state)
{
    static const double depths[][2] = {{12e-3, 18e-3}, {14e-3, 14e-3}, {3.2e-3, 3.6e-3}};
    ro_context *context = *state;
    ro_scene_point points[POINTS];
    ro_field field;
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const ro_point_scene scene = {
            RO_POINT_SCENE_DEFAULTS, .points = points, .count = POINTS, .phase = "given",
            .optics = {.wavelength = 532e-9, .pitch = 3.5e-6, .pitch_y = 4e-6}};
        ro_optics found;
        scatter(points, depths[i][0], depths[i][1]);
        for (int k = 0; k < POINTS && depths[i][0] < 7e-3; k++) { /* what the cone holds */
            points[k].x /= 4;
            points[k].y /= 4;
        }
        assert_int_equal(ro_hologram_points(context, &scene, &field, &found), RO_OK);
        const double error = error_of(&field, points, &scene.optics, depths[i][0] < 7e-3 ? 20 : 60);
        print_message("from %g to %g mm: %.4f\n", 1e3 * depths[i][0], 1e3 * depths[i][1], error);
        assert_true(error < 0.01);
        assert_true(found.depth > depths[i][0] - 1e-9 && found.depth < depths[i][1] + 1e-9);
    }
    ro_field_free(&field);
}

/* Only light to a viewing area so large that its edge is far: the same in the middle. */
static void what_is_seen(void **state)
{
    ro_context *context = *state;
    ro_scene_point points[POINTS];
    ro_field field;
    const ro_point_scene scene = {RO_POINT_SCENE_DEFAULTS,
                                  .points = points,
                                  .count = POINTS,
                                  .phase = "given",
                                  .optics = {.wavelength = 532e-9,
                                             .pitch = 2e-6,
                                             .pitch_y = 2e-6,
                                             .viewer = {0, 0, -8e-3},
                                             .viewing_area = {0.6e-3, 0.6e-3}},
                                  .view_specific = 1};
    scatter(points, 14e-3, 17e-3);
    for (int i = 0; i < POINTS; i++) {
        points[i].x /= 4;
        points[i].y /= 4;
    }
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_hologram_points(context, &scene, &field, NULL), RO_OK);
    const double error = error_of(&field, points, &scene.optics, 40);
    print_message("seen: %.4f\n", error);
    assert_true(error < 0.05);
    ro_field_free(&field);
}

/* The order of the points and of the threads does not count; random phases do. */
static void same_bits(void **state)
{
    ro_context *context = *state, *plain = NULL;
    const ro_context_options one = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1,
                                    .cpu = RO_CPU_SCALAR};
    ro_scene_point points[POINTS];
    ro_field a, b;
    ro_point_scene scene = {RO_POINT_SCENE_DEFAULTS, .points = points, .count = POINTS,
                            .optics = {.wavelength = 532e-9, .pitch = 4e-6}};
    scatter(points, 8e-3, 18e-3);
    assert_int_equal(ro_context_open(&one, &plain), RO_OK);
    assert_int_equal(ro_field_alloc(context, W, H, &a), RO_OK);
    assert_int_equal(ro_field_alloc(context, W, H, &b), RO_OK);
    assert_int_equal(ro_hologram_points(context, &scene, &a, NULL), RO_OK);
    assert_int_equal(ro_hologram_points(plain, &scene, &b, NULL), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        assert_memory_equal(row_of(&a, y), row_of(&b, y), W * 8);
    scene.seed = 1;
    assert_int_equal(ro_hologram_points(context, &scene, &b, NULL), RO_OK);
    assert_memory_not_equal(row_of(&a, 5), row_of(&b, 5), W * 8);
    ro_context_close(plain);
    ro_field_free(&a);
    ro_field_free(&b);
}

static void fits_and_refusals(void **state)
{
    ro_context *context = *state;
    ro_scene_point points[POINTS], bad = {.depth = -1e-3, .amplitude = 1};
    ro_field field;
    const ro_optics optics = {.wavelength = 532e-9, .pitch = 4e-6};
    scatter(points, 100, 200);
    assert_int_equal(ro_points_fit(context, points, POINTS, 1e-3, 0.8e-3, 5e-3, 9e-3), RO_OK);
    double wide = 0, near = 1, far = 0;
    for (int i = 0; i < POINTS; i++) {
        wide = fmax(wide, fmax(fabs(points[i].x) / 0.5e-3, fabs(points[i].y) / 0.4e-3));
        near = fmin(near, points[i].depth);
        far = fmax(far, points[i].depth);
    }
    assert_true(fabs(wide - 0.9) < 1e-9 && fabs(near - 5e-3) < 1e-9 && fabs(far - 9e-3) < 1e-9);
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    const ro_scene_point outside = {.x = 1, .depth = 0.1, .amplitude = 1};
    const ro_point_scene cases[] = {
        {RO_POINT_SCENE_DEFAULTS, .optics = optics},
        {RO_POINT_SCENE_DEFAULTS, .points = &bad, .count = 1, .optics = optics},
        {RO_POINT_SCENE_DEFAULTS, .points = &outside, .count = 1, .optics = optics},
        {RO_POINT_SCENE_DEFAULTS, .points = points, .count = 1, .optics = optics, .phase = "loud"},
        {RO_POINT_SCENE_DEFAULTS, .points = points, .count = 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_points(context, &cases[i], &field, NULL), RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_kernel), cmocka_unit_test(what_is_seen),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(fits_and_refusals)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

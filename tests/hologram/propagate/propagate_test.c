/* SPDX-License-Identifier: MIT */
/* Propagation against the Rayleigh-Sommerfeld integral, energy, scenes and views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

#include <complex.h>

static const double pi = 3.14159265358979323846;
static const double lambda = 635e-9, pitch = 2e-6;
static const ro_optics optics = {.wavelength = 635e-9, .pitch = 2e-6};

/* A spot of light that leans to the side; small against the field. */
static ro_field spot(ro_context *context, uint32_t width, uint32_t height)
{
    ro_field field;
    assert_int_equal(ro_field_alloc(context, width, height, &field), RO_OK);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double u = x - 0.45 * width, v = y - 0.55 * height;
            double size = exp(-(u * u + v * v) / 128);
            double angle = 2 * pi * (0.04 * u - 0.03 * v);
            row_of(&field, y)[2 * x] = (float)(size * cos(angle));
            row_of(&field, y)[2 * x + 1] = (float)(size * sin(angle));
        }
    return field;
}

static double energy(const ro_field *field)
{
    double sum = 0;
    for (uint32_t y = 0; y < field->height; y++)
        for (uint32_t x = 0; x < 2 * field->width; x++)
            sum += (double)row_of(field, y)[x] * row_of(field, y)[x];
    return sum;
}

/* The first integral, summed over the field; behind it, for z < 0, light runs backwards. */
static double complex direct(const ro_field *field, double x, double y, double z)
{
    double complex sum = 0;
    for (uint32_t i = 0; i < field->height; i++)
        for (uint32_t k = 0; k < field->width; k++) {
            double dx = (x - k) * pitch, dy = (y - i) * pitch;
            double r = sqrt(dx * dx + dy * dy + z * z), wave = 2 * pi / lambda;
            double complex h = fabs(z) / (2 * pi * r * r) * (1 / r - I * wave) * cexp(I * wave * r);
            double complex u = row_of(field, i)[2 * k] + I * row_of(field, i)[2 * k + 1];
            sum += u * (z < 0 ? conj(h) : h) * pitch * pitch;
        }
    return sum;
}

static void agrees_with_the_integral(void **state)
{
    static const uint32_t sizes[][2] = {{256, 256}, {200, 120}};
    ro_context *context = *state;
    for (int s = 0; s < 2; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double z = sign * 2e-3;
            ro_field in = spot(context, sizes[s][0], sizes[s][1]), out;
            assert_int_equal(ro_field_alloc(context, in.width, in.height, &out), RO_OK);
            assert_int_equal(ro_field_propagate(context, &in, &out, &optics, z), RO_OK);
            for (uint32_t n = 0; n < 40; n++) {
                uint32_t x = in.width / 4 + pixel_hash(1, n, 0) % (in.width / 2);
                uint32_t y = in.height / 4 + pixel_hash(2, n, 0) % (in.height / 2);
                double complex want = direct(&in, x, y, z);
                double complex got = row_of(&out, y)[2 * x] + I * row_of(&out, y)[2 * x + 1];
                assert_true(cabs(got - want) < 2e-3);
            }
            assert_true(fabs(energy(&out) / energy(&in) - 1) < 2e-3);
            /* There and back. */
            assert_int_equal(ro_field_propagate(context, &out, &out, &optics, -z), RO_OK);
            double difference = 0;
            for (uint32_t y = 0; y < in.height; y++)
                for (uint32_t x = 0; x < 2 * in.width; x++)
                    difference += pow(row_of(&in, y)[x] - row_of(&out, y)[x], 2);
            assert_true(difference < 1e-3 * energy(&in));
            ro_field_free(&in);
            ro_field_free(&out);
        }
}

/* A disc is bright inside and dark outside where it is in focus, and only there. */
/* Every instruction set and any number of threads; sizes that lanes do not divide, a prime one. */
static void schedules_agree(void **state)
{
    static const uint32_t sizes[][2] = {{64, 48}, {61, 75}, {30, 101}, {8, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ro_field first = {0};
        for (int v = 0; v < 4; v++) {
            ro_context *context;
            ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                      .cpu = v == 0 ? RO_CPU_SCALAR : 0, .threads = v == 0 ? 1 : v};
            assert_int_equal(ro_context_open(&how, &context), RO_OK);
            ro_field field = spot(context, sizes[i][0], sizes[i][1]);
            const ro_optics tall = {.wavelength = 635e-9, .pitch = 2e-6, .pitch_y = 1.4e-6};
            assert_int_equal(ro_field_propagate(context, &field, &field, &tall, 2e-4), RO_OK);
            for (uint32_t y = 0; y < field.height && v > 0; y++)
                assert_memory_equal(row_of(&field, y), row_of(&first, y), field.width * 8);
            if (v == 0)
                first = field;
            else
                ro_field_free(&field);
            ro_context_close(context);
        }
        assert_true(energy(&first) > 1);
        ro_field_free(&first);
    }
}

static void a_target_is_seen(void **state)
{
    enum { SIDE = 256 };
    ro_context *context = *state;
    ro_field field;
    ro_image picture;
    ro_optics optics;
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &picture), RO_OK);
    ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .target = "disc", .phase = "smooth"};
    assert_int_equal(ro_hologram_make(context, &scene, &field, &optics), RO_OK);
    ro_view view = {RO_VIEW_DEFAULTS, .optics = optics, .depth = optics.depth,
                    .scale = RO_SCALE_NONE};
    assert_int_equal(ro_hologram_reconstruct(context, &field, &picture, &view, NULL), RO_OK);
    double inside = 0, outside = 0, counts[2] = {0};
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            double r = hypot(x - SIDE / 2.0, y - SIDE / 2.0) / (SIDE / 2.0);
            double v = ((float *)((char *)picture.data + (ptrdiff_t)y * picture.stride))[x];
            if (r < 0.4) {
                inside += v;
                counts[0]++;
            } else if (r > 0.65 && r < 0.95) {
                outside += v;
                counts[1]++;
            }
        }
    assert_true(inside / counts[0] > 10 * outside / counts[1]);
    ro_image_free(&picture);
    ro_field_free(&field);
}

/* The same seed, the same light; threads change nothing. */
static void scenes_repeat(void **state)
{
    enum { SIDE = 128 };
    ro_context *one = open_context(1);
    ro_field a, b;
    assert_int_equal(ro_field_alloc(*state, SIDE, SIDE, &a), RO_OK);
    assert_int_equal(ro_field_alloc(*state, SIDE, SIDE, &b), RO_OK);
    ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .seed = 7, .layers = 2};
    assert_int_equal(ro_hologram_make(*state, &scene, &a, NULL), RO_OK);
    assert_int_equal(ro_hologram_make(one, &scene, &b, NULL), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        assert_memory_equal(row_of(&a, y), row_of(&b, y), SIDE * 8);
    scene.seed = 8;
    assert_int_equal(ro_hologram_make(one, &scene, &b, NULL), RO_OK);
    assert_memory_not_equal(row_of(&a, 5), row_of(&b, 5), SIDE * 8);
    ro_field_free(&a);
    ro_field_free(&b);
    ro_context_close(one);
}

static void bad_scenes(void **state)
{
    ro_field field;
    assert_int_equal(ro_field_alloc(*state, 16, 16, &field), RO_OK);
    const ro_hologram_scene cases[] = {
        {RO_HOLOGRAM_SCENE_DEFAULTS, .target = "cat"},
        {RO_HOLOGRAM_SCENE_DEFAULTS, .phase = "wild"},
        {RO_HOLOGRAM_SCENE_DEFAULTS, .optics = {.wavelength = 1}},
        {RO_HOLOGRAM_SCENE_DEFAULTS, .optics = {.pitch = -1}},
        {RO_HOLOGRAM_SCENE_DEFAULTS, .layers = 17},
        {RO_HOLOGRAM_SCENE_DEFAULTS, .optics = {.viewer = {0, 0, 0.1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ro_hologram_make(*state, &cases[i], &field, NULL), RO_E_ARGUMENT);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_integral),
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(a_target_is_seen),
        cmocka_unit_test(scenes_repeat),
        cmocka_unit_test(bad_scenes),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

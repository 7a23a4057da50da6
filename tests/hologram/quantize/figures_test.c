/* SPDX-License-Identifier: MIT */
/* The figures of a report against sums of its own: a direct Fourier sum of the light that really
 * leaves the modulator, 0 and 1 of binary levels, compared with the whole complex field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "hologram/quantize/levels.h"

#include <complex.h>

enum { W = 36, H = 28 };
static const double tau = 6.283185307179586476925286766559;

/* A row's sum, then a column's: what the definition says, without a fast transform. */
static void direct(const double complex *from, double complex *to)
{
    static double complex rows[W * H];
    for (int y = 0; y < H; y++)
        for (int u = 0; u < W; u++) {
            rows[y * W + u] = 0;
            for (int x = 0; x < W; x++)
                rows[y * W + u] += from[y * W + x] * cexp(-I * tau * u * x / W);
        }
    for (int v = 0; v < H; v++)
        for (int u = 0; u < W; u++) {
            to[v * W + u] = 0;
            for (int y = 0; y < H; y++)
                to[v * W + u] += rows[y * W + u] * cexp(-I * tau * v * y / H);
        }
}

struct figures {
    double snr, efficiency, in_window, outgoing;
};

static struct figures figures_of(const double complex *g, const double complex *t, ro_window w)
{
    static double complex gs[W * H], ts[W * H];
    double gg = 0, tt = 0, all = 0, n = W * H;
    double complex tg = 0;
    direct(g, gs);
    direct(t, ts);
    for (int v = 0; v < H; v++)
        for (int u = 0; u < W; u++) {
            const int i = v * W + u;
            const double fx = (double)u / W - (2 * u > W), fy = (double)v / H - (2 * v > H);
            all += creal(ts[i] * conj(ts[i]));
            if (fabs(fx - w.xi) > w.width / 2 || fabs(fy - w.eta) > w.height / 2)
                continue;
            gg += creal(gs[i] * conj(gs[i]));
            tt += creal(ts[i] * conj(ts[i]));
            tg += ts[i] * conj(gs[i]);
        }
    const double signal = creal(tg * conj(tg)) / gg;
    return (struct figures){10 * log10(signal / (tt - signal)), signal / n / n, tt / n / n,
                            all / n / n};
}

/* Light of random phase inside the window, and a little of everything outside. */
static void fill(const ro_field *field, ro_window w)
{
    static double complex spectrum[W * H], light[W * H];
    for (uint32_t v = 0; v < H; v++)
        for (uint32_t u = 0; u < W; u++) {
            const double fx = (double)u / W - (2 * u > W), fy = (double)v / H - (2 * v > H);
            const bool in = fabs(fx - w.xi) <= w.width / 2 && fabs(fy - w.eta) <= w.height / 2;
            spectrum[v * W + u] = (in ? 1 : 0.05) * cexp(I * tau * pixel_hash(7, u, v) * 0x1p-32);
        }
    direct(spectrum, light);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) { /* the inverse of a sum is the sum read backwards */
            const double complex z = light[(H - y) % H * W + (W - x) % W];
            row_of(field, y)[2 * x] = (float)creal(z);
            row_of(field, y)[2 * x + 1] = (float)cimag(z);
        }
}

static void figures_are_of_the_light(void **state)
{
    static const ro_window on_axis = {0, 0, 0.35, 0.35}, beside = {0.05, 0.02, 0.35, 0.35},
                           off_axis = {0.22, 0.2, 0.3, 0.35};
    static const struct {
        const char *levels;
        ro_window window;
        int mirrored;
    } cases[] = {
        {"binary", on_axis, 1},        {"binary", beside, 1},        {"binary", off_axis, 0},
        {"amplitude:9", on_axis, 1},   {"amplitude:9", off_axis, 0}, {"phase-binary", on_axis, 1},
        {"phase-binary", off_axis, 0}, {"phase:4", on_axis, 0},      {"phase:16", off_axis, 0},
    };
    ro_context *context = *state;
    ro_field field;
    ro_image out;
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, W, H, 255, &out), RO_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static double complex g[W * H], t[W * H];
        const bool amplitude = strchr("ab", cases[c].levels[0]) != NULL;
        float table[2 * RO_HOLOGRAM_LEVELS];
        int count;
        ro_hologram_report r = {.size = sizeof r};
        fill(&field, cases[c].window);
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = cases[c].levels,
                                       .window = cases[c].window, .measure = 1};
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, &r), RO_OK);
        assert_int_equal(hologram_levels_named(context, cases[c].levels, table, &count), RO_OK);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const int k = ((uint8_t *)out.data)[(ptrdiff_t)y * out.stride + x];
                g[y * W + x] =
                    row_of(&field, (uint32_t)y)[2 * x] + I * row_of(&field, (uint32_t)y)[2 * x + 1];
                t[y * W + x] = amplitude ? k / (count - 1.0) : table[2 * k] + I * table[2 * k + 1];
            }
        const struct figures want = figures_of(g, t, cases[c].window);
        assert_true(fabs(r.reached_snr - want.snr) < 0.01);
        assert_true(fabs(r.efficiency - want.efficiency) < 1e-4);
        assert_true(fabs(r.in_window - want.in_window) < 1e-4);
        assert_true(fabs(r.outgoing - want.outgoing) < 1e-4);
        assert_int_equal(r.mirrored, cases[c].mirrored);
        if (cases[c].mirrored) /* the twin image is as bright as the image */
            assert_true(r.reached_snr < 3 && r.predicted_snr < 3);
        else
            assert_true(r.reached_snr > 8);
        ro_free(r.hogel);
    }
    ro_image_free(&out);
    ro_field_free(&field);
}

/* Algorithms that know no hogels are looked at in the hogels' windows all the same. */
static void all_in_the_same_windows(void **state)
{
    static const char *const algorithms[] = {"vded", "swed", "floyd-steinberg", "truncate"};
    const ro_optics optics = {.wavelength = 635e-9,
                              .pitch = 750e-9,
                              .viewer = {0, 0, -40e-6},
                              .viewing_area = {12e-6, 12e-6},
                              .hogel = 12};
    ro_context *context = *state;
    ro_field field;
    ro_image out;
    ro_hologram_report first = {.size = sizeof first};
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, W, H, 255, &out), RO_OK);
    fill(&field, (ro_window){0, 0, 0.5, 0.5});
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        ro_hologram_report r = {.size = sizeof r};
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .algorithm = algorithms[i],
                                       .optics = optics, .measure = 1};
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, &r), RO_OK);
        assert_int_equal(r.hogels, 9);
        for (uint32_t k = 0; k < r.hogels && i > 0; k++) {
            assert_memory_equal(&r.hogel[k].window, &first.hogel[k].window, sizeof(ro_window));
            assert_true(r.hogel[k].reached_snr != first.hogel[k].reached_snr);
        }
        if (i == 0)
            first = r;
        else
            ro_free(r.hogel);
    }
    ro_free(first.hogel);
    ro_image_free(&out);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_of_the_light),
        cmocka_unit_test(all_in_the_same_windows),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

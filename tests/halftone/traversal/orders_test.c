/* SPDX-License-Identifier: MIT */
/*
 * Methods that go through an image in an order of their own: dot diffusion, the Hilbert curve and
 * the pinwheel. Each is run once more here by the text of its definition, in another way.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "halftone/traversal/dot_diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t counter;
static uint32_t draw(uint32_t limit) { return pixel_hash(13, counter++, 9) % limit; }

struct picture {
    uint32_t width, height, maxval;
    int64_t *values; /* 16 times the samples, then with what flowed to them */
    uint16_t *samples;
    unsigned char *want, *got;
};

static struct picture make_picture(void)
{
    static const uint32_t whites[] = {255, 255, 1, 200, 65535};
    struct picture p = {1 + draw(draw(3) ? 60 : 300), 1 + draw(60), whites[draw(5)], 0, 0, 0, 0};
    size_t pixels = (size_t)p.width * p.height;
    p.values = malloc(pixels * sizeof *p.values);
    p.samples = malloc(pixels * sizeof *p.samples);
    p.want = calloc(pixels, 1);
    p.got = malloc(pixels);
    uint32_t flat = draw(p.maxval + 1);
    bool even = draw(3) == 0;
    for (size_t i = 0; i < pixels; i++) {
        p.samples[i] = (uint16_t)(even ? flat : draw(p.maxval + 1));
        p.values[i] = 16 * (int64_t)p.samples[i];
    }
    return p;
}

static void free_picture(struct picture *p)
{
    free(p->values);
    free(p->samples);
    free(p->want);
    free(p->got);
}

static void run_library(struct picture *p, const char *method, int levels, int threads)
{
    ro_context *context;
    ro_context_options two = {RO_CONTEXT_DEFAULTS, .threads = threads};
    const bool dots = strncmp(method, "dot", 3) == 0 && p->maxval < 256; /* with lanes for each */
    two.cpu = (ro_cpu)(dots ? draw(RO_CPU_AVX512 + 1) : draw(2));
    if (ro_context_open(&two, &context) != RO_OK)
        assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    ro_image in = {.format = RO_GREY16,
                   .width = p->width,
                   .height = p->height,
                   .maxval = p->maxval,
                   .stride = (ptrdiff_t)p->width * 2,
                   .data = p->samples};
    ro_image out = ro_image_view(RO_INDEX8, p->width, p->height, p->got);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method, .levels = levels};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    ro_context_close(context);
}

static void compare(const struct picture *p, const char *method)
{
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        if (p->want[i] != p->got[i])
            fail_msg("%s, %u x %u, maxval %u: pixel (%zu, %zu) is %d", method, p->width, p->height,
                     p->maxval, i % p->width, i / p->width, p->got[i]);
}

static int64_t nearest_share(int64_t weight, int64_t e, int64_t sum)
{
    return (int64_t)floor((2.0 * (double)weight * (double)e + (double)sum) / (2.0 * (double)sum));
}

/* ---- dot diffusion -------------------------------------------------------------------------- */

static void dots_by_definition(struct picture *p, const uint8_t classes[8][8])
{
    int64_t white = 16 * (int64_t)p->maxval, width = p->width, height = p->height;
    for (int k = 0; k < 64; k++)
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                if (classes[y % 8][x % 8] != k)
                    continue;
                int64_t v = p->values[y * width + x], sum = 0, e, left;
                p->want[y * width + x] = v > white / 2;
                left = e = v > white / 2 ? v - white : v;
                int64_t *targets[8], weights[8];
                int count = 0;
                for (int64_t ty = y - 1; ty <= y + 1; ty++)
                    for (int64_t tx = x - 1; tx <= x + 1; tx++)
                        if (tx >= 0 && ty >= 0 && tx < width && ty < height &&
                            classes[ty % 8][tx % 8] > k) {
                            targets[count] = &p->values[ty * width + tx];
                            sum += weights[count++] = tx == x || ty == y ? 2 : 1;
                        }
                for (int i = 0; i < count; i++) {
                    int64_t q = i == count - 1 ? left : nearest_share(weights[i], e, sum);
                    *targets[i] += q;
                    left -= q;
                }
            }
}

static void dots_are_as_defined(void **state)
{
    (void)state;
    static const char *const names[] = {"dot-diffusion", "dot-diffusion-optimised"};
    for (int round = 0; round < 60; round++) {
        struct picture p = make_picture();
        dots_by_definition(&p, dots_classes[round % 2]);
        run_library(&p, names[round % 2], 2, 1 + round / 2 % 2);
        compare(&p, names[round % 2]);
        free_picture(&p);
    }
}

/* The largest error that there can be in an image, of a white of 1: what flows to a pixel is added
 * up without its sign. */
static double largest_error(const uint8_t classes[8][8], int width, int height)
{
    double flow[40 * 40] = {0}, largest = 0;
    for (int k = 0; k < 64; k++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                if (classes[y % 8][x % 8] != k)
                    continue;
                const double e = fmax(0.5, flow[y * width + x]);
                double sum = 0;
                largest = fmax(largest, e);
                for (int pass = 0; pass < 2; pass++)
                    for (int ty = y - 1; ty <= y + 1; ty++)
                        for (int tx = x - 1; tx <= x + 1; tx++)
                            if (tx >= 0 && ty >= 0 && tx < width && ty < height &&
                                classes[ty % 8][tx % 8] > k) {
                                const double weight = tx == x || ty == y ? 2 : 1;
                                if (pass == 0)
                                    sum += weight;
                                else /* and half a unit of rounding */
                                    flow[ty * width + tx] += e * weight / sum + 1.0 / 4080;
                            }
            }
    return largest;
}

/* Vectors have floats for shares (dot_lanes.h). */
static void errors_stay_small(void **state)
{
    (void)state;
    for (int m = 0; m < DOTS_MATRICES; m++)
        for (int width = 1; width < 32; width++)
            for (int height = 1; height < 32; height++)
                assert_true(largest_error(dots_classes[m], width, height) < 5.1);
}

static void class_matrices_hold_every_class_once(void **state)
{
    (void)state;
    static const int barons[DOTS_MATRICES] = {[DOTS_KNUTH] = 2};
    for (int m = 0; m < DOTS_MATRICES; m++) {
        uint64_t seen = 0;
        int without = 0;
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                seen |= (uint64_t)1 << dots_classes[m][y][x];
                int higher = 0;
                for (int n = 0; n < 9; n++)
                    higher += dots_classes[m][(y + n / 3 + 7) % 8][(x + n % 3 + 7) % 8] >
                              dots_classes[m][y][x];
                without += higher == 0;
            }
        assert_true(seen == UINT64_MAX);
        if (barons[m])
            assert_int_equal(without, barons[m]);
    }
}

/* ---- the Hilbert curve ---------------------------------------------------------------------- */

/* The usual formula from a distance along the curve to a place. */
static void place_on_curve(int64_t side, int64_t distance, int64_t *x, int64_t *y)
{
    *x = *y = 0;
    for (int64_t s = 1; s < side; s *= 2, distance /= 4) {
        int64_t rx = distance / 2 % 2, ry = (distance ^ rx) % 2;
        if (ry == 0) {
            if (rx == 1) {
                *x = s - 1 - *x;
                *y = s - 1 - *y;
            }
            int64_t swap = *x;
            *x = *y;
            *y = swap;
        }
        *x += s * rx;
        *y += s * ry;
    }
}

static void curve_by_definition(struct picture *p, int levels)
{
    static const int weights[16] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 9, 11, 13, 16};
    int64_t white = 16 * (int64_t)p->maxval, errors[16] = {0}, carry = 44, side = 1;
    while (side < p->width || side < p->height)
        side *= 2;
    for (int64_t d = 0; d < side * side; d++) {
        int64_t x, y;
        place_on_curve(side, d, &x, &y);
        if (x >= p->width || y >= p->height)
            continue;
        int64_t t = carry;
        for (int i = 0; i < 16; i++)
            t += weights[i] * errors[i];
        int64_t carried = (int64_t)floor((double)t / 89.0);
        carry = t - 89 * carried;
        int64_t v = p->values[y * p->width + x] + carried, best = INT64_MAX, e = 0;
        for (int k = 0; k < levels; k++) {
            int64_t level = (2 * white * k + levels - 1) / (2 * (levels - 1));
            if (llabs(v - level) < best) {
                best = llabs(v - level);
                e = v - level;
                p->want[y * p->width + x] = (unsigned char)k;
            }
        }
        memmove(errors, errors + 1, sizeof errors - sizeof *errors);
        errors[15] = e;
    }
}

static void curve_is_as_defined(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct picture p = make_picture();
        int levels = round % 2 ? 2 : 2 + (int)draw(16);
        curve_by_definition(&p, levels);
        run_library(&p, "riemersma", levels, 1);
        compare(&p, "riemersma");
        free_picture(&p);
    }
}

/* ---- the pinwheel --------------------------------------------------------------------------- */

/* The place of a pixel on the inward spiral, by peeling rings. */
static int place_on_spiral(int x, int y)
{
    int n = 0;
    for (int ring = 0; ring < 8; ring++) {
        int last = 15 - ring, side = last - ring;
        if (x == ring || x == last || y == ring || y == last) {
            if (y == ring && x < last)
                return n + x - ring;
            if (x == last && y < last)
                return n + side + y - ring;
            if (y == last && x > ring)
                return n + 2 * side + last - x;
            return n + 3 * side + last - y;
        }
        n += 4 * side;
    }
    return -1;
}

static void pinwheel_by_definition(struct picture *p)
{
    int64_t white = 16 * (int64_t)p->maxval, width = p->width, height = p->height;
    int at[256][2];
    for (int i = 0; i < 256; i++) {
        int n = place_on_spiral(i % 16, i / 16);
        at[n][0] = i % 16;
        at[n][1] = i / 16;
    }
    for (int turn = 0; turn < 2; turn++)
        for (int64_t y0 = 0; y0 < height; y0 += 16)
            for (int64_t x0 = 0; x0 < width; x0 += 16) {
                if ((x0 / 16 + y0 / 16) % 2 != turn)
                    continue;
                for (int n = 0; n < 256; n++) {
                    int here = turn ? n : 255 - n, next = turn ? n + 1 : 254 - n;
                    int behind = turn ? n - 1 : 256 - n;
                    int64_t x = x0 + at[here][0], y = y0 + at[here][1];
                    if (x >= width || y >= height)
                        continue;
                    bool end = n == 255;
                    int64_t dx = end ? at[here][0] - at[behind][0] : at[next][0] - at[here][0];
                    int64_t dy = end ? at[here][1] - at[behind][1] : at[next][1] - at[here][1];
                    int64_t v = p->values[y * width + x], sum = 0, left;
                    int64_t e = v > white / 2 ? v - white : v;
                    p->want[y * width + x] = v > white / 2;
                    const int64_t place[4][3] = {
                        {dx, dy, 7}, {-dy - dx, dx - dy, 3}, {-dy, dx, 5}, {dx - dy, dx + dy, 1}};
                    int64_t *targets[4], weights[4];
                    int count = 0;
                    for (int i = 0; i < 4; i++) {
                        int64_t tx = x + place[i][0], ty = y + place[i][1];
                        if (tx < 0 || ty < 0 || tx >= width || ty >= height)
                            continue;
                        bool same = tx / 16 == x0 / 16 && ty / 16 == y0 / 16;
                        int there = place_on_spiral((int)(tx % 16), (int)(ty % 16));
                        bool later = same ? (turn ? there > here : there < here)
                                          : turn == 0 && (tx / 16 + ty / 16) % 2 == 1;
                        if (!later)
                            continue;
                        targets[count] = &p->values[ty * width + tx];
                        sum += weights[count++] = place[i][2];
                    }
                    left = e;
                    for (int i = 0; i < count; i++) {
                        int64_t q = i == count - 1 ? left : nearest_share(weights[i], e, sum);
                        *targets[i] += q;
                        left -= q;
                    }
                }
            }
}

static void pinwheel_is_as_defined(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct picture p = make_picture();
        pinwheel_by_definition(&p);
        run_library(&p, "pinwheel", 2, 1 + round % 2);
        compare(&p, "pinwheel");
        free_picture(&p);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void flat_fields_keep_their_tone(void **state)
{
    enum { SIDE = 256 };
    /* What a method that drops errors may miss, of white; the curve drops none. */
    static const struct {
        const char *name;
        double missed;
    } methods[] = {{"riemersma", 0.001},
                   {"pinwheel", 0.003},
                   {"dot-diffusion", 0.03},
                   {"dot-diffusion-optimised", 0.03}};
    (void)state;
    ro_context *context;
    ro_image in, out;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, SIDE, SIDE, 0, &out), RO_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int grey = 0; grey < 256; grey += 5) {
            memset(in.data, grey, (size_t)in.stride * SIDE);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m].name};
            assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
            uint64_t count = 0;
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE / 8; x++)
                    count += (uint64_t)__builtin_popcount(
                        ((unsigned char *)out.data)[(ptrdiff_t)y * out.stride + x]);
            double tone = (double)count / ((double)SIDE * SIDE);
            if (fabs(tone - grey / 255.0) > methods[m].missed)
                fail_msg("%s: grey %d became %.3f", methods[m].name, grey, 255 * tone);
        }
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

static void variants_they_lack_are_refused(void **state)
{
    (void)state;
    ro_context *context;
    unsigned char pixel = 100, level;
    ro_image in = ro_image_view(RO_GREY8, 1, 1, &pixel),
             out = ro_image_view(RO_INDEX8, 1, 1, &level);
    ro_halftone_options riemersma = {RO_HALFTONE_DEFAULTS, .method = "riemersma"},
                        dots = {RO_HALFTONE_DEFAULTS, .method = "knuth", .levels = 4};
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 2}, &context), RO_OK);
    assert_int_equal(ro_halftone(context, &in, &out, &riemersma), RO_E_UNSUPPORTED);
    assert_int_equal(ro_halftone(context, &in, &out, &dots), RO_E_ARGUMENT);
    ro_context_close(context);
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .cpu = RO_CPU_AVX2}, &context) !=
        RO_OK)
        return;
    dots.levels = 2;
    uint16_t deep = 1000;
    const ro_image wide = {.format = RO_GREY16,
                           .width = 1,
                           .height = 1,
                           .maxval = 1023,
                           .stride = 2,
                           .data = &deep}; /* lanes are for 8 bits */
    assert_int_equal(ro_halftone(context, &in, &out, &dots), RO_OK);
    assert_int_equal(ro_halftone(context, &wide, &out, &dots), RO_E_UNSUPPORTED);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_are_as_defined),
        cmocka_unit_test(errors_stay_small),
        cmocka_unit_test(class_matrices_hold_every_class_once),
        cmocka_unit_test(curve_is_as_defined),
        cmocka_unit_test(pinwheel_is_as_defined),
        cmocka_unit_test(flat_fields_keep_their_tone),
        cmocka_unit_test(variants_they_lack_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

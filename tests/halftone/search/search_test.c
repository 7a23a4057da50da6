/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: that it ends where no single change helps, that the error it adds up is the
 * error there is, tones, and what it refuses. That every variant gives the reference's bits is
 * rocheck's work. The error is formula 4 of the paper, by the definition: e = A - 16 (V * b) inside
 * the padding, or with both blurred; beyond it e starts as zero, that is, the picture there is what
 * the start shows.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "context/context.h"
#include "core/random.h"
#include "halftone/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A search looked at from outside -------------------------------------------------------- */

/* The plane: the padded picture with 4w more on each side, wide enough for all that a change does.
 */
struct plane {
    const struct dbs_state *state;
    int w, margin, width, height;
    int32_t *target; /* 16 V * b of the start beyond the padding */
    uint8_t *b;
};

static int bit(const struct dbs_state *state, uint8_t *bits, int x, int y)
{
    const struct dbs_plan *plan = &state->plan;
    if (x < 0 || y < 0 || x >= plan->width || y >= plan->height)
        return 0;
    return dbs_bit_row(plan, bits, y)[x >> 3] >> (x & 7) & 1;
}

static uint8_t *b_at(const struct plane *plane, int x, int y)
{
    return &plane->b[(y + plane->margin) * plane->width + x + plane->margin];
}

static bool in_plane(const struct plane *plane, int x, int y)
{
    return x >= -plane->margin && y >= -plane->margin && x < plane->width - plane->margin &&
           y < plane->height - plane->margin;
}

static int32_t seen(const struct plane *plane, int x, int y)
{
    int32_t sum = 0;
    for (int dy = -plane->w; dy <= plane->w; dy++)
        for (int dx = -plane->w; dx <= plane->w; dx++)
            if (in_plane(plane, x + dx, y + dy))
                sum += dbs_eye(&plane->state->plan, dx, dy) * *b_at(plane, x + dx, y + dy);
    return sum;
}

static int64_t error_at(const struct plane *plane, int x, int y)
{
    return plane->target[(y + plane->margin) * plane->width + x + plane->margin] -
           16 * seen(plane, x, y);
}

static void read_bits(struct plane *plane)
{
    for (int y = -plane->margin; y < plane->height - plane->margin; y++)
        for (int x = -plane->margin; x < plane->width - plane->margin; x++)
            *b_at(plane, x, y) = (uint8_t)bit(plane->state, plane->state->b, x, y);
}

/* A inside the padding, blurred where the search aims at what is seen. */
static int32_t aim_at(const struct dbs_state *state, int x, int y)
{
    const struct dbs_plan *plan = &state->plan;
    if (plan->options.aim == DBS_PICTURE)
        return state->target[dbs_value(state, x, y)];
    int64_t sum = 0;
    for (int dy = -plan->w; dy <= plan->w; dy++)
        for (int dx = -plan->w; dx <= plan->w; dx++)
            if (x + dx >= 0 && y + dy >= 0 && x + dx < plan->width && y + dy < plan->height)
                sum += (int64_t)dbs_eye(plan, dx, dy) *
                       state->target[dbs_value(state, x + dx, y + dy)];
    return (int32_t)floor((double)(sum + DBS_SCALE / 2) / DBS_SCALE);
}

/* Called when the start is known and the search has not begun. */
static struct plane plane_open(const struct dbs_state *state)
{
    struct plane plane = {.state = state, .w = state->plan.w, .margin = 4 * state->plan.w};
    plane.width = state->plan.width + 2 * plane.margin;
    plane.height = state->plan.height + 2 * plane.margin;
    size_t size = (size_t)plane.width * (size_t)plane.height;
    plane.target = malloc(size * sizeof *plane.target);
    plane.b = malloc(size);
    read_bits(&plane);
    for (int y = -plane.margin; y < plane.height - plane.margin; y++)
        for (int x = -plane.margin; x < plane.width - plane.margin; x++) {
            bool inside = x >= 0 && y >= 0 && x < state->plan.width && y < state->plan.height;
            plane.target[(y + plane.margin) * plane.width + x + plane.margin] =
                inside ? aim_at(state, x, y) : 16 * seen(&plane, x, y);
        }
    return plane;
}

static void plane_close(struct plane *plane)
{
    free(plane->target);
    free(plane->b);
}

/* The sum of e^2 over a part of the plane. */
static int64_t error_of(const struct plane *plane, int x0, int y0, int x1, int y1)
{
    int64_t sum = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            sum += error_at(plane, x, y) * error_at(plane, x, y);
    return sum;
}

static int64_t whole_error(const struct plane *plane)
{
    return error_of(plane, -plane->margin, -plane->margin, plane->width - plane->margin,
                    plane->height - plane->margin);
}

static ro_context *context_with(int threads)
{
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .threads = threads};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

/* A picture of ramps and noise; every third pixel of it is near black or white. */
static ro_image picture(ro_context *context, ro_format format, uint32_t width, uint32_t height)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, 0, &image), RO_OK);
    uint32_t white = format == RO_GREY8 ? 255 : 65535;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t hash = pixel_hash(7, x / 5, y / 4), value = white * ((x + y) % 41) / 40;
            if (hash % 3 == 0)
                value = hash >> 8 & 1 ? white / 60 : white - white / 70;
            uint8_t *row = (uint8_t *)image.data + (ptrdiff_t)y * image.stride;
            if (format == RO_GREY8)
                row[x] = (uint8_t)value;
            else
                ((uint16_t *)(void *)row)[x] = (uint16_t)value;
        }
    return image;
}

/* Runs a search in two parts, so that the start can be seen: no round, then all of them. */
struct searched {
    struct dbs_state *state;
    struct plane plane;
    struct dbs_result result;
};

static struct searched search(ro_context *context, const struct dbs_options *options,
                              const ro_image *in)
{
    struct searched done;
    const struct dbs_kernels *kernels = dbs_kernels_for(context->cpu);
    assert_int_equal(dbs_open(context, options, in, &done.state), RO_OK);
    assert_int_equal(dbs_begin(context, done.state, kernels, &done.result), RO_OK);
    done.plane = plane_open(done.state);
    assert_true((int64_t)done.result.start_error == whole_error(&done.plane));
    assert_int_equal(dbs_search(context, done.state, kernels, &done.result), RO_OK);
    read_bits(&done.plane);
    return done;
}

static void discard(struct searched *done)
{
    plane_close(&done->plane);
    dbs_close(done->state);
}

/* ---- The eye -------------------------------------------------------------------------------- */

static struct dbs_plan planned(ro_context *context, const struct dbs_options *options)
{
    ro_image in = {
        .format = RO_GREY8, .width = 5, .height = 5, .maxval = 255, .stride = 5, .data = "...."};
    struct dbs_plan plan;
    assert_int_equal(dbs_plan_make(context, options, &in, &plan), RO_OK);
    return plan;
}

static void the_eye_sums_to_its_scale(void **unused)
{
    (void)unused;
    ro_context *context = context_with(1);
    static const struct dbs_options eyes[] = {
        {.sigma = 0.3}, {.sigma = 0.8},
        {.sigma = 1.2}, {.sigma = 1.5},
        {.sigma = 3},   {.sigma = 1e6},
        {.dpi = 300},   {.dpi = 30, .distance = 300},
        {.dpi = 600},   {.dpi = 1e5, .distance = 1e4},
    };
    for (int w = 1; w <= DBS_MAX_RADIUS; w++)
        for (size_t s = 0; s < sizeof eyes / sizeof *eyes; s++) {
            struct dbs_options options = eyes[s];
            options.radius = w;
            const struct dbs_plan plan = planned(context, &options);
            int32_t sum = 0, square = 0, total = 0;
            for (int dy = -w; dy <= w; dy++)
                for (int dx = -w; dx <= w; dx++) {
                    sum += dbs_eye(&plan, dx, dy);
                    square += dbs_eye(&plan, dx, dy) * dbs_eye(&plan, dx, dy);
                    total += abs(dbs_eye(&plan, dx, dy));
                    assert_int_equal(dbs_eye(&plan, dx, dy), dbs_eye(&plan, dy, -dx));
                }
            assert_int_equal(sum, DBS_SCALE);
            assert_int_equal(dbs_pp(&plan, 0, 0), square);
            assert_true(total < 2 * DBS_SCALE); /* what keeps c_pe in 32 bits */
        }
    ro_context_close(context);
}

/* Naesaenen's eye passes exp(-f / c) of f cycles a degree. V lacks the far skirts, that is, the
 * lowest frequencies; all others it passes in these proportions, in every direction. */
static void the_eye_is_what_it_is_called(void **unused)
{
    (void)unused;
    ro_context *context = context_with(1);
    struct dbs_options options = {.dpi = 300, .distance = 300, .radius = DBS_MAX_RADIUS};
    const struct dbs_plan plan = planned(context, &options);
    const double c = 0.525 * log(11) + 3.91, pi = acos(-1), degree = 300 * 300 / 25.4 * pi / 180;
    double first = 0;
    for (int k = 4; k < 13; k++) {
        const double f = k / 40., seen = exp(-f * degree / c); /* f in cycles a pixel */
        double across = 0, diagonal = 0;
        for (int dy = -plan.w; dy <= plan.w; dy++)
            for (int dx = -plan.w; dx <= plan.w; dx++) {
                const double weight = dbs_eye(&plan, dx, dy) / (double)DBS_SCALE;
                across += weight * cos(2 * pi * f * dx);
                diagonal += weight * cos(2 * pi * f * (dx + dy) / sqrt(2));
            }
        if (k == 4)
            first = across / seen;
        assert_in_range(100 * across / seen / first, 75, 130);
        assert_in_range(100 * diagonal / seen / first, 75, 130);
    }
    assert_true(first > 1 && first < 1.5);
    ro_context_close(context);
}

static void the_radius_follows_the_view(void **unused)
{
    (void)unused;
    ro_context *context = context_with(1);
    static const struct {
        struct dbs_options options;
        int radius;
    } cases[] = {{{.dpi = 0}, 4},
                 {{.dpi = 72}, 4}, /* without a distance no narrower than usual, */
                 {{.dpi = 400}, 6},
                 {{.dpi = 2400}, 6}, /* and no wider than this */
                 {{.dpi = 72, .distance = 300}, 2},
                 {{.dpi = 2400, .distance = 300}, 11},
                 {{.aim = DBS_PICTURE}, 4},
                 {{.dpi = 600, .sigma = 2}, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(planned(context, &cases[i].options).w, cases[i].radius);
    assert_true(planned(context, &(struct dbs_options){.aim = DBS_PICTURE}).options.sigma == 1.2);
    double last = 1;
    for (int w = 1; w <= DBS_MAX_RADIUS; w++) {
        const double cut = planned(context, &(struct dbs_options){.radius = w}).eye_cut;
        assert_true(cut > 0 && cut < last);
        last = cut;
    }
    ro_context_close(context);
}

/* The shadow limit follows the eye: 8/255 at sigma 1.2, where plain search empties what is below
 * 7.07. */
static void the_shadow_limit_follows_the_eye(void **unused)
{
    (void)unused;
    ro_context *context = context_with(1);
    ro_image in = {
        .format = RO_GREY8, .width = 5, .height = 5, .maxval = 255, .stride = 5, .data = "...."};
    struct dbs_plan plan;
    struct dbs_options options = {.clipping_free = true, .sigma = 1.2};
    assert_int_equal(dbs_plan_make(context, &options, &in, &plan), RO_OK);
    assert_int_equal(plan.options.shadow_numerator, 8);
    assert_int_equal(plan.options.shadow_denominator, 255);
    double empty = 255.0 * dbs_pp(&plan, 0, 0) / (2.0 * DBS_SCALE * DBS_SCALE);
    assert_true(empty > 7 && empty < 7.1);
    options.sigma = 0.8;
    assert_int_equal(dbs_plan_make(context, &options, &in, &plan), RO_OK);
    assert_in_range(plan.options.shadow_numerator, 15, 17);
    options.sigma = 0;
    assert_int_equal(dbs_plan_make(context, &options, &in, &plan), RO_OK);
    assert_int_equal(plan.options.shadow_numerator, 4); /* 3.29 are emptied */
    ro_context_close(context);
}

/* ---- The end of a search -------------------------------------------------------------------- */

static const int steps[9][2] = {{0, 0}, {-1, -1}, {0, -1}, {1, -1}, {-1, 0},
                                {1, 0}, {-1, 1},  {0, 1},  {1, 1}};

/* Every toggle and swap of every open pixel (or every n-th), made and measured. The error is taken
 * over what the change can touch, or over the whole plane. */
static void no_change_helps(struct plane *plane, bool everywhere, int nth)
{
    const struct dbs_state *state = plane->state;
    const int w = plane->w;
    const int64_t all = everywhere ? whole_error(plane) : 0;
    for (int y = 0; y < state->plan.height; y++)
        for (int x = 0; x < state->plan.width; x++) {
            if (!bit(state, state->open, x, y) || (x + 5 * y) % nth)
                continue;
            int64_t before =
                everywhere ? all : error_of(plane, x - w - 1, y - w - 1, x + w + 2, y + w + 2);
            for (int k = 0; k < 9; k++) {
                int nx = x + steps[k][0], ny = y + steps[k][1];
                if (k && (!bit(state, state->open, nx, ny) ||
                          *b_at(plane, nx, ny) == *b_at(plane, x, y)))
                    continue;
                *b_at(plane, x, y) ^= 1;
                if (k)
                    *b_at(plane, nx, ny) ^= 1;
                int64_t after = everywhere
                                    ? whole_error(plane)
                                    : error_of(plane, x - w - 1, y - w - 1, x + w + 2, y + w + 2);
                assert_true(after >= before);
                *b_at(plane, x, y) ^= 1;
                if (k)
                    *b_at(plane, nx, ny) ^= 1;
            }
        }
}

static void no_single_change_lowers_the_error(void **unused)
{
    (void)unused;
    ro_context *context = context_with(2);
    static const struct {
        int w, width, height;
        bool everywhere;
        int nth;
    } cases[] = {{1, 3, 2, true, 1},  {1, 1, 1, true, 1},   {2, 6, 5, false, 1},
                 {4, 9, 4, false, 3}, {8, 2, 1, false, 61}, {11, 2, 1, false, 211}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = 0; kind < 4; kind++) {
            ro_image in = picture(context, kind & 1 ? RO_GREY16 : RO_GREY8,
                                  (uint32_t)cases[i].width, (uint32_t)cases[i].height);
            struct dbs_options options = {.radius = cases[i].w,
                                          .aim = (kind + (int)i) % 2 ? DBS_PICTURE : DBS_SEEN,
                                          .clipping_free = kind & 1,
                                          .order = kind & 2 ? DBS_RASTER : DBS_GROUPS};
            if (options.clipping_free) {
                options.shadow_numerator = 9;
                options.shadow_denominator = 255;
            }
            struct searched done = search(context, &options, &in);
            no_change_helps(&done.plane, cases[i].everywhere, cases[i].nth);
            discard(&done);
            ro_image_free(&in);
        }
    ro_context_close(context);
}

/* On larger pictures by the tables: c_pe made anew, and the two formulas. */
static void no_trial_gains_anywhere(void **unused)
{
    (void)unused;
    ro_context *context = context_with(2);
    for (int kind = 0; kind < 8; kind++) {
        ro_image in = picture(context, RO_GREY8, 150, 130);
        struct dbs_options options = {.clipping_free = kind & 1,
                                      .aim = kind & 4 ? DBS_PICTURE : DBS_SEEN,
                                      .order = kind & 2 ? DBS_RASTER : DBS_GROUPS};
        struct searched done = search(context, &options, &in);
        const struct dbs_state *state = done.state;
        const struct dbs_plan *plan = &state->plan;
        const int w = plan->w, width = plan->width, height = plan->height;
        int64_t *errors =
            malloc((size_t)done.plane.width * (size_t)done.plane.height * sizeof *errors);
        int64_t *pe = malloc((size_t)width * (size_t)height * sizeof *pe);
        for (int y = -w; y < height + w; y++)
            for (int x = -w; x < width + w; x++)
                errors[(y + w) * done.plane.width + x + w] = error_at(&done.plane, x, y);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int64_t sum = 0;
                for (int dy = -w; dy <= w; dy++)
                    for (int dx = -w; dx <= w; dx++)
                        sum += dbs_eye(plan, dx, dy) *
                               errors[(y + dy + w) * done.plane.width + x + dx + w];
                pe[y * width + x] = sum;
                assert_int_equal(
                    sum, state->pe[dbs_line(plan, x / DBS_LANES, y) * DBS_LANES + x % DBS_LANES]);
            }
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                if (!bit(state, state->open, x, y))
                    continue;
                int b = bit(state, state->b, x, y), s = 1 - 2 * b;
                assert_true(256 * (int64_t)dbs_pp(plan, 0, 0) - 32 * s * pe[y * width + x] >= 0);
                for (int k = 1; k < 9; k++) {
                    int nx = x + steps[k][0], ny = y + steps[k][1];
                    if (!bit(state, state->open, nx, ny) || bit(state, state->b, nx, ny) == b)
                        continue;
                    int64_t apart = dbs_pp(plan, 0, 0) - dbs_pp(plan, steps[k][0], steps[k][1]);
                    assert_true(512 * apart - 32 * s * (pe[y * width + x] - pe[ny * width + nx]) >=
                                0);
                }
            }
        free(pe);
        free(errors);
        discard(&done);
        ro_image_free(&in);
    }
    ro_context_close(context);
}

static void the_running_error_is_the_error(void **unused)
{
    (void)unused;
    ro_context *context = context_with(2);
    for (int rounds = 0; rounds < 4; rounds++) {
        ro_image in = picture(context, rounds & 1 ? RO_GREY16 : RO_GREY8, 61, 47), out;
        assert_int_equal(ro_image_alloc(context, RO_BITS, 61, 47, 0, &out), RO_OK);
        struct dbs_options options = {.clipping_free = rounds & 1,
                                      .aim = rounds & 2 ? DBS_PICTURE : DBS_SEEN,
                                      .rounds = rounds};
        struct searched done = search(context, &options, &in);
        assert_true((int64_t)done.result.running_error == whole_error(&done.plane));
        assert_true(done.result.running_error < done.result.start_error);
        if (rounds)
            assert_int_equal(done.result.rounds, rounds);
        dbs_finish(context, done.state, dbs_kernels_for(context->cpu), &out, &done.result);
        assert_int_equal(done.state->plan.pad, 16);
        assert_true((int64_t)done.result.error == error_of(&done.plane, 16, 16, 16 + 61, 16 + 47));
        for (int y = 0; y < 47; y++)
            for (int x = 0; x < 61; x++)
                assert_int_equal(((uint8_t *)out.data)[y * out.stride + x / 8] >> (7 - x % 8) & 1,
                                 *b_at(&done.plane, x + 16, y + 16));
        discard(&done);
        ro_image_free(&in);
        ro_image_free(&out);
    }
    ro_context_close(context);
}

/* ---- The start ------------------------------------------------------------------------------ */

/* The bits before the first round: of the padded picture by a method, or given and reflected. */
static void a_search_starts_where_it_is_told(void **unused)
{
    (void)unused;
    ro_context *context = context_with(2);
    ro_image in = picture(context, RO_GREY8, 61, 47), own, grey;
    assert_int_equal(ro_image_alloc(context, RO_BITS, 61, 47, 0, &own), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY16, 61, 47, 999, &grey), RO_OK);
    for (int y = 0; y < 47; y++)
        for (int x = 0; x < 61; x++) {
            const int white = pixel_hash(5, (uint32_t)x, (uint32_t)y) & 1;
            ((uint8_t *)own.data)[y * own.stride + x / 8] |= (uint8_t)(white << (7 - x % 8));
            ((uint16_t *)grey.data)[y * grey.stride / 2 + x] = white ? 500 : 499;
        }
    const struct dbs_options starts[] = {{.start = "ostro"}, {.first = &own}, {.first = &grey}};
    for (int i = 0; i < 3; i++) {
        struct dbs_state *state;
        struct dbs_result result;
        assert_int_equal(dbs_open(context, &starts[i], &in, &state), RO_OK);
        const uint32_t width = (uint32_t)state->plan.width, height = (uint32_t)state->plan.height;
        ro_image padded, bits;
        assert_int_equal(ro_image_alloc(context, RO_GREY8, width, height, 255, &padded), RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_BITS, width, height, 0, &bits), RO_OK);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++)
                ((uint8_t *)padded.data)[y * padded.stride + x] =
                    (uint8_t)dbs_value(state, (int)x, (int)y);
        assert_int_equal(
            ro_halftone(context, &padded, &bits,
                        &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "ostromoukhov"}),
            RO_OK);
        assert_int_equal(dbs_begin(context, state, dbs_kernels_for(context->cpu), &result), RO_OK);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                const uint32_t from_x = i ? state->column[x] : x, from_y = i ? state->row[y] : y;
                const ro_image *from = i ? &own : &bits;
                const uint8_t *row = (uint8_t *)from->data + from_y * from->stride;
                assert_int_equal(bit(state, state->b, (int)x, (int)y),
                                 row[from_x / 8] >> (7 - from_x % 8) & 1);
            }
        ro_image_free(&padded);
        ro_image_free(&bits);
        dbs_close(state);
    }
    ro_image_free(&in);
    ro_image_free(&own);
    ro_image_free(&grey);
    ro_context_close(context);
}

/* ---- Goldens -------------------------------------------------------------------------------- */

/* Samples of the reference that would change if the definition did. Those of the paper's aim are
 * older than the other. */
static void goldens(void **unused)
{
    (void)unused;
    static const struct {
        struct dbs_options options;
        ro_format format;
        uint32_t picture, seen;
    } rows[] = {
        {{.order = DBS_GROUPS, .start = "random"}, RO_GREY8, 0xe323458b, 0x6386cabc},
        {{.order = DBS_GROUPS}, RO_GREY8, 0x4f54e333, 0xcf5709d0},
        {{.order = DBS_RASTER, .sigma = 1.5, .start = "random"}, RO_GREY16, 0x47da9037, 0x14ccb4a0},
        {{.clipping_free = true, .sigma = 1.2, .start = "random", .seed = 3},
         RO_GREY16,
         0x65eeee1e,
         0x1dfb5c1f},
        {{.clipping_free = true, .start = "floyd-steinberg"}, RO_GREY8, 0x8871c477, 0xe58bb4f1},
        {{.radius = 8, .sigma = 2, .start = "random", .rounds = 2},
         RO_GREY8,
         0xda4fa0e7,
         0xf12a0a2c},
        {{.dpi = 600, .distance = 400, .start = "ostromoukhov"}, RO_GREY8, 0x9feb1894, 0x40aa36dd},
    };
    ro_context *context;
    ro_context_options plain = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = RO_CPU_SCALAR,
                                .threads = 1};
    int wrong = 0;
    assert_int_equal(ro_context_open(&plain, &context), RO_OK);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct dbs_options options = rows[i / 2].options;
        ro_image in = picture(context, rows[i / 2].format, 100, 60), out;
        struct dbs_result result;
        uint32_t sum = 0;
        options.aim = i % 2 ? DBS_PICTURE : DBS_SEEN;
        assert_int_equal(ro_image_alloc(context, RO_BITS, 100, 60, 0, &out), RO_OK);
        assert_int_equal(dbs_halftone(context, &options, &in, &out, &result), RO_OK);
        for (uint32_t y = 0; y < 60; y++)
            for (uint32_t x = 0; x < 13; x++)
                sum = mix_bits(sum ^ ((uint8_t *)out.data)[y * out.stride + x]);
        if (sum != (i % 2 ? rows[i / 2].picture : rows[i / 2].seen))
            wrong++, print_error("golden %zu is 0x%08x\n", i, sum);
        ro_image_free(&in);
        ro_image_free(&out);
    }
    assert_int_equal(wrong, 0);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_eye_sums_to_its_scale),
        cmocka_unit_test(the_eye_is_what_it_is_called),
        cmocka_unit_test(the_radius_follows_the_view),
        cmocka_unit_test(the_shadow_limit_follows_the_eye),
        cmocka_unit_test(no_single_change_lowers_the_error),
        cmocka_unit_test(no_trial_gains_anywhere),
        cmocka_unit_test(the_running_error_is_the_error),
        cmocka_unit_test(a_search_starts_where_it_is_told),
        cmocka_unit_test(goldens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

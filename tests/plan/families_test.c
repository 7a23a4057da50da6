/* SPDX-License-Identifier: MIT */
/* Plans to segment, register and quantize: eight threads run one plan on one context at the same
 * time, after the caller has overwritten its options, and get what a call of its own gives. The
 * thread sanitizer runs this, too. */
#include "roundoff.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIXTURE_OPTIONS                                                                            \
    (&(ro_context_options){RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 3})
#include "fixture.h"

enum { THREADS = 8, RUNS = 2, WIDTH = 48, HEIGHT = 40, MOST = 8 * WIDTH * HEIGHT };

static _Alignas(8) uint8_t pixels[2][MOST], right[MOST];

/* A bright disc on dark ground, some way from the middle. */
static ro_image picture(int number, int shift)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int dx = x - WIDTH / 2 - shift, dy = y - HEIGHT / 2;
            pixels[number][y * WIDTH + x] =
                (uint8_t)((dx * dx + dy * dy < 120 ? 200 : 40) + (x * 7 + y * 3) % 11);
        }
    return ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels[number]);
}

/* ---- Eight threads --------------------------------------------------------------------------- */

struct user {
    pthread_t thread;
    ro_plan *plan;
    const ro_image *in, *out; /* as it should be */
    char wrong[200];
};

static void *run_plan(void *data)
{
    struct user *user = data;
    uint8_t *got = malloc(MOST);
    ro_image out = *user->out;
    out.data = got;
    for (int i = 0; i < RUNS && !*user->wrong; i++) {
        memset(got, 0xaa, MOST);
        if (ro_plan_run(user->plan, user->in, &out, NULL) != RO_OK)
            strncpy(user->wrong, ro_context_message(context), sizeof user->wrong - 1);
        else if (memcmp(got, user->out->data, (size_t)out.stride * out.height) != 0)
            strcpy(user->wrong, "another result");
    }
    free(got);
    return NULL;
}

static void run_by_all(const char *name, ro_plan *plan, const ro_image *in, const ro_image *out)
{
    struct user users[THREADS] = {0};
    ro_plan_info info = {.size = sizeof info};
    ro_stream *stream;
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_true(info.bytes > 0 && !info.streams && info.rows == in->height);
    assert_int_equal(ro_stream_open(plan, NULL, &stream), RO_E_UNSUPPORTED);
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct user){.plan = plan, .in = in, .out = out};
        assert_int_equal(pthread_create(&users[i].thread, NULL, run_plan, &users[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (*users[i].wrong)
            fail_msg("%s, thread %d: %s", name, i, users[i].wrong);
    ro_image other = *out;
    other.width--;
    assert_int_equal(ro_plan_run(plan, in, &other, NULL), RO_E_SIZE);
    ro_plan_free(plan);
}

static void need(ro_status status)
{
    if (status != RO_OK)
        fail_msg("%s", ro_context_message(context));
}

/* ---- The families ---------------------------------------------------------------------------- */

static void level_sets(void **state)
{
    (void)state;
    const ro_image in = picture(0, 3);
    ro_image out = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, right);
    char number[8] = "s16";
    ro_seed seed = {1, WIDTH / 2.0, HEIGHT / 2.0, 4};
    ro_segment_options options = RO_SEGMENT_OPTIONS;
    ro_segmentation *found;
    ro_plan *plan;
    options.number = number;
    options.seeds = &seed;
    options.seed_count = 1;
    options.speed[0].constant = 1;
    options.speed[0].curvature = 0.2;
    options.iterations = 12;
    need(ro_segment(context, &in, &options, &found, NULL));
    need(ro_segmentation_labels(found, &out));
    ro_segmentation_free(found);
    need(ro_segment_plan(context, &in, RO_INDEX8, &options, &plan));
    memset(number, 'x', sizeof number - 1);
    seed = (ro_seed){3, 1, 1, 1};
    run_by_all("level sets", plan, &in, &out);
}

static void competing_fronts(void **state)
{
    (void)state;
    const ro_image in = picture(0, 0);
    ro_image out = ro_image_view(RO_GREY16, WIDTH, HEIGHT, right);
    static uint8_t marks[WIDTH * HEIGHT];
    ro_image mask = ro_image_view(RO_GREY8, WIDTH, HEIGHT, marks);
    ro_seed seed = {700, WIDTH / 2.0, HEIGHT / 2.0, 4};
    ro_regions_options options = RO_REGIONS_OPTIONS;
    ro_regions_report report = {.size = sizeof report};
    ro_regions *found;
    ro_plan *plan;
    memset(marks, 2, 3 * WIDTH);
    options.seeds = &seed;
    options.seed_count = 1;
    options.mask = &mask;
    need(ro_regions_grow(context, &in, &options, &found, NULL));
    need(ro_regions_labels(found, &out));
    ro_regions_free(found);
    need(ro_regions_plan(context, &in, RO_GREY16, &options, &plan));
    memset(marks, 77, sizeof marks);
    mask.data = NULL;
    seed.label = 9;
    static _Alignas(8) uint8_t again[MOST];
    ro_image other = out;
    other.data = again;
    need(ro_plan_run(plan, &in, &other, &(ro_run){RO_RUN_DEFAULTS, .report = &report}));
    assert_int_equal(report.fronts, 2);
    run_by_all("competing fronts", plan, &in, &out);
}

static void registration(void **state)
{
    (void)state;
    const ro_image in[2] = {picture(0, 0), picture(1, 2)};
    ro_image out = ro_image_view(RO_GREYF, 2 * WIDTH, HEIGHT, right);
    char scheme[16] = "auto";
    static uint8_t counts[WIDTH * HEIGHT];
    ro_image mask = ro_image_view(RO_GREY8, WIDTH, HEIGHT, counts);
    ro_register_options options = RO_REGISTER_OPTIONS;
    ro_plan_info info = {.size = sizeof info};
    ro_plan *plan;
    memset(counts, 1, sizeof counts);
    memset(counts, 0, WIDTH);
    options.scheme = scheme;
    options.scales = 2;
    options.fixed_mask = &mask;
    need(ro_register(context, &in[0], &in[1], &out, &options, NULL));
    need(ro_register_plan(context, &in[0], &in[1], &options, &plan));
    memset(scheme, 'x', sizeof scheme - 1);
    memset(counts, 0, sizeof counts);
    need(ro_plan_query(plan, &info));
    assert_int_equal(info.inputs, 2);
    run_by_all("registration", plan, in, &out);
}

static void holograms(void **state)
{
    (void)state;
    float *light = (float *)(void *)pixels[0];
    for (int i = 0; i < 2 * WIDTH * HEIGHT; i++)
        light[i % (MOST / 4)] = (float)((i * 37) % 101) / 50 - 1;
    enum { HALF = WIDTH / 2 };
    const ro_image in = ro_image_view(RO_GREYF, 2 * HALF, HEIGHT, light);
    const ro_field field = {HALF, HEIGHT, in.stride, light};
    ro_image out = ro_image_view(RO_INDEX8, HALF, HEIGHT, right);
    char levels[16] = "phase:8";
    ro_hologram_options options = RO_HOLOGRAM_OPTIONS;
    ro_plan *plan;
    options.levels = levels;
    options.hogel = 8;
    options.window = (ro_window){0.1, 0, 0.4, 0.4};
    need(ro_hologram_quantize(context, &field, &out, &options, NULL));
    need(ro_hologram_plan(context, &in, &options, &plan));
    memset(levels, 'x', sizeof levels - 1);
    run_by_all("hologram", plan, &in, &out);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    const ro_image in = picture(0, 0), bits = ro_image_view(RO_BITS, WIDTH, HEIGHT, right);
    ro_plan *plan;
    assert_int_equal(ro_segment_plan(context, &bits, RO_INDEX8, NULL, &plan), RO_E_ARGUMENT);
    assert_int_equal(ro_segment_plan(context, &in, RO_GREYF, NULL, &plan), RO_E_ARGUMENT);
    assert_int_equal(ro_regions_plan(context, &in, RO_BITS, NULL, &plan), RO_E_ARGUMENT);
    assert_int_equal(ro_hologram_plan(context, &in, NULL, &plan), RO_E_ARGUMENT);
    assert_int_equal(ro_register_plan(context, &in, NULL, NULL, &plan), RO_E_ARGUMENT);
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_sets),
        cmocka_unit_test(competing_fronts),
        cmocka_unit_test(registration),
        cmocka_unit_test(holograms),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

/* SPDX-License-Identifier: MIT */
/* Fronts that compete, part by part against their definitions: the flood that finds a window, and
 * the race; on hostile pictures, with walls, costs and several threads. */
#include "core/random.h"
#include "segment/regions/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, MOST_FRONTS = 6 };

/* A small world: a picture, seeds, walls, costs, all drawn from a number. */
struct world {
    struct region_plane plane;
    struct region_front fronts[MOST_FRONTS];
    uint32_t count;
    uint32_t *pixels;
    uint16_t *grey, *label, *nearest, *cost;
};

static uint32_t draw(uint64_t seed, uint32_t what, uint32_t which, uint32_t below)
{
    return pixel_hash(seed, what, which) % below;
}

/* Noise, few tones, ramps with noise, even. */
static uint16_t tone(uint64_t seed, uint32_t kind, uint32_t x, uint32_t y, uint32_t width)
{
    const uint32_t h = pixel_hash(seed, x + 1000, y);
    switch (kind) {
    case 0:
        return (uint16_t)h;
    case 1:
        return (uint16_t)(h % 3 * 30000);
    case 2:
        return (uint16_t)(x * 60000 / width + h % 5000);
    default:
        return (uint16_t)(12345 + (h % 64 == 0 ? 20000 : 0));
    }
}

static void open_world(struct world *world, uint64_t seed)
{
    const uint32_t width = 1 + draw(seed, 1, 0, MOST), height = 1 + draw(seed, 1, 1, MOST);
    *world = (struct world){.count = 1 + draw(seed, 1, 2, MOST_FRONTS)};
    struct region_plane *plane = &world->plane;
    plane->width = width;
    plane->height = height;
    plane->pitch = width + 2 * RO_PLANE_MARGIN;
    const size_t size = plane_size(plane);
    uint16_t **const planes[] = {&world->grey, &world->label, &world->nearest, &world->cost};
    for (int i = 0; i < 4; i++)
        *planes[i] = calloc(size, sizeof(uint16_t));
    world->pixels = malloc(MOST_FRONTS * size * sizeof *world->pixels);
    plane->grey = world->grey;
    plane->label = world->label;
    plane->least = UINT16_MAX;
    plane->spread = 1 + draw(seed, 1, 3, 65535);
    const uint32_t kind = draw(seed, 1, 4, 4);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t p = plane_value_at(plane, x, y);
            const uint16_t grey = world->grey[p] = tone(seed, kind, x, y, width);
            plane->least = grey < plane->least ? grey : plane->least;
            plane->most = grey > plane->most ? grey : plane->most;
            world->nearest[p] = (uint16_t)(1 + draw(seed, x + 200, y, 8) / 4);
            world->cost[p] =
                (uint16_t)(draw(seed, x + 300, y, 9) ? 16 + pixel_hash(seed, x, y) % 1009 : 0);
        }
    size_t used = 0;
    for (uint32_t f = 0; f < world->count; f++) {
        struct region_front *front = &world->fronts[f];
        const uint32_t left = draw(seed, 2, f, width), top = draw(seed, 3, f, height);
        const uint32_t right = left + draw(seed, 4, f, 4), bottom = top + draw(seed, 5, f, 4);
        const uint32_t a = draw(seed, 6, f, 65536), b = draw(seed, 7, f, 65536);
        front->pixels = world->pixels + used;
        front->label = (uint16_t)(1 + draw(seed, 8, f, 3));
        front->home = draw(seed, 9, f, 2);
        front->low = (uint16_t)(a < b ? a : b);
        front->high = (uint16_t)(a < b ? b : a);
        for (uint32_t y = top; y <= bottom && y < height; y++)
            for (uint32_t x = left; x <= right && x < width; x++) {
                const uint32_t p = plane_value_at(plane, x, y);
                world->pixels[used++] = p;
                front->count++;
                if (!world->label[p])
                    world->label[p] = front->label;
            }
    }
}

static void close_world(struct world *world)
{
    free(world->grey);
    free(world->label);
    free(world->nearest);
    free(world->cost);
    free(world->pixels);
}

/* ---- The flood ------------------------------------------------------------------------------- */

static void assert_same_flood(const struct window_flood *got, const struct window_flood *want)
{
    assert_int_equal(got->count, want->count);
    assert_int_equal(got->best, want->best);
    assert_int_equal(got->cut, want->cut);
    for (int k = 0; k < want->count; k++) {
        assert_int_equal(got->level[k].area, want->level[k].area);
        assert_int_equal(got->level[k].pairs, want->level[k].pairs);
        assert_int_equal(got->level[k].contrast, want->level[k].contrast);
        assert_int_equal(got->level[k].inner, want->level[k].inner);
        assert_int_equal(got->level[k].unrest, want->level[k].unrest);
        assert_int_equal(got->level[k].sum, want->level[k].sum);
    }
}

static void floods_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct world world;
        open_world(&world, seed);
        unsigned char *inside = malloc(plane_size(&world.plane));
        uint16_t scratch[64];
        struct flooder *flooder = flooder_open(&world.plane);
        assert_non_null(flooder);
        for (uint32_t f = 0; f < world.count; f++)
            for (int kind = RO_REGION_BRIGHT; kind <= RO_REGION_BAND; kind++)
                for (int way = 0; way < 8; way++) {
                    const struct window_start start =
                        window_start(&world.plane, &world.fronts[f], scratch);
                    const struct flood_rule rule = {.kind = (enum ro_region_kind)kind,
                                                    .most = (uint64_t)world.plane.width *
                                                            world.plane.height / (way & 1 ? 2 : 1),
                                                    .leap = seed % 5 * 20,
                                                    .inland = way & 1,
                                                    .seeded = way & 4 ? 1 + seed % 20 : 0,
                                                    .nearest = way & 2 ? world.nearest : NULL};
                    struct window_flood want = {0}, got = {0};
                    flood_ref(&world.plane, &world.fronts[f], &start, &rule, inside, &want);
                    flooder_run(flooder, &world.fronts[f], &start, &rule, &got);
                    assert_same_flood(&got, &want);
                }
        flooder_close(flooder);
        free(inside);
        close_world(&world);
    }
}

/* Clicks: the tree, a flood of their own and the definition give the same levels. */
static void trees_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct world world;
        open_world(&world, seed);
        struct component_tree trees[2];
        unsigned char *inside = malloc(plane_size(&world.plane));
        struct flooder *flooder = flooder_open(&world.plane);
        assert_true(tree_open(&world.plane, RO_REGION_BRIGHT, &trees[0]));
        assert_true(tree_open(&world.plane, RO_REGION_DARK, &trees[1]));
        for (uint32_t f = 0; f < world.count; f++)
            for (int way = 0; way < 8; way++) {
                struct region_front front = {
                    .pixels = world.fronts[f].pixels, .count = 1, .click = true};
                front.label = world.label[front.pixels[0]];
                const struct window_start start = window_start_click(&world.plane, front.pixels[0]);
                const struct flood_rule rule = {.kind = way & 1 ? RO_REGION_DARK : RO_REGION_BRIGHT,
                                                .most = (uint64_t)world.plane.width *
                                                        world.plane.height / (way & 2 ? 2 : 1),
                                                .leap = seed % 5 * 20,
                                                .inland = way & 2,
                                                .seeded = way & 4 ? 1 + seed % 20 : 0};
                struct window_flood want = {0}, got = {0}, shared = {0};
                flood_ref(&world.plane, &front, &start, &rule, inside, &want);
                flooder_run(flooder, &front, &start, &rule, &got);
                tree_flood(&trees[way & 1], &front, &start, &rule, &shared);
                assert_same_flood(&got, &want);
                assert_same_flood(&shared, &want);
            }
        tree_close(&trees[0]);
        tree_close(&trees[1]);
        flooder_close(flooder);
        free(inside);
        close_world(&world);
    }
}

/* Levels by hand: a bright square on a dark ground, one pixel of it darker. */
static void a_window_ends_at_the_outline(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    struct region_plane plane = {.width = SIDE,
                                 .height = SIDE,
                                 .pitch = SIDE + 4,
                                 .least = 1000,
                                 .most = 13800,
                                 .spread = 12800};
    uint16_t *grey = calloc(plane_size(&plane), sizeof *grey);
    uint16_t *label = calloc(plane_size(&plane), sizeof *label);
    uint32_t pixel = plane_value_at(&plane, 10, 10);
    plane.grey = grey;
    plane.label = label;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            grey[plane_value_at(&plane, x, y)] =
                x >= 5 && x < 15 && y >= 5 && y < 15 ? 13800 : 1000;
    grey[plane_value_at(&plane, 7, 7)] = 12000; /* 18 levels of 100 below the others */
    struct region_front front = {.pixels = &pixel, .count = 1, .label = 1};
    uint16_t scratch[1];
    const struct window_start start = window_start(&plane, &front, scratch);
    assert_int_equal(start.unit, 100);
    const struct flood_rule rule = {.kind = RO_REGION_BRIGHT, .most = SIDE * SIDE};
    struct window_flood flood = {0};
    struct flooder *flooder = flooder_open(&plane);
    flooder_run(flooder, &front, &start, &rule, &flood);
    assert_int_equal(flood.count, 128); /* the ground would be level 128 */
    assert_int_equal(flood.level[0].area, 99);
    assert_int_equal(flood.level[17].area, 99);
    assert_int_equal(flood.level[18].area, 100);
    assert_int_equal(flood.best, 18); /* the hole costs contrast */
    flooder_close(flooder);
    free(grey);
    free(label);
}

/* ---- The race -------------------------------------------------------------------------------- */

static void races_agree(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        ro_context *context;
        assert_int_equal(
            ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = threads,
                                                  .device = RO_DEVICE_CPU},
                            &context),
            RO_OK);
        for (uint64_t seed = 0; seed < 80; seed++) {
            struct world world;
            open_world(&world, seed);
            const size_t size = plane_size(&world.plane);
            uint64_t *want = malloc(size * sizeof *want), *got = malloc(size * sizeof *got);
            struct front_race race = {&world.plane,
                                      seed % 3 ? NULL : world.cost,
                                      seed % 2 ? NULL : world.nearest,
                                      world.fronts,
                                      world.count,
                                      want};
            race_ref(&race);
            race.arrival = got;
            assert_int_equal(race_run(context, &race), RO_OK);
            for (size_t i = 0; i < size; i++)
                if (want[i] != got[i])
                    fail_msg("world %llu: pixel %zu: %llx, not %llx", (unsigned long long)seed, i,
                             (unsigned long long)got[i], (unsigned long long)want[i]);
            free(want);
            free(got);
            close_world(&world);
        }
        ro_context_close(context);
    }
}

/* Rounds of so many pixels that threads share them. */
static void many_pixels_at_once(void **state)
{
    (void)state;
    enum { SIDE = 700, FRONTS = 8000 };
    struct region_plane plane = {.width = SIDE, .height = SIDE, .pitch = SIDE + 4};
    uint16_t *grey = calloc(plane_size(&plane), sizeof *grey);
    struct region_front *fronts = calloc(FRONTS, sizeof *fronts);
    uint32_t *pixels = malloc(FRONTS * sizeof *pixels);
    uint64_t *first = NULL;
    plane.grey = grey;
    for (uint32_t i = 0; i < FRONTS; i++) {
        pixels[i] = plane_value_at(&plane, pixel_hash(1, i, 0) % SIDE, pixel_hash(1, i, 1) % SIDE);
        fronts[i] = (struct region_front){
            .pixels = &pixels[i], .count = 1, .label = 1, .high = 65535, .kind = RO_REGION_BAND};
    }
    for (int threads = 1; threads <= 4; threads++) {
        ro_context *context;
        assert_int_equal(
            ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = threads,
                                                  .device = RO_DEVICE_CPU},
                            &context),
            RO_OK);
        uint64_t *arrival = malloc(plane_size(&plane) * sizeof *arrival);
        const struct front_race race = {&plane, NULL, NULL, fronts, FRONTS, arrival};
        assert_int_equal(race_run(context, &race), RO_OK);
        if (first)
            assert_memory_equal(arrival, first, plane_size(&plane) * sizeof *arrival);
        if (first)
            free(arrival);
        else
            first = arrival;
        ro_context_close(context);
    }
    free(first);
    free(grey);
    free(fronts);
    free(pixels);
}

/* A flood whose outlines all lie on the wrong side. */
static void flood_below(void *data, const struct region_front *front,
                        const struct window_start *start, const struct flood_rule *rule,
                        struct window_flood *flood)
{
    (void)data, (void)front, (void)start;
    if (rule->kind != RO_REGION_BRIGHT)
        return;
    const struct flood_level levels[] = {
        {4, 10, -300, 0, 0, 0}, {6, 20, -10, 0, 0, 0}, {8, 24, -11, 0, 0, 0}};
    for (int i = 0; i < 3; i++)
        assert_true(flood_add(flood, &levels[i]));
}

static void the_best_counts_also_below_zero(void **state)
{
    (void)state;
    const struct region_plane plane = {.width = 20, .height = 20, .most = 255, .spread = 200};
    struct region_front front = {.start = {100, 120, 2}};
    window_decide(&plane, &front, NULL, flood_below, NULL);
    assert_int_equal(front.at.contrast, -10);
    assert_int_equal(front.low, 100 - 1 * 2);
}

/* Out in the picture only a band has outlines; at home, bright ones of more contrast, and of an
 * area that is given. */
static void flood_at_home(void *data, const struct region_front *front,
                          const struct window_start *start, const struct flood_rule *rule,
                          struct window_flood *flood)
{
    const uint64_t *area = data;
    (void)front, (void)start;
    flood->cut = true;
    if (rule->kind == RO_REGION_BAND && !rule->nearest)
        assert_true(flood_add(flood, &(struct flood_level){50, 100, 4000, 0, 0, 0}));
    if (rule->kind == RO_REGION_BRIGHT && rule->nearest)
        assert_true(flood_add(flood, &(struct flood_level){*area, 100, 4000, 0, 0, 0}));
}

static enum ro_region_kind kind_at_home(uint64_t area)
{
    const struct region_plane plane = {.width = 90, .height = 90, .most = 255, .spread = 200};
    const uint16_t nearest[1] = {1};
    struct region_front front = {.count = 5, .start = {100, 120, 2}};
    window_decide(&plane, &front, nearest, flood_at_home, &area);
    return front.kind;
}

static void what_had_no_outline_is_doubted_at_home(void **state)
{
    (void)state;
    assert_int_equal(kind_at_home(80), RO_REGION_BRIGHT);
    assert_int_equal(kind_at_home(81), RO_REGION_BAND);
}

/* An outline of a contrast of 40 that the next level loses; before it there was another. */
static bool goes_on(int64_t before, uint64_t unrest)
{
    const struct flood_level levels[] = {{50, 100, 100 * before, 200, 0, 0},
                                         {60, 100, 4000, 200, 200 * unrest, 0},
                                         {90, 100, 1000, 0, 0, 0}};
    struct window_flood flood = {0};
    assert_true(flood_add(&flood, &levels[0]));
    assert_true(flood_add(&flood, &levels[1]));
    return flood_add(&flood, &levels[2]);
}

static void a_flood_passes_what_does_not_stand_out(void **state)
{
    (void)state;
    assert_true(goes_on(30, 21)); /* no rise, half of the contrast inside */
    assert_false(goes_on(30, 20));
    assert_false(goes_on(29, 21)); /* it rose by a quarter */
}

/* Dark: everything at once, with a contrast of 120. Bright: what is given. */
static void flood_in_a_border(void *data, const struct region_front *front,
                              const struct window_start *start, const struct flood_rule *rule,
                              struct window_flood *flood)
{
    const struct flood_level *inner = data;
    (void)front, (void)start;
    if (rule->kind == RO_REGION_DARK)
        assert_true(flood_add(flood, &(struct flood_level){200, 100, 12000, 0, 0, 0}));
    if (rule->kind == RO_REGION_BRIGHT)
        assert_true(flood_add(flood, inner));
}

static enum ro_region_kind kind_in_a_border(struct flood_level inner)
{
    const struct region_plane plane = {.width = 90, .height = 90, .most = 255, .spread = 200};
    struct region_front front = {.count = 5, .start = {100, 120, 2}};
    window_decide(&plane, &front, NULL, flood_in_a_border, &inner);
    return front.kind;
}

static void faint_outlines_count_where_a_kind_ran_over_them(void **state)
{
    (void)state;
    const struct flood_level faint = {100, 80, 80 * 12, 80, 80 * 4, 0};
    struct flood_level large = faint, fainter = faint, restless = faint, few = faint;
    large.area++;
    fainter.contrast = 80 * 10;
    restless.unrest++;
    few.inner--;
    assert_int_equal(kind_in_a_border(faint), RO_REGION_BRIGHT);
    assert_int_equal(kind_in_a_border(large), RO_REGION_DARK);
    assert_int_equal(kind_in_a_border(fainter), RO_REGION_DARK);
    assert_int_equal(kind_in_a_border(restless), RO_REGION_DARK);
    assert_int_equal(kind_in_a_border(few), RO_REGION_DARK);
}

/* A dark outline of a contrast of 20, or none where that is NULL. */
static void flood_dark(void *data, const struct region_front *front,
                       const struct window_start *start, const struct flood_rule *rule,
                       struct window_flood *flood)
{
    (void)front, (void)start;
    if (rule->kind == RO_REGION_DARK && data)
        assert_true(flood_add(flood, data));
}

/* A front that went over an area with a contrast of 50, its fellows being dark. */
static struct region_front ask_dark_fellows(enum ro_region_kind kind, uint64_t area, void *outline)
{
    const struct region_plane plane = {.width = 90, .height = 90, .most = 255, .spread = 200};
    const struct seed_fellows fellows = {RO_REGION_DARK, 0, 640, UINT64_MAX, 0, 90};
    struct region_front front = {
        .count = 5, .kind = kind, .start = {100, 120, 2}, .low = 70, .high = 200};
    front.at = (struct flood_level){area, 100, 5000, 0, 0, 0};
    window_decide_again(&plane, &front, &fellows, NULL, flood_dark, outline);
    return front;
}

static void what_leaked_gives_way_to_its_fellows(void **state)
{
    (void)state;
    struct flood_level outline = {50, 100, 2000, 0, 0, 0};
    assert_int_equal(ask_dark_fellows(RO_REGION_BRIGHT, 641, &outline).high, 120);
    assert_int_equal(ask_dark_fellows(RO_REGION_BRIGHT, 640, &outline).high, 200);
    assert_int_equal(ask_dark_fellows(RO_REGION_DARK, 641, &outline).high, 200);
    const struct region_front front = ask_dark_fellows(RO_REGION_BRIGHT, 641, NULL);
    assert_int_equal(front.kind, RO_REGION_DARK);
    assert_int_equal(front.low, 0);
    assert_int_equal(front.high, 90);
}

static void fellows_have_a_middle_window(void **state)
{
    (void)state;
    struct region_front fronts[5] = {0};
    const struct region_front *list[5];
    uint64_t scratch[5];
    for (int i = 0; i < 5; i++) {
        fronts[i] = (struct region_front){.kind = RO_REGION_DARK, .high = (uint16_t)(50 + 10 * i)};
        list[i] = &fronts[i];
    }
    fronts[0].kind = RO_REGION_BRIGHT; /* those of 60, 70, 80 and 90 count */
    const struct seed_fellows fellows = window_fellows(list, 5, scratch);
    assert_int_equal(fellows.kind, RO_REGION_DARK);
    assert_int_equal(fellows.low, 0);
    assert_int_equal(fellows.high, 80);
}

/* Fifty things of 20 pixels, and one of another size. */
static bool is_odd_among_many(uint64_t area, enum ro_region_kind kind)
{
    enum { MANY = 51 };
    struct region_front fronts[MANY] = {0};
    const struct region_front *list[MANY];
    uint64_t scratch[MANY];
    for (int i = 0; i < MANY; i++) {
        fronts[i].kind = RO_REGION_DARK;
        fronts[i].at.area = 20;
        list[i] = &fronts[i];
    }
    fronts[7].kind = kind;
    fronts[7].at.area = area;
    const struct seed_fellows fellows = window_fellows(list, MANY, scratch);
    return window_odd(&fronts[7], &fellows);
}

/* Fifty clicks that found 24 pixels, and one that found fewer. */
static bool is_odd_click(uint64_t area, bool click)
{
    enum { MANY = 51 };
    struct region_front fronts[MANY] = {0};
    const struct region_front *list[MANY];
    uint64_t scratch[MANY];
    for (int i = 0; i < MANY; i++) {
        fronts[i].at.area = 24;
        list[i] = &fronts[i];
    }
    fronts[7].click = click;
    fronts[7].at.area = area;
    const struct seed_fellows fellows = window_fellows(list, MANY, scratch);
    return window_odd(&fronts[7], &fellows);
}

static void a_click_on_a_spot_looks_again(void **state)
{
    (void)state;
    assert_true(is_odd_click(2, true));
    assert_false(is_odd_click(3, true));
    assert_false(is_odd_click(2, false));
}

static void what_is_vast_is_no_leak(void **state)
{
    (void)state;
    assert_false(is_odd_among_many(64 * 20, RO_REGION_DARK));
    assert_true(is_odd_among_many(64 * 20 + 1, RO_REGION_DARK));
    assert_true(is_odd_among_many(3000, RO_REGION_DARK));
    assert_false(is_odd_among_many(3001, RO_REGION_DARK));
    assert_true(is_odd_among_many(3001, RO_REGION_BRIGHT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floods_agree),
        cmocka_unit_test(trees_agree),
        cmocka_unit_test(a_window_ends_at_the_outline),
        cmocka_unit_test(races_agree),
        cmocka_unit_test(many_pixels_at_once),
        cmocka_unit_test(the_best_counts_also_below_zero),
        cmocka_unit_test(what_had_no_outline_is_doubted_at_home),
        cmocka_unit_test(a_flood_passes_what_does_not_stand_out),
        cmocka_unit_test(faint_outlines_count_where_a_kind_ran_over_them),
        cmocka_unit_test(what_leaked_gives_way_to_its_fellows),
        cmocka_unit_test(fellows_have_a_middle_window),
        cmocka_unit_test(a_click_on_a_spot_looks_again),
        cmocka_unit_test(what_is_vast_is_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Fronts that compete, from an image and seeds to the pixels of each: intensities are smoothed as
 * far as their noise asks for, every seed gets its window (window.c), and all race
 * (arrival.c). */
#include "segment/regions/regions.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "options/table.h"

#include <stdlib.h>
#include <string.h>

static ro_status no_memory(const struct ro_regions *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to segment %u x %u pixels",
                           work->width, work->height);
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static ro_status check_plane(struct ro_regions *work, const ro_image *image, const char *role)
{
    if (!image)
        return RO_OK;
    ro_status status = image_check(work->context, image, role);
    if (status != RO_OK)
        return status;
    if (image->format != RO_GREY8 && image->format != RO_INDEX8 && image->format != RO_GREY16)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "the %s is %s, not grey of 8 or 16 bits", role,
                               ro_format_name(image->format));
    if (image->width != work->width || image->height != work->height)
        return ro_context_fail(work->context, RO_E_SIZE,
                               "the %s is %u x %u but the image is %u x %u", role, image->width,
                               image->height, work->width, work->height);
    return RO_OK;
}

static ro_status check(struct ro_regions *work, const ro_image *in)
{
    ro_context *context = work->context;
    const ro_regions_options *options = &work->options;
    size_t pixels;
    if (in->format == RO_BITS || in->format == RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "an image of %s cannot be segmented",
                               ro_format_name(in->format));
    if (!size_multiply(work->width, work->height, &pixels) || plane_size(&work->plane) > INT32_MAX)
        return ro_context_fail(context, RO_E_SIZE, "an image of %u x %u is too large", work->width,
                               work->height);
    if (context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "competing fronts run on the CPU only; free fronts run on CUDA too");
    if (context->options.cpu > RO_CPU_SCALAR)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "there is no %s code for competing fronts",
                               ro_cpu_name(context->options.cpu));
    if (options->find_seeds && (options->seed_count || options->mask))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "seeds are found where none are given, neither as a list nor as a "
                               "mask");
    for (size_t i = 0; i < options->seed_count; i++) {
        const ro_seed *seed = &options->seeds[i];
        if (seed->label < 0 || seed->label > RO_REGION_LABELS)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "a seed of label %d: labels go from 1 to %d", seed->label,
                                   RO_REGION_LABELS);
        if (!(seed->x >= 0 && seed->x <= work->width - 1.0 && seed->y >= 0 &&
              seed->y <= work->height - 1.0))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "the seed (%g, %g) is outside the image of %u x %u pixels",
                                   seed->x, seed->y, work->width, work->height);
        if (!(seed->radius >= 0 && seed->radius <= 1e9))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "a seed of radius %g: it must be positive", seed->radius);
    }
    ro_status status = check_plane(work, options->mask, "mask");
    return status == RO_OK ? check_plane(work, options->factor, "factor") : status;
}

enum { WORTH_TREES = 4 }; /* clicks */

/* ---- Windows --------------------------------------------------------------------------------- */

static ro_status run_race(struct ro_regions *work, const uint16_t *cost)
{
    const struct front_race race = {&work->plane, cost,        work->nearest,
                                    work->fronts, work->count, work->arrival};
    if (!work->by_reference)
        return race_run(work->context, &race);
    race_ref(&race);
    return RO_OK;
}

/* Which label's seed is nearest to each pixel: a race without windows. */
static ro_status find_nearest(struct ro_regions *work)
{
    bool several = false;
    for (uint32_t f = 0; f < work->count; f++) {
        several |= work->fronts[f].label != work->fronts[0].label;
        work->fronts[f].low = 0;
        work->fronts[f].high = UINT16_MAX;
    }
    if (!several)
        return RO_OK;
    work->nearest = calloc(plane_size(&work->plane), sizeof *work->nearest);
    if (!work->nearest)
        return no_memory(work);
    ro_status status = run_race(work, NULL);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t p = plane_value_at(&work->plane, x, y);
            work->nearest[p] = (uint16_t)regions_label(work, p);
        }
    return status;
}

struct windows {
    struct ro_regions *work;
    struct seed_fellows *fellows; /* of each front; NULL: each by itself */
    const struct component_tree
        *trees; /* bright and dark; NULL: every seed has floods of its own */
    atomic_uint_fast32_t ticket;
    atomic_bool no_memory;
};

struct fast_flood {
    const struct component_tree *trees;
    struct flooder *flooder;
};

/* Clicks share a tree, but for bands, for floods that stay at home, and where the seed of another
 * label covers the click. */
static void flood(void *data, const struct region_front *front, const struct window_start *start,
                  const struct flood_rule *rule, struct window_flood *water)
{
    const struct fast_flood *with = data;
    if (with->trees && front->click && rule->kind != RO_REGION_BAND && !rule->nearest &&
        with->trees->plane->label[front->pixels[0]] == front->label)
        tree_flood(&with->trees[rule->kind == RO_REGION_DARK], front, start, rule, water);
    else
        flooder_run(with->flooder, front, start, rule, water);
}

struct reference_flood {
    const struct region_plane *plane;
    unsigned char *inside;
};

static void flood_by_reference(void *data, const struct region_front *front,
                               const struct window_start *start, const struct flood_rule *rule,
                               struct window_flood *water)
{
    const struct reference_flood *with = data;
    flood_ref(with->plane, front, start, rule, with->inside, water);
}

static uint32_t most_pixels(const struct ro_regions *work)
{
    uint32_t most = 0;
    for (uint32_t f = 0; f < work->count; f++)
        most = work->fronts[f].count > most ? work->fronts[f].count : most;
    return most;
}

static void find_windows(void *data, int thread)
{
    struct windows *windows = data;
    struct ro_regions *work = windows->work;
    const bool reference = work->by_reference;
    struct reference_flood plain = {&work->plane, NULL};
    struct fast_flood fast = {windows->trees, NULL};
    uint16_t *scratch = malloc((size_t)most_pixels(work) * sizeof *scratch);
    (void)thread;
    if (reference)
        plain.inside = malloc(plane_size(&work->plane));
    else
        fast.flooder = flooder_open(&work->plane);
    if (!scratch || !(reference ? (void *)plain.inside : (void *)fast.flooder))
        atomic_store(&windows->no_memory, true);
    for (uint32_t f; !atomic_load(&windows->no_memory) &&
                     (f = (uint32_t)atomic_fetch_add(&windows->ticket, 1)) < work->count;) {
        struct region_front *front = &work->fronts[f];
        const struct seed_fellows *fellows = windows->fellows ? &windows->fellows[f] : NULL;
        if (fellows && !window_odd(front, fellows))
            continue;
        flood_fn *const by = reference ? flood_by_reference : flood;
        void *const with = reference ? (void *)&plain : (void *)&fast;
        if (fellows) {
            window_decide_again(&work->plane, front, fellows, work->nearest, by, with);
        } else {
            front->start = front->click ? window_start_click(&work->plane, front->pixels[0])
                                        : window_start(&work->plane, front, scratch);
            window_decide(&work->plane, front, work->nearest, by, with);
        }
        if (ro_context_cancelled(work->context))
            break;
    }
    flooder_close(fast.flooder);
    free(plain.inside);
    free(scratch);
}

static ro_status run_windows(struct ro_regions *work, struct seed_fellows *fellows)
{
    struct thread_pool *pool = work->context->pool;
    const uint32_t threads = (uint32_t)pool_threads(pool);
    struct windows windows = {.work = work, .fellows = fellows, .trees = work->trees};
    pool_run(pool, (int)(threads < work->count ? threads : work->count), find_windows, &windows);
    return atomic_load(&windows.no_memory) ? no_memory(work) : RO_OK;
}

struct for_both_kinds {
    struct ro_regions *work;
    struct things *things; /* of bright and dark; NULL: trees are made */
    atomic_int ticket;
    atomic_bool no_memory;
};

static void work_on_a_kind(void *data, int thread)
{
    struct for_both_kinds *both = data;
    struct ro_regions *work = both->work;
    (void)thread;
    for (int i; (i = atomic_fetch_add(&both->ticket, 1)) < 2;)
        if (both->things
                ? !things_find(&work->trees[i], &both->things[i])
                : !tree_open(&work->plane, i ? RO_REGION_DARK : RO_REGION_BRIGHT, &work->trees[i]))
            atomic_store(&both->no_memory, true);
}

static ro_status run_both_kinds(struct ro_regions *work, struct things *things)
{
    struct for_both_kinds both = {.work = work, .things = things};
    const int threads = pool_threads(work->context->pool);
    pool_run(work->context->pool, threads < 2 ? threads : 2, work_on_a_kind, &both);
    return atomic_load(&both.no_memory) ? no_memory(work) : RO_OK;
}

static ro_status make_trees(struct ro_regions *work)
{
    work->trees = calloc(2, sizeof *work->trees);
    return work->trees ? run_both_kinds(work, NULL) : no_memory(work);
}

/* A few clicks have floods of their own, which takes less time and gives the same. */
static bool is_worth_trees(const struct ro_regions *work)
{
    uint32_t clicks = 0;
    for (uint32_t f = 0; f < work->count; f++)
        clicks += work->fronts[f].click;
    return !work->by_reference && clicks >= WORTH_TREES;
}

void regions_drop_trees(struct ro_regions *work)
{
    for (int i = 0; i < 2 && work->trees; i++)
        tree_close(&work->trees[i]);
    free(work->trees);
    work->trees = NULL;
}

/* ---- Fellows --------------------------------------------------------------------------------- */

/* Seeds that were given without a label are fellows of each other. */
static uint32_t sort_of(const struct region_front *front)
{
    return front->numbered ? 0 : front->label;
}

static int by_sort(const void *a, const void *b)
{
    const struct region_front *one = *(const struct region_front *const *)a;
    const struct region_front *two = *(const struct region_front *const *)b;
    const int first = (int)sort_of(one), second = (int)sort_of(two);
    return first != second ? first - second : (one > two) - (one < two);
}

/* Fronts that differ from those of their label look again. */
static ro_status ask_fellows(struct ro_regions *work)
{
    const size_t count = work->count;
    const struct region_front **sorted = malloc(count * sizeof *sorted);
    struct seed_fellows *fellows = malloc(count * sizeof *fellows);
    uint64_t *scratch = malloc(count * sizeof *scratch);
    ro_status status = sorted && fellows && scratch ? RO_OK : no_memory(work);
    bool odd = false;
    if (status == RO_OK) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = &work->fronts[i];
        qsort(sorted, count, sizeof *sorted, by_sort);
        for (size_t from = 0, to; from < count; from = to) {
            for (to = from; to < count && sort_of(sorted[to]) == sort_of(sorted[from]);)
                to++;
            const struct seed_fellows these = window_fellows(sorted + from, to - from, scratch);
            for (size_t i = from; i < to; i++) {
                fellows[sorted[i] - work->fronts] = these;
                odd |= window_odd(sorted[i], &these);
            }
        }
    }
    if (status == RO_OK && odd)
        status = run_windows(work, fellows);
    free(sorted);
    free(fellows);
    free(scratch);
    return status;
}

/* The pixel of a click that is outside of its window, which fellows gave it, gives way to the
 * nearest inside, the first of equals. */
static void start_inside(struct ro_regions *work)
{
    const struct region_plane *plane = &work->plane;
    for (uint32_t f = 0; f < work->count; f++) {
        struct region_front *front = &work->fronts[f];
        const uint32_t pixel = front->pixels[0];
        if (!front->click || front_takes(plane, front, pixel))
            continue;
        const int64_t cx = pixel % plane->pitch - RO_PLANE_MARGIN;
        const int64_t cy = pixel / plane->pitch - RO_PLANE_MARGIN;
        int64_t least = RO_CLICK_RADIUS * RO_CLICK_RADIUS;
        for (int64_t y = cy - RO_CLICK_RADIUS; y <= cy + RO_CLICK_RADIUS; y++)
            for (int64_t x = cx - RO_CLICK_RADIUS; x <= cx + RO_CLICK_RADIUS; x++) {
                const int64_t square = (x - cx) * (x - cx) + (y - cy) * (y - cy);
                if (x < 0 || y < 0 || x >= plane->width || y >= plane->height || square >= least)
                    continue;
                const uint32_t p = plane_value_at(plane, (uint32_t)x, (uint32_t)y);
                if (!front_takes(plane, front, p))
                    continue;
                least = square;
                work->pixels[front->pixels - work->pixels] = p;
            }
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* How much longer than usual a front takes over a pixel. */
static ro_status make_costs(struct ro_regions *work, uint16_t **cost)
{
    const ro_image *factor = work->options.factor;
    *cost = NULL;
    if (!factor)
        return RO_OK;
    const uint32_t white = ro_image_white(factor);
    *cost = calloc(plane_size(&work->plane), sizeof **cost);
    if (!*cost)
        return no_memory(work);
    for (uint32_t y = 0; y < work->height; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t speed = regions_sample(factor, x, y);
            const bool wall = 64 * (uint64_t)speed < white;
            (*cost)[plane_value_at(&work->plane, x, y)] =
                wall ? 0 : (uint16_t)((2 * RO_RACE_UNIT * white + speed) / (2 * speed));
        }
    return RO_OK;
}

/* Finds the windows of seeds that were given. */
static ro_status find_all_windows(struct ro_regions *work)
{
    ro_status status = regions_seed(work);
    if (status == RO_OK)
        status = find_nearest(work);
    if (status == RO_OK && is_worth_trees(work))
        status = make_trees(work);
    if (status == RO_OK)
        status = run_windows(work, NULL);
    if (status == RO_OK)
        status = ask_fellows(work);
    if (status == RO_OK)
        start_inside(work);
    return status;
}

/* Finds bright and dark things; those of one kind, whichever have more weight, are the fronts. */
static ro_status find_things(struct ro_regions *work)
{
    struct things things[2] = {{0}};
    struct part_list list = {0};
    ro_status status = make_trees(work);
    if (status == RO_OK)
        status = run_both_kinds(work, things);
    const int kind = things[1].weight > things[0].weight;
    if (status == RO_OK && !things_split(&work->trees[kind], &things[kind], &list))
        status = no_memory(work);
    if (status == RO_OK)
        status = regions_seed_parts(work, &work->trees[kind], &things[kind], &list);
    free(list.parts);
    things_drop(&things[0]);
    things_drop(&things[1]);
    return status;
}

static ro_status grow(struct ro_regions *work, const ro_image *in)
{
    uint16_t *cost = NULL;
    ro_status status = check(work, in);
    if (status == RO_OK)
        status = regions_read(work, in);
    if (status != RO_OK)
        return status;
    work->arrival = malloc(plane_size(&work->plane) * sizeof *work->arrival);
    if (!work->arrival)
        return no_memory(work);
    status = work->options.find_seeds ? find_things(work) : find_all_windows(work);
    regions_drop_trees(work);
    if (status == RO_OK)
        status = ro_context_progress(work->context, "segment", 0.5);
    if (status == RO_OK)
        status = make_costs(work, &cost);
    if (status == RO_OK)
        status = run_race(work, cost);
    free(cost);
    return status == RO_OK ? regions_measure(work) : status;
}

static ro_status grow_regions(ro_context *context, const ro_image *in,
                              const ro_regions_options *options, ro_regions **result,
                              ro_regions_report *report)
{
    if (MISSING(context, in, result))
        return RO_E_ARGUMENT;
    ro_status status = image_check(context, in, "input");
    if (status != RO_OK)
        return status;
    struct ro_regions *work = calloc(1, sizeof *work);
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to segment");
    work->context = context;
    work->width = in->width;
    work->height = in->height;
    work->plane.width = in->width;
    work->plane.height = in->height;
    work->shown = RO_NEVER - 1;
    work->plane.pitch = in->width + 2 * RO_PLANE_MARGIN;
    status = options_read(context, &regions_options_table, options, &work->options);
    work->by_reference = status == RO_OK && strcmp(work->options.schedule, "reference") == 0;
    if (status == RO_OK)
        status = grow(work, in);
    if (status != RO_OK) {
        ro_regions_free(work);
        return status;
    }
    *context_report(context) = (ro_report){.method = "competing",
                                           .schedule = work->by_reference ? "reference" : "rounds",
                                           .width = work->width,
                                           .height = work->height,
                                           .device = RO_DEVICE_CPU,
                                           .cpu = RO_CPU_SCALAR,
                                           .threads = pool_threads(context->pool)};
    if (report)
        *report = work->report;
    *result = work;
    return RO_OK;
}

ro_status ro_regions_grow(ro_context *context, const ro_image *in,
                          const ro_regions_options *options, ro_regions **result,
                          ro_regions_report *report)
{
    ro_regions_report full = {.size = sizeof full};
    if (result)
        *result = NULL;
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = grow_regions(context, in, options, result, report ? &full : NULL);
    report_give(report, &full);
    return status;
}

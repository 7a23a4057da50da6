/* SPDX-License-Identifier: MIT */
/* Fronts that compete, from an image and seeds to the pixels of each: intensities are smoothed as
 * far as their noise asks for, every seed gets its window (window.c), and all race (race.c). */
#include "pde/compete/regions.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/names.h"
#include "pde/denoise/denoise.h"
#include "pde/segment/segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GREYS = 65536, MOST_DEVIATION = 64, USUAL_RADIUS = 5 };

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
    ro_status status = ro_image_check(work->context, image, role);
    if (status != RO_OK)
        return status;
    if (image->format != RO_GRAY8 && image->format != RO_INDEX8 && image->format != RO_GRAY16)
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
    if (!ro_size_multiply(work->width, work->height, &pixels) || pixels >= UINT32_MAX)
        return ro_context_fail(context, RO_E_SIZE, "an image of %u x %u is too large", work->width,
                               work->height);
    if (context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "fronts that compete run on the CPU, free ones on CUDA too");
    if (options->schedule && !ro_name_equal(options->schedule, "auto") &&
        !ro_name_equal(options->schedule, "reference"))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "schedule %s: fronts that compete have auto and reference",
                               options->schedule);
    if (!(options->smooth <= MOST_DEVIATION))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "smoothing by %g pixels: up to %d are possible", options->smooth,
                               MOST_DEVIATION);
    for (size_t i = 0; i < options->seed_count; i++) {
        const ro_seed *seed = &options->seeds[i];
        if (seed->label < 0 || seed->label > RO_REGION_LABELS)
            return ro_context_fail(context, RO_E_ARGUMENT, "a seed of label %d: labels are 1 to %d",
                                   seed->label, RO_REGION_LABELS);
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

/* ---- Intensities ----------------------------------------------------------------------------- */

/* The intensity that a share of the pixels, in hundredths, does not exceed. */
static uint32_t percentile(const uint32_t *histogram, uint64_t total, uint64_t share)
{
    uint64_t below = 0;
    uint32_t i = 0;
    while (i + 1 < GREYS && 100 * (below += histogram[i]) < share * total)
        i++;
    return i;
}

/* Half pixels by which intensities are smoothed: 48 deviations of the noise are one per spread. */
static double half_pixels_for(double noise, uint32_t spread)
{
    const double half = spread ? floor(48 * noise * 257 / spread + 0.5) : 1;
    return half < 1 ? 1 : half > 5 ? 5 : half;
}

/* Intensities from black to the white in use, 0 to 65535, as they are and smoothed. */
static ro_status read_intensities(struct ro_regions *work, const ro_image *in)
{
    const size_t pixels = (size_t)work->width * work->height;
    const uint32_t white = ro_image_white(in), in_use = ro_image_white_in_use(in);
    uint32_t *histogram = calloc(GREYS, sizeof *histogram);
    work->raw = malloc(pixels * sizeof *work->raw);
    work->smooth = malloc(pixels * sizeof *work->smooth);
    ro_status status = RO_OK;
    if (!histogram || !work->raw || !work->smooth) {
        status = no_memory(work);
        goto done;
    }
    ro_image stretched = *in;
    if (in_use < white)
        stretched.maxval = in_use;
    work->white = (double)in_use / white;
    status = ro_intensity_read(work->context, &stretched, work->raw);
    if (status != RO_OK)
        goto done;
    for (size_t i = 0; i < pixels; i++)
        histogram[work->raw[i]]++;
    work->plane.spread = percentile(histogram, pixels, 99) - percentile(histogram, pixels, 1);
    double noise = 0, deviation = work->options.smooth;
    if (deviation == 0) {
        status = ro_noise_estimate(work->context, &stretched, &noise);
        deviation = half_pixels_for(noise, work->plane.spread) / 2;
    }
    work->report.smooth = deviation > 0 ? deviation : 0;
    if (status == RO_OK && deviation > 0)
        status = ro_intensity_smooth(work->context, work->raw, work->width, work->height, deviation,
                                     work->smooth);
    else if (status == RO_OK)
        memcpy(work->smooth, work->raw, pixels * sizeof *work->raw);
done:
    free(histogram);
    return status;
}

static void find_range(struct ro_regions *work)
{
    struct ro_plane *plane = &work->plane;
    plane->width = work->width;
    plane->height = work->height;
    plane->grey = work->smooth;
    plane->label = work->seeded;
    plane->least = UINT16_MAX;
    for (size_t i = 0; i < (size_t)work->width * work->height; i++) {
        plane->least = work->smooth[i] < plane->least ? work->smooth[i] : plane->least;
        plane->most = work->smooth[i] > plane->most ? work->smooth[i] : plane->most;
    }
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

struct lists {
    uint32_t *pixels;
    size_t used, room;
};

static bool add_pixel(struct lists *lists, uint32_t pixel)
{
    if (lists->used == lists->room) {
        const size_t room = lists->room ? 2 * lists->room : 4096;
        uint32_t *more = realloc(lists->pixels, room * sizeof *more);
        if (!more)
            return false;
        lists->pixels = more;
        lists->room = room;
    }
    lists->pixels[lists->used++] = pixel;
    return true;
}

/* The pixels whose centres are in a disc, and the one that its centre is in. */
static bool add_disc(const struct ro_regions *work, const ro_seed *seed, struct lists *lists)
{
    const double radius = seed->radius > 0 ? seed->radius : USUAL_RADIUS;
    const int64_t cx = llrint(seed->x), cy = llrint(seed->y);
    const int64_t top = (int64_t)fmax(0, floor(seed->y - radius));
    const int64_t bottom = (int64_t)fmin(work->height - 1.0, ceil(seed->y + radius));
    const int64_t left = (int64_t)fmax(0, floor(seed->x - radius));
    const int64_t right = (int64_t)fmin(work->width - 1.0, ceil(seed->x + radius));
    for (int64_t y = top; y <= bottom; y++)
        for (int64_t x = left; x <= right; x++) {
            const double dx = (double)x - seed->x, dy = (double)y - seed->y;
            if ((dx * dx + dy * dy < radius * radius || (x == cx && y == cy)) &&
                !add_pixel(lists, (uint32_t)(y * work->width + x)))
                return false;
        }
    return true;
}

static uint32_t sample_of(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    return image->format == RO_GRAY16 ? ((const uint16_t *)(const void *)row)[x]
                                      : ((const uint8_t *)row)[x];
}

/* One front for each label of a mask, its pixels sorted by label and then in raster order. */
static ro_status add_mask(struct ro_regions *work, struct lists *lists, uint32_t *counts)
{
    const ro_image *mask = work->options.mask;
    const uint32_t first_front = (uint32_t)work->options.seed_count;
    size_t *start = calloc(RO_REGION_LABELS + 2, sizeof *start);
    ro_status status = start ? RO_OK : no_memory(work);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++)
            start[sample_of(mask, x, y) + 1]++;
    start ? (void)(start[1] = 0) : (void)0;
    uint32_t fronts = 0;
    for (uint32_t label = 1; label <= RO_REGION_LABELS && status == RO_OK; label++) {
        const size_t pixels = start[label + 1];
        start[label + 1] = start[label] + pixels;
        if (!pixels)
            continue;
        work->fronts[first_front + fronts].label = (uint16_t)label;
        counts[first_front + fronts++] = (uint32_t)pixels;
    }
    const size_t base = lists->used, all = status == RO_OK ? start[RO_REGION_LABELS + 1] : 0;
    for (size_t i = 0; i < all && status == RO_OK; i++)
        if (!add_pixel(lists, 0))
            status = no_memory(work);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t label = sample_of(mask, x, y);
            if (label)
                lists->pixels[base + start[label]++] = y * work->width + x;
        }
    work->count = first_front + fronts;
    free(start);
    return status;
}

static ro_status make_fronts(struct ro_regions *work)
{
    const ro_regions_options *options = &work->options;
    const size_t most = options->seed_count + (options->mask ? RO_REGION_LABELS : 0);
    struct lists lists = {0};
    if (most >= 1U << RO_FRONT_BITS)
        return ro_context_fail(work->context, RO_E_SIZE, "%zu seeds are too many", most);
    uint32_t *counts = malloc((most + 1) * sizeof *counts);
    work->fronts = calloc(most + 1, sizeof *work->fronts);
    work->seeded = calloc((size_t)work->width * work->height, sizeof *work->seeded);
    ro_status status = counts && work->fronts && work->seeded ? RO_OK : no_memory(work);
    for (size_t i = 0; i < options->seed_count && status == RO_OK; i++) {
        const size_t before = lists.used;
        const int label = options->seeds[i].label;
        if (!add_disc(work, &options->seeds[i], &lists))
            status = no_memory(work);
        work->fronts[i].label = (uint16_t)(label ? label : 1);
        counts[i] = (uint32_t)(lists.used - before);
    }
    work->count = (uint32_t)options->seed_count;
    if (status == RO_OK && options->mask)
        status = add_mask(work, &lists, counts);
    if (status == RO_OK && work->count == 0)
        status = ro_context_fail(work->context, RO_E_ARGUMENT, "there is no seed");
    work->pixels = lists.pixels;
    for (uint32_t f = 0, at = 0; f < work->count && status == RO_OK; at += counts[f++]) {
        work->fronts[f].pixels = lists.pixels + at;
        work->fronts[f].count = counts[f];
        for (uint32_t i = 0; i < counts[f]; i++)
            if (!work->seeded[lists.pixels[at + i]])
                work->seeded[lists.pixels[at + i]] = work->fronts[f].label;
    }
    free(counts);
    return status;
}

/* ---- Windows --------------------------------------------------------------------------------- */

static ro_status run_race(struct ro_regions *work, const uint16_t *cost)
{
    const struct ro_race race = {work->width,  work->height, work->smooth, cost,
                                 work->fronts, work->count,  work->arrival};
    if (!work->by_reference)
        return ro_race_run(work->context, &race);
    ro_race_ref(&race);
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
    const size_t pixels = (size_t)work->width * work->height;
    work->nearest = malloc(pixels * sizeof *work->nearest);
    if (!work->nearest)
        return no_memory(work);
    ro_status status = run_race(work, NULL);
    for (size_t p = 0; p < pixels && status == RO_OK; p++)
        work->nearest[p] = work->fronts[work->arrival[p] & ((1U << RO_FRONT_BITS) - 1)].label;
    return status;
}

struct windows {
    struct ro_regions *work;
    atomic_uint_fast32_t ticket;
    atomic_bool no_memory;
};

static void flood(void *data, const struct ro_front *front, const struct ro_window_start *start,
                  const struct ro_flood_rule *rule, struct ro_flood *water)
{
    ro_flooder_run(data, front, start, rule, water);
}

struct reference_flood {
    const struct ro_plane *plane;
    unsigned char *inside;
};

static void flood_by_reference(void *data, const struct ro_front *front,
                               const struct ro_window_start *start,
                               const struct ro_flood_rule *rule, struct ro_flood *water)
{
    const struct reference_flood *with = data;
    ro_flood_ref(with->plane, front, start, rule, with->inside, water);
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
    struct ro_flooder *flooder = NULL;
    uint16_t *scratch = malloc((size_t)most_pixels(work) * sizeof *scratch);
    (void)thread;
    if (reference)
        plain.inside = malloc((size_t)work->width * work->height);
    else
        flooder = ro_flooder_open(&work->plane);
    if (!scratch || !(reference ? (void *)plain.inside : (void *)flooder))
        atomic_store(&windows->no_memory, true);
    for (uint32_t f; !atomic_load(&windows->no_memory) &&
                     (f = (uint32_t)atomic_fetch_add(&windows->ticket, 1)) < work->count;) {
        struct ro_front *front = &work->fronts[f];
        const struct ro_window_start start = ro_window_start(&work->plane, front, scratch);
        ro_window_decide(&work->plane, front, &start, work->nearest,
                         reference ? flood_by_reference : flood,
                         reference ? (void *)&plain : (void *)flooder);
        if (ro_context_cancelled(work->context))
            break;
    }
    ro_flooder_close(flooder);
    free(plain.inside);
    free(scratch);
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
    *cost = malloc((size_t)work->width * work->height * sizeof **cost);
    if (!*cost)
        return no_memory(work);
    for (uint32_t y = 0; y < work->height; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t speed = sample_of(factor, x, y);
            const bool wall = 64 * (uint64_t)speed < white;
            (*cost)[(size_t)y * work->width + x] =
                wall ? 0 : (uint16_t)((2 * RO_RACE_UNIT * white + speed) / (2 * speed));
        }
    return RO_OK;
}

static ro_status grow(struct ro_regions *work, const ro_image *in)
{
    uint16_t *cost = NULL;
    ro_status status = check(work, in);
    if (status == RO_OK)
        status = read_intensities(work, in);
    if (status == RO_OK)
        status = make_fronts(work);
    if (status != RO_OK)
        return status;
    find_range(work);
    work->arrival = malloc((size_t)work->width * work->height * sizeof *work->arrival);
    if (!work->arrival)
        return no_memory(work);
    status = find_nearest(work);
    if (status == RO_OK) {
        struct ro_pool *pool = work->context->pool;
        const uint32_t threads = (uint32_t)ro_pool_threads(pool);
        struct windows windows = {.work = work};
        ro_pool_run(pool, (int)(threads < work->count ? threads : work->count), find_windows,
                    &windows);
        if (atomic_load(&windows.no_memory))
            status = no_memory(work);
    }
    if (status == RO_OK)
        status = ro_context_progress(work->context, "segment", 0.5);
    if (status == RO_OK)
        status = make_costs(work, &cost);
    if (status == RO_OK)
        status = run_race(work, cost);
    free(cost);
    return status == RO_OK ? ro_regions_measure(work) : status;
}

ro_status ro_regions_grow(ro_context *context, const ro_image *in,
                          const ro_regions_options *options, ro_regions **result)
{
    *result = NULL;
    ro_status status = ro_image_check(context, in, "input");
    if (status != RO_OK)
        return status;
    struct ro_regions *work = calloc(1, sizeof *work);
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to segment");
    work->context = context;
    work->width = in->width;
    work->height = in->height;
    if (options)
        work->options = *options;
    work->by_reference =
        work->options.schedule && ro_name_equal(work->options.schedule, "reference");
    status = grow(work, in);
    if (status != RO_OK) {
        ro_regions_free(work);
        return status;
    }
    context->report = (ro_report){.method = "competing",
                                  .schedule = work->by_reference ? "reference" : "rounds",
                                  .width = work->width,
                                  .height = work->height,
                                  .device = RO_DEVICE_CPU,
                                  .cpu = RO_CPU_SCALAR,
                                  .threads = ro_pool_threads(context->pool)};
    if (work->options.report)
        *work->options.report = work->report;
    *result = work;
    return RO_OK;
}

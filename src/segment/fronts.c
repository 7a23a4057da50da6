/* SPDX-License-Identifier: MIT */
/*
 * Fronts made from an image and options: where they start, how fast they move, and the time step.
 * Threads share the rows. A speed that depends on the intensity alone is a table of its 65536
 * values, for which only those that occur count; with an edge term or a factor it is a plane of its
 * own.
 */
#include "core/image.h"
#include "roundoff/command.h"
#include "segment/segment.h"

#include <stdlib.h>
#include <string.h>

enum { GREYS = 65536, BAND = 32 };

/* What is needed while fronts are made. */
struct making {
    struct ro_segmentation *work;
    const uint16_t *smooth, *edges; /* intensities for g1 and for g2 */
    uint16_t *grey, *smoothed, *smoothed_edges;
    atomic_uchar *seen;      /* of an intensity: it occurs in `smooth` */
    float *phi;              /* of one label, in pixels */
    float *speed[RO_LABELS]; /* of every pixel, or of every intensity */
    bool tabled[RO_LABELS];
    double fastest[RO_LABELS];
    double velocity;     /* largest |u| + |v| */
    double least_window; /* either side of what is estimated, in 1/255 of white */
};

static void free_making(struct making *making)
{
    free(making->grey);
    free(making->smoothed);
    free(making->smoothed_edges);
    free(making->seen);
    free(making->phi);
    for (int i = 0; i < RO_LABELS; i++)
        free(making->speed[i]);
}

static ro_status no_memory(const struct ro_segmentation *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to segment %u x %u pixels",
                           work->width, work->height);
}

/* ---- Rows shared among threads --------------------------------------------------------------- */

struct figures {
    double fastest;
    uint32_t first, last; /* rows with a pixel inside */
    bool faint;           /* a speed was rounded to zero */
};

struct sweep;
typedef void row_fn(struct sweep *sweep, uint32_t y, struct figures *figures);

struct sweep {
    struct making *making;
    int label;
    row_fn *row;
    uint32_t rows;
    atomic_uint_fast32_t ticket;
    pthread_mutex_t lock;
    struct figures figures;
};

static void run_sweep(void *data, int thread)
{
    struct sweep *sweep = data;
    struct figures figures = {.first = UINT32_MAX};
    (void)thread;
    for (uint32_t y; (y = (uint32_t)atomic_fetch_add(&sweep->ticket, BAND)) < sweep->rows;)
        for (uint32_t end = sweep->rows - y < BAND ? sweep->rows : y + BAND; y < end; y++)
            sweep->row(sweep, y, &figures);
    pthread_mutex_lock(&sweep->lock);
    struct figures *all = &sweep->figures;
    all->fastest = figures.fastest > all->fastest ? figures.fastest : all->fastest;
    all->first = figures.first < all->first ? figures.first : all->first;
    all->last = figures.last > all->last ? figures.last : all->last;
    all->faint |= figures.faint;
    pthread_mutex_unlock(&sweep->lock);
}

static struct figures sweep_rows(struct making *making, int label, uint32_t rows, row_fn *row)
{
    struct thread_pool *pool = making->work->context->pool;
    struct sweep sweep = {.making = making,
                          .label = label,
                          .row = row,
                          .rows = rows,
                          .figures = {.first = UINT32_MAX}};
    atomic_init(&sweep.ticket, 0);
    pthread_mutex_init(&sweep.lock, NULL);
    pool_run(pool, pool_threads(pool), run_sweep, &sweep);
    pthread_mutex_destroy(&sweep.lock);
    return sweep.figures;
}

/* ---- The image ------------------------------------------------------------------------------- */

static void see_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const uint32_t width = making->work->width;
    const uint16_t *row = making->smooth + (size_t)y * width;
    (void)figures;
    for (uint32_t x = 0; x < width; x++)
        atomic_store_explicit(&making->seen[row[x]], 1, memory_order_relaxed);
}

static ro_status smoothed(struct making *making, double deviation, uint16_t **memory,
                          const uint16_t **plane)
{
    const struct ro_segmentation *work = making->work;
    *plane = making->grey;
    if (!(deviation > 0))
        return RO_OK;
    if (!(*memory = malloc((size_t)work->width * work->height * sizeof **memory)))
        return no_memory(work);
    *plane = *memory;
    return intensity_smooth(work->context, making->grey, work->width, work->height, deviation,
                            *memory);
}

static ro_status read_image(struct making *making, const ro_image *in)
{
    const struct ro_segmentation *work = making->work;
    const size_t pixels = (size_t)work->width * work->height;
    making->grey = malloc(pixels * sizeof *making->grey);
    making->phi = malloc(pixels * sizeof *making->phi);
    making->seen = calloc(GREYS, sizeof *making->seen);
    if (!making->grey || !making->phi || !making->seen)
        return no_memory(work);
    ro_status status = intensity_read(work->context, in, making->grey);
    making->least_window = 6.0 * image_white_in_use(in) / ro_image_white(in);
    if (status == RO_OK)
        status = smoothed(making, work->options.smooth, &making->smoothed, &making->smooth);
    if (status == RO_OK)
        status = smoothed(making, work->options.sigma, &making->smoothed_edges, &making->edges);
    if (status == RO_OK)
        sweep_rows(making, 0, work->height, see_row);
    return status;
}

/* ---- Where a label starts -------------------------------------------------------------------- */

static void seed_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct ro_segmentation *work = sweep->making->work;
    float *phi = sweep->making->phi + (size_t)y * work->width;
    const double reach = (double)work->number->max / work->number->slope;
    (void)figures;
    seeds_fill_row(&work->options, sweep->label + 1, work->width, y, reach, phi);
}

static void start_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct ro_segmentation *work = sweep->making->work;
    const float *phi = sweep->making->phi + (size_t)y * work->width;
    const struct level_front *front = &work->front[sweep->label];
    const struct level_number *number = work->number;
    const double min = number->min, max = number->max, slope = number->slope;
    const float least = -(float)(max / slope);
    float lowest = 0;
    for (uint32_t x = 0; x < work->width; x++) {
        double value = (double)(phi[x] < least ? least : phi[x]) * slope;
        value = value > max ? max : value;
        value = value < min ? min : value;
        lowest = phi[x] < lowest ? phi[x] : lowest;
        level_put(&front->level, &front->phi[0], x, y, value);
    }
    if (lowest < 0) {
        figures->first = y < figures->first ? y : figures->first;
        figures->last = y > figures->last ? y : figures->last;
    }
}

static ro_status make_front(struct ro_segmentation *work, int label)
{
    struct level_front *front = &work->front[label];
    front->level = (struct front_level){
        .width = work->width,
        .height = work->height,
        .real = work->number->real,
        .a = work->norm->a,
        .bits = work->number->bits,
        .min = work->number->min,
        .max = work->number->max,
        .moved_by_field = work->options.velocity != NULL,
    };
    struct level_field *const fields[] = {&front->phi[0], &front->phi[1], &front->speed};
    ro_status status = RO_OK;
    for (size_t i = 0; i < 3 && status == RO_OK; i++)
        status = level_field_make(work->context, &front->level, fields[i]);
    /* the velocity is that of all labels */
    if (status == RO_OK && front->level.moved_by_field && !work->vx.data) {
        status = level_field_make(work->context, &front->level, &work->vx);
        if (status == RO_OK)
            status = level_field_make(work->context, &front->level, &work->vy);
    }
    front->vx = work->vx;
    front->vy = work->vy;
    return status;
}

/* ---- How fast it moves ----------------------------------------------------------------------- */

static bool is_set(const ro_speed *speed)
{
    return speed->constant != 0 || speed->coefficients || speed->gaussian != 0 ||
           speed->window != 0 || speed->edge != 0;
}

/* "Rows" of the table of speeds. */
enum { TABLE_ROWS = 64 };

static void table_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const ro_speed *speed = &making->work->options.speed[sweep->label];
    for (uint32_t i = y * (GREYS / TABLE_ROWS); i < (y + 1) * (GREYS / TABLE_ROWS); i++) {
        if (!making->seen[i])
            continue;
        const float value = (float)speed_of_intensity(speed, i);
        making->speed[sweep->label][i] = value;
        if (fabs((double)value) > figures->fastest)
            figures->fastest = fabs((double)value);
    }
}

/* The samples of a row of the factor, white being 1. */
static double factor_at(const ro_image *factor, const char *row, uint32_t x)
{
    switch (factor->format) {
    case RO_GREY8:
        return ((const uint8_t *)row)[x] / (double)ro_image_white(factor);
    case RO_GREY16:
        return ((const uint16_t *)(const void *)row)[x] / (double)ro_image_white(factor);
    default:
        return (double)((const float *)(const void *)row)[x];
    }
}

static void plane_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const struct ro_segmentation *work = making->work;
    const float *table = making->speed[sweep->label];
    const size_t at = (size_t)y * work->width;
    float *out = making->speed[sweep->label] + GREYS + at;
    const ro_speed *speed = &work->options.speed[sweep->label];
    const ro_image *factor = work->options.factor;
    const char *factors =
        factor ? (const char *)factor->data + (ptrdiff_t)y * factor->stride : NULL;
    if (speed->edge != 0)
        speed_edge_row(speed, making->edges, work->width, work->height, y, out);
    else
        memset(out, 0, work->width * sizeof *out);
    for (uint32_t x = 0; x < work->width; x++) {
        out[x] = table[making->smooth[at + x]] + out[x];
        if (factor)
            out[x] = (float)((double)out[x] * factor_at(factor, factors, x));
        if (fabs((double)out[x]) > figures->fastest)
            figures->fastest = fabs((double)out[x]);
    }
}

/* phi of a label as it starts, and its speed in pixels per unit of time. */
static ro_status start_label(struct making *making, int label)
{
    struct ro_segmentation *work = making->work;
    ro_segment_label *report = &work->report.label[label];
    ro_speed *speed = &work->options.speed[label];
    if (!ro_segment_has_seed(&work->options, label + 1))
        return RO_OK;
    ro_status status = make_front(work, label);
    if (status != RO_OK)
        return status;
    sweep_rows(making, label, work->height, seed_row);
    if (work->options.mask)
        status = seeds_add_mask(work->context, work->options.mask, label + 1, making->phi);
    if (status != RO_OK)
        return status;
    const struct figures inside = sweep_rows(making, label, work->height, start_row);
    report->used = inside.first <= inside.last;
    if (!report->used)
        return RO_OK;
    level_field_mirror(&work->front[label].level, &work->front[label].phi[0]);
    work->scale[label] = 1;
    if (!is_set(speed) && !work->options.velocity) {
        const size_t from = (size_t)inside.first * work->width;
        speed->window = 1;
        if (window_estimate(making->smooth + from, making->phi + from, work->width,
                            inside.last - inside.first + 1, making->least_window, &speed->low,
                            &speed->high) != RO_OK)
            return no_memory(work);
    }
    if (speed->window != 0) {
        report->low = speed->low;
        report->high = speed->high;
    }
    making->tabled[label] = !(speed->edge != 0) && !work->options.factor;
    const size_t pixels = making->tabled[label] ? 0 : (size_t)work->width * work->height;
    making->speed[label] = malloc((GREYS + pixels) * sizeof *making->speed[label]);
    if (!making->speed[label])
        return no_memory(work);
    making->fastest[label] = sweep_rows(making, label, TABLE_ROWS, table_row).fastest;
    if (!making->tabled[label])
        making->fastest[label] = sweep_rows(making, label, work->height, plane_row).fastest;
    if (making->fastest[label] == 0 && making->velocity == 0 && speed->curvature == 0)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "the speed of label %d is zero everywhere", label + 1);
    return RO_OK;
}

/* ---- The time step --------------------------------------------------------------------------- */

/* The largest for which every label is monotone, or the one asked for. */
static ro_status set_time(struct making *making)
{
    struct ro_segmentation *work = making->work;
    double largest = INFINITY;
    for (int i = 0; i < RO_LABELS; i++) {
        if (!work->report.label[i].used)
            continue;
        double rate = making->fastest[i] / level_bound(work->norm) + making->velocity +
                      4 * work->options.speed[i].curvature;
        largest = 1 / rate < largest ? 1 / rate : largest;
    }
    work->time_step = work->options.time_step > 0 ? work->options.time_step : largest;
    if (work->time_step > largest * (1 + 1e-9))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "a time step of %g is not monotone; the largest monotone one is %g",
                               work->time_step, largest);
    work->report.time_step = work->time_step;
    return RO_OK;
}

static double clamped(double value, double bound)
{
    return value > bound ? bound : value < -bound ? -bound : value;
}

/* Pixels a step in the units of the number system. */
static double unit_of(const struct level_number *number)
{
    return number->real ? 1 : 1 << number->bits;
}

/* What stands for a speed that was rounded to zero until it is stored. */
static const float FAINT = 0.25f;

static float scaled_speed(const struct ro_segmentation *work, float speed)
{
    const double one = unit_of(work->number);
    const double bound = work->number->real ? 1 : floor(level_bound(work->norm) * one);
    const double value = clamped((double)speed * work->time_step * one, bound);
    const float scaled =
        (float)(work->number->real ? value : rint(value)) + 0.0f; /* no negative zero */
    return scaled == 0 && speed != 0 && !work->number->real ? speed > 0 ? FAINT : -FAINT : scaled;
}

static bool is_faint(float scaled) { return fabsf(scaled) == FAINT; }

static void note_speed(struct figures *figures, const struct ro_segmentation *work, float scaled)
{
    if (!work->number->real && is_faint(scaled))
        figures->faint = true;
    else if (fabs((double)scaled) > figures->fastest)
        figures->fastest = fabs((double)scaled);
}

static void scale_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    float *table = making->speed[sweep->label];
    for (uint32_t i = y * (GREYS / TABLE_ROWS); i < (y + 1) * (GREYS / TABLE_ROWS); i++) {
        if (!making->seen[i])
            continue;
        table[i] = scaled_speed(making->work, table[i]);
        note_speed(figures, making->work, table[i]);
    }
}

/* Speeds in the number system, from the table, */
static void speed_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const struct ro_segmentation *work = making->work;
    const struct level_front *front = &work->front[sweep->label];
    const float *table = making->speed[sweep->label];
    const uint16_t *grey = making->smooth + (size_t)y * work->width;
    char *row = front->speed.data + y * front->speed.pitch;
    (void)figures;
    if (front->level.real)
        for (uint32_t x = 0; x < work->width; x++)
            ((float *)(void *)row)[x] = table[grey[x]];
    else
        for (uint32_t x = 0; x < work->width; x++)
            ((int16_t *)(void *)row)[x] = (int16_t)(int32_t)table[grey[x]];
}

/* or pixel by pixel. */
static void edge_speed_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const struct ro_segmentation *work = making->work;
    const struct level_front *front = &work->front[sweep->label];
    const float *plane = making->speed[sweep->label] + GREYS + (size_t)y * work->width;
    for (uint32_t x = 0; x < work->width; x++) {
        const float value = scaled_speed(work, plane[x]);
        level_put(&front->level, &front->speed, x, y, (double)value);
        note_speed(figures, work, value);
    }
}

/* The signs of the speeds that were rounded to zero. */
static void faint_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    struct making *making = sweep->making;
    const struct ro_segmentation *work = making->work;
    const float *table = making->speed[sweep->label];
    const size_t at = (size_t)y * work->width;
    int8_t *faint = work->faint[sweep->label] + at;
    (void)figures;
    for (uint32_t x = 0; x < work->width; x++) {
        const float value = making->tabled[sweep->label]
                                ? table[making->smooth[at + x]]
                                : scaled_speed(work, table[GREYS + at + x]);
        faint[x] = (int8_t)(is_faint(value) ? value > 0 ? 1 : -1 : 0);
    }
}

static void velocity_row(struct sweep *sweep, uint32_t y, struct figures *figures)
{
    const struct ro_segmentation *work = sweep->making->work;
    const struct front_level *level = &work->front[sweep->label].level;
    const double one = unit_of(work->number), carried = work->number->real ? 1 : one - 1;
    const float *velocity = work->options.velocity + 2 * (size_t)y * work->width;
    (void)figures;
    for (uint32_t x = 0; x < work->width; x++) {
        level_put(level, &work->vx, x, y,
                  clamped((double)velocity[2 * x] * work->time_step * one, carried));
        level_put(level, &work->vy, x, y,
                  clamped((double)velocity[2 * x + 1] * work->time_step * one, carried));
    }
}

ro_status fronts_make(struct ro_segmentation *work, const ro_image *in)
{
    struct making making = {.work = work};
    const float *velocity = work->options.velocity;
    for (size_t i = 0; velocity && i < (size_t)work->width * work->height; i++) {
        double size = fabs((double)velocity[2 * i]) + fabs((double)velocity[2 * i + 1]);
        making.velocity = size > making.velocity ? size : making.velocity;
    }
    ro_status status = read_image(&making, in);
    int any = -1;
    for (int i = 0; i < RO_LABELS && status == RO_OK; i++) {
        status = start_label(&making, i);
        any = work->report.label[i].used ? i : any;
    }
    if (status == RO_OK && any < 0)
        status = ro_context_fail(work->context, RO_E_ARGUMENT,
                                 "there is no seed: nothing of the image is inside a contour");
    if (status == RO_OK)
        status = set_time(&making);
    for (int i = 0; i < RO_LABELS && status == RO_OK; i++) {
        if (!work->report.label[i].used)
            continue;
        work->front[i].level.curvature = work->time_step * work->options.speed[i].curvature;
        struct figures figures;
        if (making.tabled[i]) {
            figures = sweep_rows(&making, i, TABLE_ROWS, scale_row);
            sweep_rows(&making, i, work->height, speed_row);
        } else {
            figures = sweep_rows(&making, i, work->height, edge_speed_row);
        }
        work->report.label[i].fastest = figures.fastest / unit_of(work->number);
        if (!work->number->real)
            work->report.label[i].slowest = 1 / (unit_of(work->number) * work->time_step);
        if (figures.faint) {
            work->faint[i] = malloc((size_t)work->width * work->height);
            if (work->faint[i])
                sweep_rows(&making, i, work->height, faint_row);
            else
                status = no_memory(work);
        }
    }
    if (status == RO_OK && velocity)
        sweep_rows(&making, any, work->height, velocity_row);
    free_making(&making);
    return status;
}

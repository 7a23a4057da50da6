/* SPDX-License-Identifier: MIT */
/* Images into the registration, and figures out of it. */
#include "register/image.h"

#include "context/context.h"
#include "core/image.h"
#include "cuda/cuda.h"
#include "register/cuda/register_cuda.h"
#include "register/start/matched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ro_status register_heard(const struct registration *flow)
{
    return ro_context_cancelled(flow->context)
               ? ro_context_fail(flow->context, RO_E_CANCELLED, "cancelled")
               : RO_OK;
}

int register_threads(const struct registration *flow, size_t pixels)
{
    enum { EACH = 1 << 16 };
    const size_t worth = pixels / EACH + 1;
    return worth < (size_t)flow->context->threads ? (int)worth : flow->context->threads;
}

struct woken {
    pass_task_fn *pass;
    void *data;
    int parts;
};

static void run_part(void *data, int thread)
{
    const struct woken *woken = data;
    woken->pass(woken->data, thread, woken->parts);
}

void register_pass(const struct registration *flow, size_t pixels, pass_task_fn *pass, void *data)
{
    const int most = pool_threads(flow->context->pool);
    struct woken woken = {pass, data, register_threads(flow, pixels)};
    woken.parts = woken.parts < most ? woken.parts : most;
    if (flow->team)
        team_pass(flow->team, pixels, pass, data);
    else
        pool_run(flow->context->pool, woken.parts, run_part, &woken);
}

/* ---- In ------------------------------------------------------------------------------------- */

static double sample_of(const ro_image *image, const void *row, size_t i)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return ((const uint8_t *)row)[i];
    case 2:
        return ((const uint16_t *)row)[i];
    default:
        return (double)((const float *)row)[i];
    }
}

/* A row as grey, white being 1; the grey of colours is that of the halftones. */
static void grey_row(const ro_image *image, uint32_t y, float *out)
{
    const void *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const bool floats = image->format == RO_GREYF || image->format == RO_RGBF;
    const double white = floats ? 1 : ro_image_white(image);
    if (!ro_format_is_colour(image->format))
        for (size_t x = 0; x < image->width; x++)
            out[x] = (float)(sample_of(image, row, x) / white);
    else
        for (size_t x = 0; x < image->width; x++)
            out[x] = (float)((13933 * sample_of(image, row, 3 * x) +
                              46871 * sample_of(image, row, 3 * x + 1) +
                              4732 * sample_of(image, row, 3 * x + 2)) /
                             65536 / white);
}

/* The same of a byte: such images are looked up, at the end. */
static float grey_of(const ro_image *image, int byte)
{
    return (float)(byte / (double)ro_image_white(image));
}

static void find_bytes(const ro_image *image, uint32_t y, float *low, float *high)
{
    const uint8_t *row = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
    uint8_t least = 255, most = 0;
    for (uint32_t x = 0; x < image->width; x++) {
        least = row[x] < least ? row[x] : least;
        most = row[x] > most ? row[x] : most;
    }
    *low = grey_of(image, least);
    *high = grey_of(image, most);
}

/* Rows are read by many threads; what was found in each is looked at in order afterwards. */
struct reading {
    const ro_context *context;
    const struct solver_grid *grid;
    struct {
        const ro_image *image;
        float *plane;
        float *low, *high; /* of each row */
    } of[2];
};

static void read_row(const struct reading *reading, int p, int y)
{
    const ro_image *image = reading->of[p].image;
    float *row = reading->of[p].plane + grid_at(reading->grid, y);
    float low = INFINITY, high = -INFINITY, sum = 0;
    if (image->format == RO_GREY8) {
        find_bytes(image, (uint32_t)y, &reading->of[p].low[y], &reading->of[p].high[y]);
        return;
    }
    grey_row(image, (uint32_t)y, row);
    for (uint32_t x = 0; x < image->width; x++) {
        sum += 0 * row[x]; /* not zero once one is no finite number */
        low = row[x] < low ? row[x] : low;
        high = row[x] > high ? row[x] : high;
    }
    reading->of[p].low[y] = sum == 0 ? low : NAN;
    reading->of[p].high[y] = high;
}

static void read_rows(void *data, int part, int parts)
{
    const struct reading *reading = data;
    for (int p = 0; p < 2; p++) {
        int y, to;
        for (team_share((int)reading->of[p].image->height, part, parts, &y, &to);
             y < to && !ro_context_cancelled(reading->context); y++)
            read_row(reading, p, y);
    }
}

/* The darkest and the lightest of all. */
static ro_status find_ends(struct registration *flow, const struct reading *reading, int p,
                           float *low, float *high)
{
    static const char *const roles[2] = {"moving", "fixed"};
    const ro_image *image = reading->of[p].image;
    ro_status status = RO_OK;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t y = 0; y < image->height && status == RO_OK; y++) {
        const float *row = reading->of[p].plane + grid_at(reading->grid, (int)y);
        const float least = reading->of[p].low[y], most = reading->of[p].high[y];
        for (uint32_t x = 0; isnan(least) && x < image->width && status == RO_OK; x++)
            if (!isfinite(row[x]))
                status = ro_context_fail(flow->context, RO_E_ARGUMENT,
                                         "the %s image at (%u, %u) is %g, not a finite number",
                                         roles[p], x, y, (double)row[x]);
        *low = least < *low ? least : *low;
        *high = most > *high ? most : *high;
    }
    if (status == RO_OK && !(*high > *low))
        status = ro_context_fail(flow->context, RO_E_ARGUMENT,
                                 "the %s image is constant: there is nothing to match", roles[p]);
    return status;
}

static ro_status read_both(struct registration *flow, const ro_image *const images[2], float low[2],
                           float high[2])
{
    struct reading reading = {.context = flow->context, .grid = &flow->grids.grid[0]};
    const size_t rows = (size_t)images[0]->height + images[1]->height;
    float *found = malloc(2 * rows * sizeof *found);
    if (!found)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for %zu rows", rows);
    float *next = found;
    for (int p = 0; p < 2; p++) {
        reading.of[p].image = images[p];
        reading.of[p].plane = flow->images[p];
        reading.of[p].low = next;
        reading.of[p].high = next + images[p]->height;
        next += 2 * (size_t)images[p]->height;
    }
    register_pass(flow, 2 * (size_t)flow->width * (size_t)flow->height, read_rows, &reading);
    ro_status status = register_heard(flow);
    for (int p = 1; p >= 0 && status == RO_OK; p--)
        status = find_ends(flow, &reading, p, &low[p], &high[p]);
    free(found);
    return status;
}

/* Tones become 0 to 1. */
struct stretching {
    struct registration *flow;
    struct {
        float low, by;
        const ro_image *bytes; /* that are looked up; NULL: the plane has the tones */
        float table[256];
    } of[2];
};

static void look_up(const ro_image *image, const float *restrict table, int y, float *restrict row)
{
    const uint8_t *restrict from = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
    const size_t width = image->width;
    for (size_t x = 0; x < width; x++)
        row[x] = table[from[x]];
}

static void stretch_row(const struct stretching *stretching, int p, int y)
{
    const struct registration *flow = stretching->flow;
    const struct solver_grid *grid = &flow->grids.grid[0];
    const int width = flow->size[p].width;
    const float low = stretching->of[p].low, by = stretching->of[p].by;
    float *row = flow->images[p] + grid_at(grid, y);
    if (stretching->of[p].bytes)
        look_up(stretching->of[p].bytes, stretching->of[p].table, y, row);
    for (int x = 0; x < width && !stretching->of[p].bytes; x++)
        row[x] = (row[x] - low) * by;
    for (int x = width; x < grid->width; x++) /* columns beyond repeat the last */
        row[x] = row[width - 1];
    row[-1] = row[mirror_index(-1, grid->width)];
    row[grid->width] = row[mirror_index(grid->width, grid->width)];
}

static void stretch_rows(void *data, int part, int parts)
{
    const struct stretching *stretching = data;
    for (int p = 0; p < 2; p++) {
        int y, to;
        for (team_share(stretching->flow->size[p].height, part, parts, &y, &to);
             y < to && !ro_context_cancelled(stretching->flow->context); y++)
            stretch_row(stretching, p, y);
    }
}

/* images[p], if it is not there from a search that came before. */
static ro_status make_plane(struct registration *flow, int p)
{
    const size_t floats = flow->grids.grid[0].floats + RO_GRID_MARGIN; /* vectors look on */
    if (flow->images[p])
        return RO_OK;
    if (flow->on_device)
        return register_on_cuda->plane(flow->context, p + 2 * flow->beside, floats * sizeof(float),
                                       &flow->images[p]);
    flow->images[p] = calloc(floats, sizeof(float));
    return flow->images[p]
               ? RO_OK
               : ro_context_fail(flow->context, RO_E_MEMORY, "no memory for %d x %d pixels",
                                 flow->width, flow->height);
}

ro_status register_load_images(struct registration *flow, const ro_image *fixed,
                               const ro_image *moving)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    const ro_image *const images[2] = {moving, fixed};
    static const char *const roles[2] = {"moving", "fixed"};
    float low[2], high[2];
    ro_status status = RO_OK;
    for (int p = 1; p >= 0 && status == RO_OK; p--) {
        if (images[p]->format == RO_BITS || images[p]->format == RO_INDEX8)
            return ro_context_fail(flow->context, RO_E_UNSUPPORTED,
                                   "the %s image must be grey or RGB, not %s", roles[p],
                                   ro_format_name(images[p]->format));
        status = make_plane(flow, p);
    }
    if (status == RO_OK)
        status = read_both(flow, images, low, high);
    if (status != RO_OK)
        return status;
    const float own[2][2] = {{low[0], high[0]}, {low[1], high[1]}};
    if (!flow->normalised) { /* tones mean the same in both images */
        low[0] = low[1] = low[0] < low[1] ? low[0] : low[1];
        high[0] = high[1] = high[0] > high[1] ? high[0] : high[1];
    }
    float by[2];
    for (int p = 0; p < 2; p++) {
        flow->contrast = (double)high[p] - (double)low[p];
        by[p] = (float)(1 / flow->contrast);
        if (!isfinite(by[p]) || !isfinite(flow->contrast * flow->contrast) || !(by[p] > 0))
            return ro_context_fail(flow->context, RO_E_ARGUMENT,
                                   "tones from %g to %g are beyond what floats can compare",
                                   (double)low[p], (double)high[p]);
    }
    struct stretching stretching = {.flow = flow};
    for (int p = 0; p < 2; p++) {
        stretching.of[p].low = low[p];
        stretching.of[p].by = by[p];
        flow->low[p] = low[p];
        flow->stretch[p] = by[p];
        stretching.of[p].bytes = images[p]->format == RO_GREY8 ? images[p] : NULL;
        for (int i = 0; i < 256 && stretching.of[p].bytes; i++)
            stretching.of[p].table[i] = (grey_of(images[p], i) - low[p]) * by[p];
        flow->darkest[p] = (own[p][0] - low[p]) * by[p];
        flow->lightest[p] = (own[p][1] - low[p]) * by[p];
    }
    register_pass(flow, 2 * (size_t)flow->width * (size_t)flow->height, stretch_rows, &stretching);
    for (int p = 0; p < 2; p++) {
        const float *last = flow->images[p] + grid_at(grid, flow->size[p].height - 1);
        for (int y = flow->size[p].height; y < grid->height; y++) /* rows below repeat the last */
            memcpy(flow->images[p] + grid_at(grid, y) - 1, last - 1,
                   ((size_t)grid->width + 2) * sizeof *last);
    }
    return register_heard(flow);
}

/* ---- Out ------------------------------------------------------------------------------------ */

/* How tones go together along a piece of a row, whatever their mean and spread. */
enum { PIECE = 32 };

struct piece {
    double m, f, mm, ff, mf;
    int count;
};

static void add_tones(struct piece *piece, double m, double f)
{
    piece->m += m;
    piece->f += f;
    piece->mm += m * m;
    piece->ff += f * f;
    piece->mf += m * f;
    piece->count++;
}

/* Adds the correlation of a whole piece in which both images have something, and clears it. */
static void end_piece(struct piece *piece, bool size, double *sum, uint64_t *pieces)
{
    const double n = PIECE, vm = piece->mm - piece->m * piece->m / n;
    const double vf = piece->ff - piece->f * piece->f / n;
    if (piece->count == PIECE && vm > 1e-5 * n && vf > 1e-5 * n) {
        const double alike = (piece->mf - piece->m * piece->f / n) / sqrt(vm * vf);
        *sum += size ? fabs(alike) : alike;
        ++*pieces;
    }
    *piece = (struct piece){0};
}

/* Figures of one row, summed row by row afterwards: the same for any number of threads. */
struct line {
    double before, after, square, jacobian, largest;
    uint64_t counted, matched, inside, folds;
    double alike[2]; /* before and after, and over how many pieces */
    uint64_t pieces[2];
};

struct figures {
    const struct registration *flow;
    const ro_image *field;
    struct line *lines;
    atomic_int ticket;
};

static double moving_at(const struct registration *flow, double x, double y)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    x = x < 0 ? 0 : x > flow->width - 1 ? flow->width - 1 : x;
    y = y < 0 ? 0 : y > flow->height - 1 ? flow->height - 1 : y;
    int ix = (int)x, iy = (int)y;
    ix -= ix > 0 && ix == flow->width - 1;
    iy -= iy > 0 && iy == flow->height - 1;
    const float *a = flow->images[0] + grid_at(grid, iy) + ix;
    const float *b = iy + 1 < grid->height ? a + grid->stride : a;
    double fx = x - ix, fy = y - iy;
    double top = a[0] + fx * ((double)a[1] - a[0]), low = b[0] + fx * ((double)b[1] - b[0]);
    return top + fy * (low - top);
}

/* Determinants of 1 + Du from the differences to the neighbours below and to the right. */
static double determinant(const float *row, const float *below, int x, int width)
{
    int right = x + 1 < width ? x + 1 : x;
    double xx = (double)row[2 * right] - row[2 * x],
           yx = (double)row[2 * right + 1] - row[2 * x + 1];
    double xy = (double)below[2 * x] - row[2 * x], yy = (double)below[2 * x + 1] - row[2 * x + 1];
    return (1 + xx) * (1 + yy) - xy * yx;
}

/* What a displacement may look beyond the border without being outside, in pixels. */
#define SLACK 1e-3

static bool is_seen(const struct registration *flow, double x, double y)
{
    x = x < 0 ? 0 : x > flow->width - 1 ? flow->width - 1 : x;
    y = y < 0 ? 0 : y > flow->height - 1 ? flow->height - 1 : y;
    return flow->keep[0][grid_at(&flow->grids.grid[0], (int)(y + 0.5)) + (size_t)(x + 0.5)] != 0;
}

static void describe_rows(void *data, int thread)
{
    struct figures *figures = data;
    const struct registration *flow = figures->flow;
    const ro_image *field = figures->field;
    int y;
    (void)thread;
    const int width = flow->size[1].width, height = flow->size[1].height;
    const double right = flow->size[0].width - 1 + SLACK;
    const double bottom = flow->size[0].height - 1 + SLACK;
    while ((y = atomic_fetch_add(&figures->ticket, 1)) < height &&
           !ro_context_cancelled(flow->context)) {
        const float *row =
            (const float *)(const void *)((const char *)field->data + (ptrdiff_t)y * field->stride);
        const char *next = (const char *)row + (y + 1 < height ? field->stride : 0);
        const float *below = (const float *)(const void *)next;
        const float *fixed = flow->images[1] + grid_at(&flow->grids.grid[0], y);
        struct line line = {.jacobian = INFINITY};
        const float *keep = flow->keep[1] ? flow->keep[1] + grid_at(&flow->grids.grid[0], y) : NULL;
        struct piece piece[2] = {{0}};
        for (int x = 0; x < width; x++) {
            double ux = row[2 * x], uy = row[2 * x + 1], length = ux * ux + uy * uy;
            double px = x + ux, py = y + uy;
            double was = moving_at(flow, x, y), is = moving_at(flow, px, py);
            double before = was - fixed[x], after = is - fixed[x];
            double jacobian = determinant(row, below, x, width);
            bool inside = px >= -SLACK && px <= right && py >= -SLACK && py <= bottom;
            bool counts = !keep || (keep[x] != 0 && is_seen(flow, px, py));
            line.before += counts ? before * before : 0;
            line.after += inside && counts ? after * after : 0;
            if (flow->normalised && counts)
                add_tones(&piece[0], was, fixed[x]);
            if (flow->normalised && counts && inside)
                add_tones(&piece[1], is, fixed[x]);
            for (int i = 0; x % PIECE == PIECE - 1 && i < 2; i++)
                end_piece(&piece[i], flow->sizes, &line.alike[i], &line.pieces[i]);
            line.counted += counts;
            line.matched += inside && counts;
            line.inside += inside;
            line.square += length;
            line.largest = length > line.largest ? length : line.largest;
            if (flow->automatic && (x + 1 == width || y + 1 == height) && width > 1 && height > 1)
                continue; /* it has no neighbour: of a field that turns all round this is no fold */
            line.jacobian = jacobian < line.jacobian ? jacobian : line.jacobian;
            line.folds += jacobian <= 0;
        }
        figures->lines[y] = line;
    }
}

/* Tones that were stretched apart are compared by how they go together. */
static bool is_worse(const struct registration *flow, const struct line *sum)
{
    const ro_register_report *report = &flow->report;
    if (flow->normalised && sum->pieces[0] && sum->pieces[1])
        return sum->alike[1] / (double)sum->pieces[1] < sum->alike[0] / (double)sum->pieces[0];
    return report->energy_after > report->energy_before;
}

/* What speaks for the result, as a number from 0 to 1; 0.5 is enough. The limits are from pairs of
 * images of which the truth is known (docs/register.md). */
static double confidence_of(const struct field_evidence *evidence, double residual)
{
    static const double FAR = 3; /* pixels that a map may miss by */
    const double support = evidence->support;
    if (evidence->fast)
        return residual > FAR ? 0.49 * FAR / residual : evidence->alike;
    if (!evidence_suffices(evidence))
        return 0.49 * (support < RO_MANY_MATCHES ? support / RO_MANY_MATCHES : 1);
    return support < RO_MANY_MATCHES ? 0.5 : 1 - 0.5 * RO_MANY_MATCHES / support;
}

static unsigned use_of(const struct registration *flow, const struct line *sum)
{
    static const double MOST_FOLDS = 0.01, LEAST_OVERLAP = 0.1;
    const ro_register_report *report = &flow->report;
    const double pixels = (double)flow->size[1].width * flow->size[1].height;
    const bool judged = flow->evidence.judged;
    return ((double)report->folds > MOST_FOLDS * pixels ? RO_REGISTER_FOLDS : 0U) |
           (report->outside > (judged ? 1 - LEAST_OVERLAP : 0.5) ? RO_REGISTER_LEAVES : 0U) |
           (!judged && is_worse(flow, sum) ? RO_REGISTER_WORSE : 0U) |
           (judged && report->confidence < 0.5 ? RO_REGISTER_UNSURE : 0U);
}

ro_status register_describe(struct registration *flow, const ro_image *field)
{
    ro_register_report *report = &flow->report;
    struct figures figures = {.flow = flow, .field = field};
    struct line sum = {.jacobian = INFINITY};
    const int height = flow->size[1].height;
    const double pixels = (double)flow->size[1].width * height;
    figures.lines = calloc((size_t)height, sizeof *figures.lines);
    if (!figures.lines)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for figures of %d rows",
                               height);
    pool_run(flow->context->pool, flow->context->threads, describe_rows, &figures);
    for (int y = 0; y < height; y++) {
        const struct line *line = &figures.lines[y];
        sum.before += line->before;
        sum.after += line->after;
        sum.square += line->square;
        sum.counted += line->counted;
        sum.matched += line->matched;
        sum.inside += line->inside;
        for (int i = 0; i < 2; i++) {
            sum.alike[i] += line->alike[i];
            sum.pieces[i] += line->pieces[i];
        }
        sum.folds += line->folds;
        sum.largest = line->largest > sum.largest ? line->largest : sum.largest;
        sum.jacobian = line->jacobian < sum.jacobian ? line->jacobian : sum.jacobian;
    }
    free(figures.lines);
    const ro_status status = register_heard(flow);
    if (status != RO_OK)
        return status;
    /* tones that were stretched apart from each other are compared as they are now */
    const double unit = flow->normalised ? 0.5 : 0.5 * flow->contrast * flow->contrast;
    report->number = flow->options.number;
    report->match = flow->sizes ? "ncc-size" : flow->normalised ? "ncc" : "ssd";
    report->negative = flow->negative;
    report->noise = flow->noise;
    report->scales = (uint32_t)flow->scales;
    report->energy_before = sum.counted ? unit * sum.before / (double)sum.counted : 0;
    report->energy_after = sum.matched ? unit * sum.after / (double)sum.matched : 0;
    report->counted = (double)sum.counted / pixels;
    report->rms = sqrt(sum.square / pixels);
    report->largest = sqrt(sum.largest);
    report->jacobian = sum.jacobian;
    report->folds = sum.folds;
    report->outside = 1 - (double)sum.inside / pixels;
    report->confidence =
        flow->evidence.judged ? confidence_of(&flow->evidence, report->residual) : -1;
    report->matches = (uint32_t)flow->evidence.matches;
    report->support = (uint32_t)flow->evidence.support;
    report->directions = flow->evidence.judged ? flow->evidence.directions : -1;
    report->descended = !flow->evidence.judged || flow->evidence.fast || flow->evidence.descended;
    report->useless = use_of(flow, &sum);
    for (uint32_t i = 0; report->record && i < report->steps; i++)
        report->record[i].energy *= flow->normalised ? 1 : 2 * unit;
    return RO_OK;
}

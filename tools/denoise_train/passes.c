/* SPDX-License-Identifier: MIT */
/*
 * The three kernels K u, K' y and the gradient of the taps keep 15 to 20 sums in registers and are
 * bound by fused multiply-adds. Whole filters and fluxes act in both directions; their gradient is
 * taken as if they were not rounded.
 */
#include "passes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *zeros(size_t size)
{
    size = (size + 127) & ~(size_t)63; /* kernels may read one vector too many */
    void *memory = aligned_alloc(64, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

static size_t image_size(const struct passes *p)
{
    return sizeof(real) * (p->height + 2 * BORDER) * p->stride;
}

struct passes *passes_open(int height, int width, const struct weights *w, bool back)
{
    struct passes *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->height = height, p->width = width, p->back = back;
    p->steps = w->steps, p->filters = w->filters;
    p->vectors = (width + 3 * LANES - 1) / (3 * LANES) * 3;
    p->stride = p->vectors * LANES + 3 * FLUX_BORDER;
    p->flux_stride = p->vectors * LANES + 4 * FLUX_BORDER;
    size_t image = image_size(p), row = sizeof(real) * p->filters * p->vectors * LANES;
    size_t rows = sizeof(real) * p->filters * p->flux_stride * (back ? BLOCK : 1);
    bool good = true;
    for (int t = 0; t <= p->steps; t++) {
        p->state[t] = t < 2 || back ? zeros(image) : p->state[t - 2];
        good = good && p->state[t];
    }
    for (int t = 0; t < p->steps && w->bytes && w->whole; t++) {
        p->rounded[t] = !t || back ? zeros(image) : p->rounded[0];
        good = good && p->rounded[t];
    }
    good = good && (p->input = zeros(image)) && (p->truth = zeros(image)) &&
           (p->change = zeros(image)) && (p->slope = zeros(image)) &&
           (!back || (p->response = zeros(row * height * p->steps))) &&
           (p->response_row = zeros(row)) && (p->flux = zeros(rows)) &&
           (p->flux_slope = zeros(rows)) &&
           (p->of_taps = zeros(sizeof(vec) * MOST_FILTERS * TAPS)) &&
           (p->of_amplitudes = zeros(sizeof(vec) * MOST_FILTERS * CLAMPS));
    if (good)
        return p;
    passes_close(p);
    return NULL;
}

void passes_close(struct passes *p)
{
    if (!p)
        return;
    for (int t = 0; t <= p->steps; t++)
        if (t < 2 || p->back)
            free(p->state[t]);
    for (int t = 0; t < p->steps; t++)
        if (!t || p->back)
            free(p->rounded[t]);
    void *parts[] = {p->input,        p->truth, p->change,     p->slope,   p->response,
                     p->response_row, p->flux,  p->flux_slope, p->of_taps, p->of_amplitudes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(p);
}

static void replicate_edges(const struct passes *p, real *image)
{
    for (int y = 0; y < p->height; y++)
        for (int e = 1; e <= BORDER; e++) {
            image[pixel_at(p, y, -e)] = image[pixel_at(p, y, 0)];
            image[pixel_at(p, y, p->width - 1 + e)] = image[pixel_at(p, y, p->width - 1)];
        }
    real *first = image + BORDER * p->stride, *last = first + (p->height - 1) * p->stride;
    for (int e = 1; e <= BORDER; e++) {
        memcpy(first - e * p->stride, first, p->stride * sizeof *image);
        memcpy(last + e * p->stride, last, p->stride * sizeof *image);
    }
}

/* Adds the border to the edges: the adjoint of replicate_edges. */
static void fold_edges(const struct passes *p, real *image)
{
    int height = p->height, width = p->width;
    for (int y = -BORDER; y < height + BORDER; y++)
        for (int e = 1; e <= BORDER; e++) {
            image[pixel_at(p, y, 0)] += image[pixel_at(p, y, -e)];
            image[pixel_at(p, y, width - 1)] += image[pixel_at(p, y, width - 1 + e)];
        }
    for (int e = 1; e <= BORDER; e++)
        for (int x = 0; x < width; x++) {
            image[pixel_at(p, 0, x)] += image[pixel_at(p, -e, x)];
            image[pixel_at(p, height - 1, x)] += image[pixel_at(p, height - 1 + e, x)];
        }
}

/* Applies all filters, with taps `distance` apart, to the row that starts at `row`. */
static void filter_row(const struct passes *p, const real *row, int distance, const real *taps,
                       real *out)
{
    int count = p->vectors * LANES;
    row -= 2 * distance * (p->stride + 1);
    for (int f = 0; f < p->filters; f += TILE, taps += TILE * TAPS, out += TILE * count)
        for (int x = 0; x < count; x += 3 * LANES) {
            vec sum[TILE][3] = {0};
            for (int dy = 0; dy < 5; dy++)
                UNROLL for (int dx = 0; dx < 5; dx++)
                {
                    const real *at = row + x + (dy * p->stride + dx) * distance;
                    const real *tap = taps + (dy * 5 + dx) * TILE;
                    vec u0 = load(at), u1 = load(at + LANES), u2 = load(at + 2 * LANES);
                    UNROLL for (int i = 0; i < TILE; i++)
                    {
                        sum[i][0] += tap[i] * u0;
                        sum[i][1] += tap[i] * u1;
                        sum[i][2] += tap[i] * u2;
                    }
                }
            UNROLL for (int i = 0; i < TILE; i++) UNROLL for (int c = 0; c < 3; c++) *
                (vec *)(out + i * count + x + c * LANES) = sum[i][c];
        }
}

/* Adds the fluxes of all filters around `columns` vectors to five rows of an image. */
INLINE void spread_tile(const int columns, const struct passes *p, real *out, const real *flux,
                        int distance, const real *taps)
{
    vec sum[5][4];
    int stride = p->stride * distance;
    UNROLL for (int r = 0; r < 5; r++) UNROLL for (int c = 0; c < columns; c++) sum[r][c] =
        load(out + r * stride + c * LANES);
    for (int f = 0; f < p->filters; f++, flux += p->flux_stride, taps += TAPS)
        UNROLL for (int dx = 0; dx < 5; dx++)
        {
            vec y[4];
            UNROLL for (int c = 0; c < columns; c++) y[c] = load(flux - dx * distance + c * LANES);
            UNROLL for (int r = 0; r < 5; r++)
            {
                vec tap = splat(taps[dx * 5 + r]);
                UNROLL for (int c = 0; c < columns; c++) sum[r][c] += tap * y[c];
            }
        }
    UNROLL for (int r = 0; r < 5; r++) UNROLL for (int c = 0; c < columns; c++)
        store(out + r * stride + c * LANES, sum[r][c]);
}

static void spread_row(const struct passes *p, real *row, const real *flux, int distance,
                       const real *taps)
{
    int count = (p->width + 4 * distance + LANES - 1) / LANES;
    row -= 2 * distance * (p->stride + 1);
    flux += FLUX_BORDER;
    for (int v = 0; v < count; v += 4, row += 4 * LANES, flux += 4 * LANES)
        if (count - v >= 4)
            spread_tile(4, p, row, flux, distance, taps);
        else if (count - v == 3)
            spread_tile(3, p, row, flux, distance, taps);
        else
            spread_tile(2, p, row, flux, distance, taps); /* strides leave room for one too many */
}

INLINE void add_products(vec sum[4][5], const real *left, int left_stride, const real *right,
                         int distance)
{
    vec l0 = *(vec *)left, l1 = *(vec *)(left + left_stride);
    vec l2 = *(vec *)(left + 2 * left_stride), l3 = *(vec *)(left + 3 * left_stride);
    UNROLL for (int dx = 0; dx < 5; dx++)
    {
        vec r = load(right + dx * distance);
        sum[0][dx] += l0 * r;
        sum[1][dx] += l1 * r;
        sum[2][dx] += l2 * r;
        sum[3][dx] += l3 * r;
    }
}

/* Adds the products of a block's rows to the gradient of the taps: a filter's taps act on the
 * image, with the slope of its flux, and on the slope of the image, with its flux. */
static void add_tap_gradient(struct passes *p, int step, int first_row, int rows, int distance)
{
    const real *image = p->seen[step] + pixel_at(p, first_row, 0) - 2 * distance * (p->stride + 1);
    const real *slope = p->slope + pixel_at(p, first_row, 0) - 2 * distance * (p->stride + 1);
    for (int f = 0; f < p->filters; f += 4)
        for (int dy = 0; dy < 5; dy++) {
            vec sum[4][5];
            UNROLL for (int i = 0; i < 4; i++) UNROLL for (int dx = 0; dx < 5; dx++) sum[i][dx] =
                p->of_taps[(f + i) * TAPS + dy * 5 + dx];
            for (int r = 0; r < rows; r++) {
                int at = (r * p->filters + f) * p->flux_stride + FLUX_BORDER;
                int above = (r + dy * distance) * p->stride;
                for (int x = 0; x < p->vectors * LANES; x += LANES) {
                    add_products(sum, p->flux_slope + at + x, p->flux_stride, image + above + x,
                                 distance);
                    add_products(sum, p->flux + at + x, p->flux_stride, slope + above + x,
                                 distance);
                }
            }
            UNROLL for (int i = 0; i < 4; i++) UNROLL for (int dx = 0; dx < 5; dx++)
                p->of_taps[(f + i) * TAPS + dy * 5 + dx] = sum[i][dx];
        }
}

/*
 * Computes the fluxes of a row of responses. On the way back, `above` is the gradient with respect
 * to the fluxes; the gradients with respect to the responses and the amplitudes follow from it.
 */
INLINE void flux_row(const bool back, const bool whole, const struct passes *p,
                     const double *amplitudes, real unit, const real *response, real *flux,
                     real *above, real *flux_slope, vec *of_amplitudes)
{
    int count = p->vectors * LANES;
    vec amplitude[CLAMPS], limit[CLAMPS], sum[CLAMPS] = {0};
    vec coarse = splat(FLUX_LEVELS / CLAMP_REACH), fine = splat(CLAMP_REACH / FLUX_LEVELS);
    vec units = splat(unit), per_unit = splat(unit > 0 ? 1 / unit : 0);
    for (int j = 0; j < CLAMPS; j++) {
        amplitude[j] = splat(amplitudes[j]);
        limit[j] = splat(clamp_at[j]);
        if (back)
            sum[j] = of_amplitudes[j];
    }
    for (int x = p->width; back && x < count; x++)
        above[x] = 0;
    for (int x = 0; x < count; x += LANES) {
        vec z = *(vec *)(response + x), g = back ? *(vec *)(above + x) : z;
        mask_vec sign = sign_of(z);
        vec size = flip(z, sign), signed_g = flip(g, sign), y = {0}, slope = {0};
        if (whole)
            size = nearest_vec(minimum(size, splat(CLAMP_REACH + 1)) * coarse) * fine;
        UNROLL for (int j = 0; j < CLAMPS; j++)
        {
            vec clamped = minimum(size, limit[j]);
            y += amplitude[j] * clamped;
            if (back) {
                sum[j] += signed_g * clamped;
                slope = add_where_below(slope, size, limit[j], amplitude[j]);
            }
        }
        if (whole)
            y = nearest_vec(y * per_unit) * units;
        *(vec *)(flux + x) = flip(y, sign);
        if (back)
            *(vec *)(flux_slope + x) = slope * g;
    }
    for (int j = 0; back && j < CLAMPS; j++)
        of_amplitudes[j] = sum[j];
    for (int x = p->width; x < count; x++)
        flux[x] = 0;
}

static void flux_rows(bool back, struct passes *p, const struct weights *w, int t, int row,
                      const real *response)
{
    size_t count = (size_t)p->vectors * LANES;
    for (int f = 0; f < p->filters; f++) {
        const double *amplitudes = w->value + amplitude_at(w, t, f);
        size_t at = (size_t)(row * p->filters + f) * p->flux_stride + FLUX_BORDER;
        real unit = w->flux_unit[t], *above = p->response_row + f * count;
        if (!back && !w->whole)
            flux_row(false, false, p, amplitudes, unit, response + f * count, p->flux + at, NULL,
                     NULL, NULL);
        else if (!back)
            flux_row(false, true, p, amplitudes, unit, response + f * count, p->flux + at, NULL,
                     NULL, NULL);
        else if (!w->whole)
            flux_row(true, false, p, amplitudes, unit, response + f * count, p->flux + at, above,
                     p->flux_slope + at, p->of_amplitudes + f * CLAMPS);
        else
            flux_row(true, true, p, amplitudes, unit, response + f * count, p->flux + at, above,
                     p->flux_slope + at, p->of_amplitudes + f * CLAMPS);
    }
}

/* Rounds a state to whole grey levels of a byte. */
static void round_state(struct passes *p, const real *state, real *rounded)
{
    vec levels = splat(p->levels), units = splat(1 / p->levels);
    for (int y = 0; y < p->height; y++) {
        size_t at = pixel_at(p, y, 0);
        for (int x = 0; x < p->width; x += LANES) {
            vec v = minimum(load(state + at + x) * levels, splat(255));
            store(rounded + at + x, nearest_vec(-minimum(-v, splat(0))) * units);
        }
    }
}

static real pull_of(const struct weights *w, int t) { return fmax(w->value[pull_at(w, t)], 0); }

void passes_forward(struct passes *p, const struct weights *w)
{
    size_t row_size = (size_t)p->filters * p->vectors * LANES;
    memcpy(p->state[0], p->input, image_size(p));
    for (int t = 0; t < p->steps; t++) {
        const real *state = p->state[t];
        real *next = p->state[t + 1], pull = pull_of(w, t);
        p->seen[t] = p->state[t];
        if (p->levels > 0 && p->rounded[t])
            round_state(p, state, p->seen[t] = p->rounded[t]);
        replicate_edges(p, p->seen[t]);
        memset(p->change, 0, image_size(p));
        for (int y = 0; y < p->height; y++) {
            real *response =
                p->back ? p->response + ((size_t)t * p->height + y) * row_size : p->response_row;
            filter_row(p, p->seen[t] + pixel_at(p, y, 0), w->distance[t], w->packed[t], response);
            flux_rows(false, p, w, t, 0, response);
            spread_row(p, p->change + pixel_at(p, y, 0), p->flux, w->distance[t],
                       w->packed_back[t]);
        }
        fold_edges(p, p->change);
        for (int y = 0; y < p->height; y++)
            for (size_t i = pixel_at(p, y, 0), end = i + p->width; i < end; i++)
                next[i] = state[i] - p->change[i] - pull * (state[i] - p->input[i]);
    }
}

double passes_error(struct passes *p)
{
    double sum = 0, count = (double)(p->height - 2 * LEFT_OUT) * (p->width - 2 * LEFT_OUT);
    memset(p->slope, 0, image_size(p));
    for (int y = LEFT_OUT; y < p->height - LEFT_OUT; y++)
        for (size_t i = pixel_at(p, y, LEFT_OUT), end = i + p->width - 2 * LEFT_OUT; i < end; i++) {
            p->slope[i] = p->state[p->steps][i] - p->truth[i];
            sum += (double)p->slope[i] * p->slope[i];
        }
    for (size_t i = 0; i < image_size(p) / sizeof(real); i++)
        p->slope[i] *= -2 / sum;
    return sum / count;
}

void passes_backward(struct passes *p, const struct weights *w, double *of_taps, double *of_others)
{
    size_t row_size = (size_t)p->filters * p->vectors * LANES;
    for (int t = p->steps - 1; t >= 0; t--) {
        real pull = pull_of(w, t);
        double of_pull = 0;
        for (int y = 0; y < p->height; y++)
            for (size_t i = pixel_at(p, y, 0), end = i + p->width; i < end; i++)
                of_pull += p->slope[i] * (p->state[t][i] - p->input[i]);
        of_others[pull_at(w, t)] = pull > 0 ? of_pull : 0;
        replicate_edges(p, p->slope);
        memset(p->change, 0, image_size(p));
        memset(p->of_taps, 0, sizeof(vec) * MOST_FILTERS * TAPS);
        memset(p->of_amplitudes, 0, sizeof(vec) * MOST_FILTERS * CLAMPS);
        for (int first = 0; first < p->height; first += BLOCK) {
            int rows = p->height - first < BLOCK ? p->height - first : BLOCK;
            for (int r = 0; r < rows; r++) {
                size_t at = pixel_at(p, first + r, 0);
                filter_row(p, p->slope + at, w->distance[t], w->packed[t], p->response_row);
                flux_rows(true, p, w, t, r,
                          p->response + ((size_t)t * p->height + first + r) * row_size);
                if (t)
                    spread_row(p, p->change + at,
                               p->flux_slope + (size_t)r * p->filters * p->flux_stride,
                               w->distance[t], w->packed_back[t]);
            }
            add_tap_gradient(p, t, first, rows, w->distance[t]);
        }
        for (int f = 0; f < p->filters; f++) {
            for (int i = 0; i < TAPS; i++)
                of_taps[(t * p->filters + f) * TAPS + i] = lane_sum(p->of_taps[f * TAPS + i]);
            for (int j = 0; j < CLAMPS; j++)
                of_others[amplitude_at(w, t, f) + j] = lane_sum(p->of_amplitudes[f * CLAMPS + j]);
        }
        fold_edges(p, p->change);
        for (int y = 0; y < p->height; y++)
            for (size_t i = pixel_at(p, y, 0), end = i + p->width; i < end; i++)
                p->slope[i] = (1 - pull) * p->slope[i] - p->change[i];
    }
}

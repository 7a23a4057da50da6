/* SPDX-License-Identifier: MIT */
#include "register/start/evidence.h"
#include "thread/team.h"

#include <math.h>
#include <stdlib.h>

static double clamp_to(double x, double last) { return x > 0 ? x < last ? x : last : 0; }

/* Where a place of the fixed copy comes to lie in the moving copy: u is that of the pixel nearest
 * to it. */
static inline struct point follow(const struct found_start *start, const ro_image *field,
                                  struct point at)
{
    const double in = start->copy[1].shrink, out = 1 / start->copy[0].shrink; /* a power of two */
    const double x = (at.x + 0.5) * in - 0.5, y = (at.y + 0.5) * in - 0.5;
    const ptrdiff_t ix = (ptrdiff_t)(clamp_to(x, field->width / 2 - 1.0) + 0.5);
    const ptrdiff_t iy = (ptrdiff_t)(clamp_to(y, field->height - 1.0) + 0.5);
    const float *u = (const float *)(const void *)((const char *)field->data + iy * field->stride);
    return (struct point){(x + (double)u[2 * ix] + 0.5) * out - 0.5,
                          (y + (double)u[2 * ix + 1] + 0.5) * out - 0.5};
}

/* ---- Matches --------------------------------------------------------------------------------- */

bool evidence_open(const struct found_start *start, const ro_image *field,
                   struct evidence *evidence)
{
    *evidence = (struct evidence){.directions = -1};
    evidence->off = malloc(((size_t)start->count + 1) * sizeof *evidence->off);
    if (!evidence->off)
        return false;
    for (int i = 0; i < start->count; i++) {
        const struct start_match *match = &start->matches[i];
        const struct point to = follow(start, field, match->fixed);
        evidence->off[i] = hypot(to.x - match->moving.x, to.y - match->moving.y);
    }
    evidence->support = count_support(start, evidence->off, field_tolerance(start));
    return evidence->support >= 0;
}

void evidence_close(struct evidence *evidence)
{
    free(evidence->off);
    *evidence = (struct evidence){0};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double evidence_median(const struct found_start *start, const struct evidence *of,
                       const struct evidence *other)
{
    const double within = field_tolerance(start);
    double *some = malloc(((size_t)start->count + 1) * sizeof *some), median = INFINITY;
    int count = 0;
    for (int i = 0; some && i < start->count; i++)
        if (of->off[i] < within || other->off[i] < within)
            some[count++] = fmin(of->off[i], 3 * within);
    if (count >= 3) {
        qsort(some, (size_t)count, sizeof *some, by_size);
        median = 0.5 * (some[(count - 1) / 2] + some[count / 2]);
    }
    free(some);
    return median;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

enum { BLOCK = 16, REACH = 8, AWAY = 12, SHIFTS = 9 };

/* Where a block is looked for: here, and at eight places near. */
static const int shifts[SHIFTS][2] = {{0, 0}, {AWAY, 0}, {-AWAY, 0}, {0, AWAY}, {0, -AWAY},
                                      {9, 9}, {-9, 9},   {9, -9},    {-9, -9}};

/* Both images on the fixed copy's pixels, flattened, and their gradients: the square roots of their
 * lengths, turned by twice their angles. */
struct scene {
    struct thread_team *team;
    const struct start_kernels *kernels;
    const struct found_start *start;
    const ro_image *field;
    int width, height;
    float *tone[2]; /* moving, fixed */
    float *cosine[2], *sine[2], *weight[2];
    uint8_t *seen;          /* 1: both are there */
    float *plane[2], *wide; /* scratch; `wide`: of the moving copy */
    double *sums[2];        /* of tones and squares over all above and to the left */
    int *found;             /* of each row of blocks: blocks, and those that are best here */
};

static bool counts(const struct start_copy *copy, int x, int y)
{
    return !copy->keep || copy->keep[(size_t)y * (size_t)copy->width + (size_t)x];
}

/* The moving image at the places where the field leads. */
static void pull_rows(void *data, int part, int parts)
{
    const struct scene *s = data;
    const struct start_copy *moving = &s->start->copy[0];
    const double right = moving->width - 1, bottom = moving->height - 1;
    int y, to;
    for (team_share(s->height, part, parts, &y, &to); y < to; y++)
        for (int x = 0; x < s->width; x++) {
            const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            const struct point p = follow(s->start, s->field, (struct point){x, y});
            const double px = clamp_to(p.x, right), py = clamp_to(p.y, bottom);
            const int ix = (int)px < moving->width - 1 ? (int)px : moving->width - 2;
            const int iy = (int)py < moving->height - 1 ? (int)py : moving->height - 2;
            const float *a = s->wide + (size_t)iy * (size_t)moving->width + (size_t)ix;
            const float *b = a + moving->width;
            const float fx = (float)(px - ix), fy = (float)(py - iy);
            const float top = a[0] + fx * (a[1] - a[0]), low = b[0] + fx * (b[1] - b[0]);
            s->plane[0][at] = top + fy * (low - top);
            s->seen[at] = p.x >= 0 && p.y >= 0 && p.x <= right && p.y <= bottom &&
                          counts(&s->start->copy[1], x, y) &&
                          counts(moving, (int)(px + 0.5), (int)(py + 0.5));
        }
}

/* Tones less their mean, by the deviation, of 17 x 17 pixels; 0 where nothing is seen. */
static void flatten(struct scene *s, const float *in, float *out)
{
    const size_t wide = (size_t)s->width + 1;
    for (size_t x = 0; x < wide; x++)
        s->sums[0][x] = s->sums[1][x] = 0;
    for (int y = 0; y < s->height; y++) {
        double line[2] = {0, 0};
        const size_t row = (size_t)(y + 1) * wide;
        s->sums[0][row] = s->sums[1][row] = 0;
        for (size_t x = 0; x < (size_t)s->width; x++) {
            const double tone = (double)in[(size_t)y * (size_t)s->width + x];
            line[0] += tone;
            line[1] += tone * tone;
            for (int k = 0; k < 2; k++)
                s->sums[k][row + x + 1] = s->sums[k][row + x + 1 - wide] + line[k];
        }
    }
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            const size_t x0 = (size_t)(x > REACH ? x - REACH : 0);
            const size_t y0 = (size_t)(y > REACH ? y - REACH : 0) * wide;
            const size_t x1 = (size_t)(x + REACH < s->width ? x + REACH + 1 : s->width);
            const size_t y1 = (size_t)(y + REACH < s->height ? y + REACH + 1 : s->height) * wide;
            const double count = (double)((x1 - x0) * ((y1 - y0) / wide));
            double mean[2];
            for (int k = 0; k < 2; k++)
                mean[k] = (s->sums[k][y1 + x1] - s->sums[k][y1 + x0] - s->sums[k][y0 + x1] +
                           s->sums[k][y0 + x0]) /
                          count;
            const double spread = mean[1] - mean[0] * mean[0];
            out[at] =
                s->seen[at]
                    ? (float)(((double)in[at] - mean[0]) / sqrt((spread > 0 ? spread : 0) + 2e-4))
                    : 0;
        }
}

static void take_gradients(void *data, int part, int parts)
{
    const struct scene *s = data;
    const ptrdiff_t width = s->width;
    int i, to;
    for (team_share(2 * s->height, part, parts, &i, &to); i < to; i++) {
        const int p = i / s->height, y = i % s->height;
        for (int x = 0; x < s->width; x++) {
            const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            const bool rim = x == 0 || y == 0 || x + 1 == s->width || y + 1 == s->height;
            const float *b = s->tone[p] + at, *a = rim ? b : b - width, *c = rim ? b : b + width;
            const int r = rim ? 0 : 1;
            const float dx = (a[r] - a[-r]) + 2 * (b[r] - b[-r]) + (c[r] - c[-r]);
            const float dy = (c[-r] - a[-r]) + 2 * (c[0] - a[0]) + (c[r] - a[r]);
            const float square = dx * dx + dy * dy, length = sqrtf(square) + 1e-6f;
            const float by = 1 / (length * sqrtf(length)); /* root of the length by its square */
            s->cosine[p][at] = by * (dx * dx - dy * dy);
            s->sine[p][at] = by * 2 * dx * dy;
            s->weight[p][at] = sqrtf(length);
        }
    }
}

/* How well a block goes with the one some way off, -1 to 1; -1 where too little is there. */
static double compare(const struct scene *s, int bx, int by, const int shift[2], bool *good)
{
    double n = 0, a = 0, aa = 0, g = 0, gg = 0, product = 0, weight = 0;
    for (int y = by; y < by + BLOCK; y++) {
        const int my = y - shift[1];
        if (my < 0 || my >= s->height)
            continue;
        const int first = bx < shift[0] ? shift[0] : bx;
        const int end = bx + BLOCK - shift[0] > s->width ? s->width + shift[0] : bx + BLOCK;
        const size_t f = (size_t)y * (size_t)s->width;
        const ptrdiff_t m = (ptrdiff_t)my * s->width - shift[0];
        float line[7] = {0};
        for (int x = first; x < end; x++) {
            const float both = (float)(s->seen[f + (size_t)x] & s->seen[m + x]);
            const float p = s->tone[1][f + (size_t)x], q = s->tone[0][m + x];
            line[0] += both;
            line[1] += both * p;
            line[2] += both * p * p;
            line[3] += both * q;
            line[4] += both * q * q;
            line[5] += both * (s->cosine[1][f + (size_t)x] * s->cosine[0][m + x] +
                               s->sine[1][f + (size_t)x] * s->sine[0][m + x]);
            line[6] += both * s->weight[1][f + (size_t)x] * s->weight[0][m + x];
        }
        n += (double)line[0];
        a += (double)line[1];
        aa += (double)line[2];
        g += (double)line[3];
        gg += (double)line[4];
        product += (double)line[5];
        weight += (double)line[6];
    }
    *good = n >= 0.75 * BLOCK * BLOCK && aa / n - a * a / (n * n) > 0.1 &&
            gg / n - g * g / (n * n) > 0.1;
    return *good ? product / (weight > 1e-6 ? weight : 1e-6) : -1;
}

static void compare_blocks(void *data, int part, int parts)
{
    const struct scene *s = data;
    int row, to;
    for (team_share(s->height / BLOCK, part, parts, &row, &to); row < to; row++) {
        int blocks = 0, best = 0;
        for (int bx = 0; bx + BLOCK <= s->width; bx += BLOCK) {
            bool good, ignored;
            const double here = compare(s, bx, row * BLOCK, shifts[0], &good);
            bool most = good;
            for (int i = 1; i < SHIFTS && most; i++)
                most = here > compare(s, bx, row * BLOCK, shifts[i], &ignored);
            blocks += good;
            best += most;
        }
        s->found[2 * row] = blocks;
        s->found[2 * row + 1] = best;
    }
}

/* Pixels of the moving copy to one of the fixed copy, from places eight apart. */
static double growth_of(const struct found_start *start, const ro_image *field)
{
    enum { STEP = 8 };
    const struct start_copy *copy = &start->copy[1];
    double area = 0, count = 0;
    for (int y = 0; y + STEP < copy->height; y += STEP)
        for (int x = 0; x + STEP < copy->width; x += STEP) {
            const struct point a = follow(start, field, (struct point){x, y});
            const struct point b = follow(start, field, (struct point){x + STEP, y});
            const struct point c = follow(start, field, (struct point){x, y + STEP});
            area += (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            count += STEP * STEP;
        }
    return count > 0 ? sqrt(fabs(area / count)) : 1;
}

static bool open_scene(struct scene *s)
{
    const size_t pixels = (size_t)s->width * (size_t)s->height;
    const size_t wide = (size_t)s->start->copy[0].width * (size_t)s->start->copy[0].height;
    const size_t most = wide > pixels ? wide : pixels;
    const size_t sums = (size_t)(s->width + 1) * (size_t)(s->height + 1);
    float *next = malloc((8 * pixels + 2 * most + wide) * sizeof *next);
    s->tone[0] = next;
    s->seen = malloc(pixels);
    s->sums[0] = malloc(2 * sums * sizeof *s->sums[0]);
    s->found = calloc((size_t)s->height / BLOCK + 1, 2 * sizeof *s->found);
    if (!next || !s->seen || !s->sums[0] || !s->found)
        return false;
    s->sums[1] = s->sums[0] + sums;
    for (int p = 0; p < 2; p++) {
        s->tone[p] = next;
        s->cosine[p] = next + pixels;
        s->sine[p] = next + 2 * pixels;
        s->weight[p] = next + 3 * pixels;
        next += 4 * pixels;
    }
    s->plane[0] = next;
    s->plane[1] = next + most;
    s->wide = next + 2 * most;
    return true;
}

/* Noisy copies were smoothed already: the rest of a deviation of 2. */
static double smoothing_of(const struct found_start *start, int p, double sigma)
{
    const double done = start->noisy[p] ? 1.5 : 0;
    return sqrt(fmax(sigma * sigma - done * done, 0.01));
}

bool evidence_look(struct thread_team *team, const struct start_kernels *kernels,
                   const struct found_start *start, const ro_image *field,
                   struct evidence *evidence)
{
    const struct start_copy *moving = &start->copy[0], *fixed = &start->copy[1];
    const double sigma = start->noisy[0] || start->noisy[1] ? 2 : 1;
    struct scene s = {.team = team,
                      .kernels = kernels,
                      .start = start,
                      .field = field,
                      .width = fixed->width,
                      .height = fixed->height};
    const size_t pixels = (size_t)s.width * (size_t)s.height;
    int blocks = 0, best = 0;
    evidence->directions = 0;
    if (moving->width < 2 || moving->height < 2 || s.width < BLOCK || s.height < BLOCK)
        return true;
    const bool good = open_scene(&s);
    if (good) {
        const double growth = fmin(fmax(growth_of(start, field), 0.5), 3);
        start_blur(team, kernels, moving->width, moving->height,
                   smoothing_of(start, 0, sigma * growth), moving->tone, s.plane[0], s.wide);
        team_pass(team, 8 * pixels, pull_rows, &s);
        flatten(&s, s.plane[0], s.tone[0]);
        start_blur(team, kernels, s.width, s.height, smoothing_of(start, 1, sigma), fixed->tone,
                   s.plane[0], s.plane[1]);
        flatten(&s, s.plane[1], s.tone[1]);
        team_pass(team, 8 * pixels, take_gradients, &s);
        team_pass(team, 32 * pixels, compare_blocks, &s);
        for (int row = 0; row < s.height / BLOCK; row++) {
            blocks += s.found[2 * row];
            best += s.found[2 * row + 1];
        }
        evidence->directions = blocks ? (double)best / blocks : 0;
    }
    free(s.tone[0]);
    free(s.seen);
    free(s.sums[0]);
    free(s.found);
    return good;
}

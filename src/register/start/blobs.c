/* SPDX-License-Identifier: MIT */
/*
 * Blobs: extrema of differences of Gaussians. An octave has six blurred planes, three to a doubling
 * of the deviation; the next octave begins with every other pixel of the fourth.
 *
 *     scale     0    1    2    3    4    5
 *     sigma   1.6  2.0  2.5  3.2  4.0  5.1    differences 0 to 4 between them;
 *                   *    *    *               peaks are looked for in differences 1 to 3
 */
#include "register/start/features.h"
#include "thread/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLANES = RO_OCTAVE_SCALES + 3,
    DIFFERENCES = PLANES - 1,
    SMALLEST = 16, /* side of the last octave */
    RIM = 5,       /* pixels at the border that are not looked at */
    CELLS = 6,     /* a side, of a part of the copy that gets a share */
    MOST_PEAKS = 1 << 16
};
static const float LEAST_PEAK = 0.003f;
static const double FIRST = 1.6;   /* deviation of scale 0 */
static const double ASSUMED = 0.5; /* deviation that an image comes with */

/* ---- Gaussians ------------------------------------------------------------------------------- */

struct blurring {
    const struct start_kernels *kernels;
    int width, height, reach;
    float taps[RO_BLUR_REACH + 1];
    const float *in;
    float *between, *out;
};

/* In chunks of a row that is continued by its ends. */
static void blur_rows(void *data, int part, int parts)
{
    enum { CHUNK = 1024 };
    const struct blurring *b = data;
    float line[CHUNK + 2 * RO_BLUR_REACH];
    int y, to;
    for (team_share(b->height, part, parts, &y, &to); y < to; y++) {
        const float *row = b->in + (size_t)y * (size_t)b->width;
        float *out = b->between + (size_t)y * (size_t)b->width;
        for (int from = 0; from < b->width; from += CHUNK) {
            const int count = b->width - from < CHUNK ? b->width - from : CHUNK;
            for (int i = -b->reach; i < count + b->reach; i++) {
                const int x = from + i;
                line[RO_BLUR_REACH + i] = row[x < 0 ? 0 : x < b->width ? x : b->width - 1];
            }
            b->kernels->across(count, b->reach, b->taps, line + RO_BLUR_REACH, out + from);
        }
    }
}

static void blur_columns(void *data, int part, int parts)
{
    const struct blurring *b = data;
    const float *rows[2 * RO_BLUR_REACH + 1];
    int y, to;
    for (team_share(b->height, part, parts, &y, &to); y < to; y++) {
        for (int i = -b->reach; i <= b->reach; i++) {
            const int at = y + i < 0 ? 0 : y + i < b->height ? y + i : b->height - 1;
            rows[RO_BLUR_REACH + i] = b->between + (size_t)at * (size_t)b->width;
        }
        b->kernels->down(b->width, b->reach, b->taps, rows + RO_BLUR_REACH,
                         b->out + (size_t)y * (size_t)b->width);
    }
}

void start_blur(struct thread_team *team, const struct start_kernels *kernels, int width,
                int height, double sigma, const float *in, float *between, float *out)
{
    struct blurring b = {.kernels = kernels,
                         .width = width,
                         .height = height,
                         .in = in,
                         .between = between,
                         .out = out};
    const int reach = (int)ceil(3 * sigma);
    double sum = 0, taps[RO_BLUR_REACH + 1];
    b.reach = reach < 1 ? 1 : reach > RO_BLUR_REACH ? RO_BLUR_REACH : reach;
    for (int i = 0; i <= b.reach; i++) {
        taps[i] = exp(-0.5 * i * i / (sigma * sigma));
        sum += i ? 2 * taps[i] : taps[i];
    }
    for (int i = 0; i <= b.reach; i++)
        b.taps[i] = (float)(taps[i] / sum);
    const size_t work = (size_t)width * (size_t)height * (size_t)(b.reach + 1) / 2;
    team_pass(team, work, blur_rows, &b);
    team_pass(team, work, blur_columns, &b);
}

/* ---- One octave ------------------------------------------------------------------------------ */

/* What is needed while octaves are made, of the size of the first. */
struct making {
    struct thread_team *team;
    const struct start_kernels *kernels;
    struct octave *octave;
    float *first, *blurred[2], *between, *difference[DIFFERENCES];
    uint8_t *peaks;
    const float *a, *b; /* of the difference that is taken */
    int scale;
};

static void subtract_rows(void *data, int part, int parts)
{
    const struct making *m = data;
    const int width = m->octave->width;
    int y, to;
    for (team_share(m->octave->height, part, parts, &y, &to); y < to; y++) {
        const size_t at = (size_t)y * (size_t)width;
        m->kernels->subtract(width, m->a + at, m->b + at, m->difference[m->scale] + at);
    }
}

static void find_peaks(void *data, int part, int parts)
{
    const struct making *m = data;
    const int width = m->octave->width, height = m->octave->height;
    int i, to;
    for (team_share(height - 2, part, parts, &i, &to); i < to; i++) {
        const float *rows[9];
        const size_t at = (size_t)(i + 1) * (size_t)width;
        for (int s = 0; s < 3; s++)
            for (int r = 0; r < 3; r++)
                rows[3 * s + r] = m->difference[m->scale - 1 + s] + at + (r - 1) * width;
        m->kernels->peaks(width, LEAST_PEAK / 2, rows, m->peaks + at);
    }
}

/* Parabolas through a peak: where it is, how high, and whether it is a blob and no edge. */
static bool settle_peak(const struct making *m, int s, int x, int y, struct blob *blob)
{
    const ptrdiff_t width = m->octave->width, at = y * width + x;
    const float *d = m->difference[s] + at, *below = m->difference[s - 1] + at;
    const float *above = m->difference[s + 1] + at, v = *d;
    const float gx = 0.5f * (d[1] - d[-1]), gy = 0.5f * (d[width] - d[-width]);
    const float gs = 0.5f * (*above - *below);
    const float xx = d[1] + d[-1] - 2 * v, yy = d[width] + d[-width] - 2 * v;
    const float ss = *above + *below - 2 * v;
    const float xy = 0.25f * (d[width + 1] - d[width - 1] - d[-width + 1] + d[-width - 1]);
    const float trace = xx + yy, det = xx * yy - xy * xy;
    if (det <= 0 || trace * trace * 10 >= 121 * det)
        return false;
    const float ox = -(yy * gx - xy * gy) / det, oy = -(xx * gy - xy * gx) / det;
    float os = ss != 0 ? -gs / ss : 0;
    if (!(fabsf(ox) <= 1) || !(fabsf(oy) <= 1))
        return false;
    os = os > 0.5f ? 0.5f : os < -0.5f ? -0.5f : os;
    const float peak = v + 0.5f * (gx * ox + gy * oy + gs * os);
    if (fabsf(peak) < LEAST_PEAK)
        return false;
    *blob = (struct blob){.x = (float)x + ox,
                          .y = (float)y + oy,
                          .size = (float)(FIRST * exp2(((double)s + (double)os) / 3)),
                          .strength = fabsf(peak),
                          .scale = s,
                          .sign = v > 0 ? 1 : -1};
    return true;
}

/* The peaks of an octave behind `count` others. */
static int gather_peaks(const struct making *m, int octave, struct blob *blobs, int count)
{
    const int width = m->octave->width, height = m->octave->height;
    for (int y = RIM; y + RIM < height; y++) {
        const uint8_t *row = m->peaks + (size_t)y * (size_t)width;
        for (const uint8_t *at = row + RIM, *end = row + width - RIM; at < end; at++) {
            at = memchr(at, 1, (size_t)(end - at));
            if (!at)
                break;
            if (count < MOST_PEAKS && settle_peak(m, m->scale, (int)(at - row), y, &blobs[count]))
                blobs[count++].octave = octave;
        }
    }
    return count;
}

/* m->first becomes the plane that the next octave begins with. */
static int make_octave(struct making *m, int octave, struct blob *blobs, int count)
{
    const int width = m->octave->width, height = m->octave->height;
    const size_t pixels = (size_t)width * (size_t)height;
    const float *before = m->first;
    for (int s = 1; s < PLANES; s++) {
        const double from = FIRST * exp2((s - 1) / 3.0), to = FIRST * exp2(s / 3.0);
        float *out = s <= RO_OCTAVE_SCALES ? m->octave->blurred[s - 1] : m->blurred[s % 2];
        start_blur(m->team, m->kernels, width, height, sqrt(to * to - from * from), before,
                   m->between, out);
        m->a = out;
        m->b = before;
        m->scale = s - 1;
        team_pass(m->team, pixels / 2, subtract_rows, m);
        before = out;
    }
    for (m->scale = 1; m->scale <= RO_OCTAVE_SCALES; m->scale++) {
        team_pass(m->team, 8 * pixels, find_peaks, m);
        count = gather_peaks(m, octave, blobs, count);
    }
    const float *half = m->octave->blurred[RO_OCTAVE_SCALES - 1];
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++)
            m->first[(size_t)y * (size_t)(width / 2) + (size_t)x] =
                half[(size_t)(2 * y) * (size_t)width + (size_t)(2 * x)];
    return count;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int by_strength(const void *one, const void *other)
{
    const struct blob *a = one, *b = other;
    if (a->strength != b->strength)
        return a->strength < b->strength ? 1 : -1;
    if (a->octave != b->octave)
        return a->octave < b->octave ? -1 : 1;
    if (a->scale != b->scale)
        return a->scale < b->scale ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->x < b->x ? -1 : a->x > b->x;
}

static bool counts(const struct start_copy *copy, float x, float y)
{
    const int ix = (int)(x + 0.5f), iy = (int)(y + 0.5f);
    const int px = ix < copy->width ? ix : copy->width - 1;
    const int py = iy < copy->height ? iy : copy->height - 1;
    return !copy->keep || copy->keep[(size_t)py * (size_t)copy->width + (size_t)px];
}

/* Those that are kept come first: in the first round, no part of the copy has more than its
 * share. */
static int choose(const struct start_copy *copy, float unit, struct blob *blobs, int count,
                  struct blob *chosen)
{
    enum { SHARE = RO_MOST_BLOBS / (CELLS * CELLS) * 2 + 1 };
    int cells[CELLS * CELLS] = {0}, kept = 0;
    qsort(blobs, (size_t)count, sizeof *blobs, by_strength);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < count && kept < RO_MOST_BLOBS; i++) {
            struct blob *blob = &blobs[i];
            if (blob->strength == 0)
                continue;
            const float by = unit * (float)(1 << blob->octave);
            const float x = blob->x * by, y = blob->y * by;
            const int cx = (int)(x * CELLS / (float)copy->width);
            const int cy = (int)(y * CELLS / (float)copy->height);
            int *cell =
                &cells[(cy < CELLS ? cy : CELLS - 1) * CELLS + (cx < CELLS ? cx : CELLS - 1)];
            if ((round == 0 && *cell >= SHARE) || !counts(copy, x, y))
                continue;
            ++*cell;
            chosen[kept++] = *blob;
            blob->strength = 0;
        }
    return kept;
}

/* Between four pixels in the middle. */
static void double_plane(const struct start_copy *copy, float *out)
{
    const int w = copy->width, h = copy->height;
    for (int y = 0; y < 2 * h; y++)
        for (int x = 0; x < 2 * w; x++) {
            const int x0 = x / 2, y0 = y / 2, x1 = x0 + 1 < w ? x0 + 1 : x0;
            const float *a = copy->tone + (size_t)y0 * (size_t)w;
            const float *c = y0 + 1 < h ? a + w : a;
            const float top = x % 2 ? 0.5f * (a[x0] + a[x1]) : a[x0];
            const float low = x % 2 ? 0.5f * (c[x0] + c[x1]) : c[x0];
            out[(size_t)y * (size_t)(2 * w) + (size_t)x] = y % 2 ? 0.5f * (top + low) : top;
        }
}

/* Planes of all octaves, and those that are needed while they are made. */
static bool take_memory(struct scale_space *space, struct making *m, int width, int height)
{
    const size_t first = (size_t)width * (size_t)height;
    size_t floats = 0;
    for (; space->octaves < RO_OCTAVES && width >= SMALLEST && height >= SMALLEST;
         width /= 2, height /= 2) {
        space->octave[space->octaves++] = (struct octave){.width = width, .height = height};
        floats += RO_OCTAVE_SCALES * (size_t)width * (size_t)height;
    }
    space->memory = malloc((floats + 1) * sizeof(float));
    m->first = malloc((4 + DIFFERENCES) * (first + 1) * sizeof(float));
    m->peaks = malloc(first + 1);
    if (!space->memory || !m->first || !m->peaks)
        return false;
    float *next = space->memory;
    for (int o = 0; o < space->octaves; o++)
        for (int s = 0; s < RO_OCTAVE_SCALES; s++) {
            space->octave[o].blurred[s] = next;
            next += (size_t)space->octave[o].width * (size_t)space->octave[o].height;
        }
    m->blurred[0] = m->first + first;
    m->blurred[1] = m->blurred[0] + first;
    m->between = m->blurred[1] + first;
    for (int i = 0; i < DIFFERENCES; i++)
        m->difference[i] = m->between + (size_t)(i + 1) * first;
    return true;
}

int blobs_find(struct thread_team *team, const struct start_kernels *kernels,
               const struct start_copy *copy, bool doubled, struct scale_space *space,
               struct blob *blobs)
{
    const int width = doubled ? 2 * copy->width : copy->width;
    const int height = doubled ? 2 * copy->height : copy->height;
    const double assumed = doubled ? 2 * ASSUMED : ASSUMED;
    struct making m = {.team = team, .kernels = kernels};
    struct blob *all = malloc(MOST_PEAKS * sizeof *all);
    int count = 0, kept = -1;
    *space = (struct scale_space){.unit = doubled ? 0.5f : 1};
    if (all && take_memory(space, &m, width, height)) {
        if (doubled)
            double_plane(copy, m.first);
        start_blur(team, kernels, width, height, sqrt(FIRST * FIRST - assumed * assumed),
                   doubled ? m.first : copy->tone, m.between, m.first);
        for (int o = 0; o < space->octaves; o++) {
            m.octave = &space->octave[o];
            count = make_octave(&m, o, all, count);
        }
        kept = choose(copy, space->unit, all, count, blobs);
    }
    free(m.first);
    free(m.peaks);
    free(all);
    return kept;
}

void scale_space_close(struct scale_space *space)
{
    free(space->memory);
    *space = (struct scale_space){0};
}

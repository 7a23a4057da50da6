/* SPDX-License-Identifier: MIT */
/*
 * What describes a blob: the direction in which most gradients near it go, and sixteen cells round
 * it, turned into that direction, each with the gradients that go in eight directions.
 *
 *      +--+--+--+--+     a cell is three deviations wide; gradients are taken at four by four
 *      |  |  |  |  |     places in each, and half a cell beyond the border; one between two
 *      +--+--+--+--+     cells, or two directions, is shared out among them
 *      |  |  o-----+-->
 *      +--+--+--+--+
 */
#include "register/start/features.h"
#include "thread/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_BLOB = 4 /* points, at most */, BINS = 36, PLACES = 20, TURNS = 2, MOST_REACH = 17 };

#define PI 3.14159274f

/* exp(-u^2 / 8) for u = 1/8, 3/8 ... cells from the middle. */
static const float fades[PLACES / 2] = {0.998048781f, 0.982575469f, 0.9523448f,  0.908733756f,
                                        0.853676361f, 0.78952157f,  0.71886757f, 0.644388725f,
                                        0.568671054f, 0.494069974f};

/* Gradients at some pixels, and how much each counts. */
struct patch {
    int count;
    float dx[RO_PATCH_SAMPLES], dy[RO_PATCH_SAMPLES];
    float length[RO_PATCH_SAMPLES], angle[RO_PATCH_SAMPLES];
    float weight[RO_PATCH_SAMPLES];
    int place[RO_PATCH_SAMPLES];
};

static void add_gradient(struct patch *patch, const float *plane, int width, int x, int y,
                         float weight, int place)
{
    const float *at = plane + (size_t)y * (size_t)width + (size_t)x;
    patch->dx[patch->count] = at[1] - at[-1];
    patch->dy[patch->count] = at[width] - at[-width];
    patch->weight[patch->count] = weight;
    patch->place[patch->count++] = place;
}

static bool is_inside(const struct octave *octave, int x, int y)
{
    return x >= 1 && y >= 1 && x + 1 < octave->width && y + 1 < octave->height;
}

/* ---- Directions ------------------------------------------------------------------------------ */

static void smooth(float bins[BINS])
{
    float out[BINS];
    for (int i = 0; i < BINS; i++)
        out[i] = 0.0625f * (bins[(i + BINS - 2) % BINS] + bins[(i + 2) % BINS]) +
                 0.25f * (bins[(i + BINS - 1) % BINS] + bins[(i + 1) % BINS]) + 0.375f * bins[i];
    memcpy(bins, out, sizeof out);
}

/* At most two directions modulo pi, those of the peaks of a histogram. */
static int find_directions(const struct start_kernels *kernels, const struct octave *octave,
                           const struct blob *blob, struct patch *patch, float turns[TURNS])
{
    const float *plane = octave->blurred[blob->scale - 1];
    const int reach = (int)(4.5f * blob->size + 0.5f);
    const int mx = (int)(blob->x + 0.5f), my = (int)(blob->y + 0.5f);
    const double spread = 2 * 2.25 * (double)blob->size * (double)blob->size;
    float bins[BINS] = {0}, most = 0, fade[MOST_REACH + 1];
    int found = 0;
    for (int i = 0; i <= reach; i++)
        fade[i] = (float)exp(-i * i / spread);
    patch->count = 0;
    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++)
            if (is_inside(octave, mx + i, my + j))
                add_gradient(patch, plane, octave->width, mx + i, my + j,
                             fade[abs(i)] * fade[abs(j)], 0);
    kernels->polar(patch->count, patch->dx, patch->dy, patch->length, patch->angle);
    for (int i = 0; i < patch->count; i++) {
        const float turn = patch->angle[i] >= PI ? patch->angle[i] - PI : patch->angle[i];
        const int bin = (int)(turn * (BINS / PI));
        bins[bin < BINS ? bin : bin - BINS] += patch->weight[i] * patch->length[i];
    }
    smooth(bins);
    smooth(bins);
    for (int i = 0; i < BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    for (int i = 0; i < BINS && found < TURNS; i++) {
        const float left = bins[(i + BINS - 1) % BINS], here = bins[i];
        const float right = bins[(i + 1) % BINS];
        if (!(here > left && here >= right && here >= 0.8f * most))
            continue;
        const float off = 0.5f * (left - right) / (left - 2 * here + right);
        const float turn = ((float)i + 0.5f + off) * (PI / BINS);
        turns[found++] = turn < 0 ? turn + PI : turn >= PI ? turn - PI : turn;
    }
    return found;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* In length 1, with no part larger than a fifth, as bytes. */
static void to_bytes(float sums[RO_DESCRIPTOR], uint8_t *bytes)
{
    for (int round = 0; round < 2; round++) {
        float square = 1e-12f;
        for (int i = 0; i < RO_DESCRIPTOR; i++)
            square += sums[i] * sums[i];
        const float by = 1 / sqrtf(square);
        for (int i = 0; i < RO_DESCRIPTOR; i++) {
            sums[i] *= by;
            if (round == 0 && sums[i] > 0.2f)
                sums[i] = 0.2f;
        }
    }
    for (int i = 0; i < RO_DESCRIPTOR; i++) {
        const float value = sums[i] * 512 + 0.5f;
        bytes[i] = value > 255 ? 255 : (uint8_t)value;
    }
}

static void describe(const struct start_kernels *kernels, const struct octave *octave,
                     const struct blob *blob, float turn, struct patch *patch, uint8_t *bytes)
{
    const float *plane = octave->blurred[blob->scale - 1];
    const float c = (float)cos((double)turn), s = (float)sin((double)turn), cell = 3 * blob->size;
    float sums[RO_DESCRIPTOR] = {0};
    patch->count = 0;
    for (int j = 0; j < PLACES; j++)
        for (int i = 0; i < PLACES; i++) {
            const float u = ((float)i + 0.5f) * 0.25f - 2.5f, v = ((float)j + 0.5f) * 0.25f - 2.5f;
            const int x = (int)floorf(blob->x + cell * (c * u - s * v) + 0.5f);
            const int y = (int)floorf(blob->y + cell * (s * u + c * v) + 0.5f);
            const int ai = i < PLACES / 2 ? PLACES / 2 - 1 - i : i - PLACES / 2;
            const int aj = j < PLACES / 2 ? PLACES / 2 - 1 - j : j - PLACES / 2;
            if (is_inside(octave, x, y))
                add_gradient(patch, plane, octave->width, x, y, fades[ai] * fades[aj],
                             j * PLACES + i);
        }
    kernels->polar(patch->count, patch->dx, patch->dy, patch->length, patch->angle);
    for (int i = 0; i < patch->count; i++) {
        float angle = patch->angle[i] - turn;
        angle = angle < 0 ? angle + PI : angle;
        angle = angle >= PI ? angle - PI : angle;
        const float place = angle * (8 / PI), weight = patch->weight[i] * sqrtf(patch->length[i]);
        const float bx = ((float)(patch->place[i] % PLACES) + 0.5f) * 0.25f - 1; /* beyond one */
        const float by = ((float)(patch->place[i] / PLACES) + 0.5f) * 0.25f - 1;
        const int x0 = (int)(bx + 1) - 1, y0 = (int)(by + 1) - 1, o0 = (int)place;
        const float fx = bx - (float)x0, fy = by - (float)y0, fo = place - (float)o0;
        for (int k = 0; k < 4; k++) {
            const int x = x0 + (k & 1), y = y0 + (k >> 1);
            if (x < 0 || x > 3 || y < 0 || y > 3)
                continue;
            const float part = weight * (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy);
            float *to = sums + 8 * (4 * y + x);
            to[o0 & 7] += part * (1 - fo);
            to[(o0 + 1) & 7] += part * fo;
        }
    }
    to_bytes(sums, bytes);
}

/* At most two points and their twins; how many. */
static int describe_blob(const struct start_kernels *kernels, const struct scale_space *space,
                         const struct blob *blob, struct feature *at, uint8_t *bytes)
{
    const struct octave *octave = &space->octave[blob->octave];
    const float by = space->unit * (float)(1 << blob->octave);
    struct patch patch;
    float turns[TURNS];
    const int found = find_directions(kernels, octave, blob, &patch, turns);
    for (int t = 0; t < found; t++, at += 2, bytes += 2 * RO_DESCRIPTOR) {
        at[0] = (struct feature){blob->x * by, blob->y * by, blob->size * by, turns[t], blob->sign};
        at[1] = at[0];
        at[1].angle += PI;
        describe(kernels, octave, blob, turns[t], &patch, bytes);
        for (int c = 0; c < 16; c++) /* the same cells from the other end */
            memcpy(bytes + RO_DESCRIPTOR + 8 * c, bytes + 8 * (15 - c), 8);
    }
    return 2 * found;
}

/* ---- All blobs ------------------------------------------------------------------------------- */

struct describing {
    const struct start_kernels *kernels;
    const struct scale_space *space;
    const struct blob *blobs;
    int count, *found;
    struct feature *at;
    uint8_t *bytes;
};

static void describe_blobs(void *data, int part, int parts)
{
    const struct describing *d = data;
    int i, to;
    for (team_share(d->count, part, parts, &i, &to); i < to; i++)
        d->found[i] = describe_blob(d->kernels, d->space, &d->blobs[i], d->at + OF_BLOB * i,
                                    d->bytes + (size_t)OF_BLOB * RO_DESCRIPTOR * (size_t)i);
}

bool features_open(struct thread_team *team, const struct start_kernels *kernels,
                   const struct start_copy *copy, bool doubled, struct feature_set *set)
{
    enum { WORK = 1 << 14 }; /* of a blob, in pixels of a filter */
    const size_t most = (size_t)RO_MOST_BLOBS * OF_BLOB;
    struct scale_space space = {0};
    struct blob *blobs = malloc(RO_MOST_BLOBS * sizeof *blobs);
    int *found = malloc(RO_MOST_BLOBS * sizeof *found);
    *set = (struct feature_set){.at = malloc(most * sizeof *set->at),
                                .bytes = malloc(most * RO_DESCRIPTOR)};
    bool good = blobs && found && set->at && set->bytes;
    const int count = good ? blobs_find(team, kernels, copy, doubled, &space, blobs) : -1;
    good = count >= 0;
    if (good) {
        struct describing d = {kernels, &space, blobs, count, found, set->at, set->bytes};
        team_pass(team, (size_t)count * WORK, describe_blobs, &d);
    }
    for (int i = 0; i < count; i++) { /* close ranks */
        const size_t from = (size_t)i * OF_BLOB, to = (size_t)set->count;
        const size_t points = (size_t)found[i];
        memmove(set->at + to, set->at + from, points * sizeof *set->at);
        memmove(set->bytes + to * RO_DESCRIPTOR, set->bytes + from * RO_DESCRIPTOR,
                points * RO_DESCRIPTOR);
        set->count += found[i];
    }
    scale_space_close(&space);
    free(blobs);
    free(found);
    if (!good)
        features_close(set);
    return good;
}

void features_close(struct feature_set *set)
{
    free(set->at);
    free(set->bytes);
    *set = (struct feature_set){0};
}

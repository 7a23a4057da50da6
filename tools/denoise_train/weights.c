/* SPDX-License-Identifier: MIT */
#include "weights.h"
#include "random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const real clamp_at[CLAMPS] = {0.15, 0.35, 0.8, 1.6, 3.0, CLAMP_REACH};

static double cosine[COSINES][TAPS];
static int frequency[COSINES][2]; /* vertical and horizontal */

static void make_cosines(void)
{
    int n = 0;
    for (int square = 1; square <= 32; square++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                if (i * i + j * j != square)
                    continue;
                for (int tap = 0; tap < TAPS; tap++)
                    cosine[n][tap] = cos(M_PI * (tap / 5 + 0.5) * i / 5) * sqrt((i ? 2 : 1) / 5.0) *
                                     cos(M_PI * (tap % 5 + 0.5) * j / 5) * sqrt((j ? 2 : 1) / 5.0);
                frequency[n][0] = i;
                frequency[n++][1] = j;
            }
}

bool weights_open(struct weights *w, int steps, int filters)
{
    if (steps < 1 || steps > MOST_STEPS || filters < 12 || filters > MOST_FILTERS || filters % 12)
        return false;
    make_cosines();
    *w = (struct weights){.steps = steps, .filters = filters};
    w->count = pull_at(w, steps);
    for (int t = 0; t < steps; t++)
        w->distance[t] = 1;
    w->value = calloc(w->count, sizeof *w->value);
    return w->value;
}

void weights_close(struct weights *w)
{
    free(w->value);
    w->value = NULL;
}

void weights_start(struct weights *w, uint64_t seed)
{
    random_state random = random_for(seed, ~(uint64_t)0, 0);
    for (int t = 0; t < w->steps; t++) {
        for (int f = 0; f < w->filters; f++) {
            for (int k = 0; k < COSINES; k++)
                w->value[coefficient_at(w, t, f) + k] =
                    (k == f % COSINES) + (w->tied ? 1 : 0.07) * (random_uniform(&random) - 0.5);
            w->value[amplitude_at(w, t, f) + 2] = 1.44 / w->filters;
            w->value[amplitude_at(w, t, f) + 3] = -0.02;
        }
        w->value[pull_at(w, t)] = 0.05;
    }
}

bool weights_read(struct weights *w, const char *path)
{
    FILE *file = fopen(path, "r");
    char head[256], *at = head;
    if (!file || !fgets(head, sizeof head, file))
        goto failed;
    int steps = strtol(at, &at, 10), filters = strtol(at, &at, 10);
    if (!weights_open(w, steps, filters))
        goto failed;
    for (int t = 0; t < steps; t++) {
        char *end;
        int distance = strtol(at, &end, 10);
        if (end == at)
            break;
        if (distance < 1 || distance > MOST_DISTANCE)
            goto failed;
        w->distance[t] = distance;
        at = end;
    }
    for (int i = 0; i < w->count; i++)
        if (fscanf(file, "%lf", &w->value[i]) != 1)
            goto failed;
    fclose(file);
    return true;
failed:
    if (file)
        fclose(file);
    fprintf(stderr, "%s: no weights that can be trained\n", path);
    return false;
}

bool weights_write(const struct weights *w, const char *path)
{
    char draft[4096];
    if (snprintf(draft, sizeof draft, "%s.part", path) >= (int)sizeof draft)
        return false;
    FILE *file = fopen(draft, "w");
    if (!file)
        return false;
    fprintf(file, "%d %d", w->steps, w->filters);
    for (int t = 0; t < w->steps; t++)
        fprintf(file, " %d", w->distance[t]);
    fputc('\n', file);
    for (int i = 0; i < w->count; i++)
        fprintf(file, "%.9g%c", w->value[i],
                i % COSINES == COSINES - 1 || i == w->count - 1 ? '\n' : ' ');
    bool good = !ferror(file);
    return !fclose(file) && good && !rename(draft, path);
}

/* Rounds as whole_taps of tables.py does. */
static void whole_taps(const double *tap, double scale, double *whole)
{
    double sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += whole[i] = floor(tap[i] * scale + 0.5);
    while (sum) {
        double sign = sum > 0 ? 1 : -1;
        int worst = 0;
        for (int i = 1; i < TAPS; i++)
            if ((whole[i] - tap[i] * scale) * sign > (whole[worst] - tap[worst] * scale) * sign)
                worst = i;
        whole[worst] -= sign;
        sum -= sign;
    }
}

/* Returns the largest scale for which sums of bytes times taps stay in 16 bits. */
static double forward_scale(const struct weights *w)
{
    double scale = w->bytes ? 56 : 127;
    for (int t = 0; w->bytes && t < w->steps; t++)
        for (int f = 0; f < w->filters; f++)
            for (;; scale--) {
                double whole[TAPS], positive = 0;
                whole_taps(w->tap[t][f], scale, whole);
                for (int i = 0; i < TAPS; i++)
                    positive += fmax(whole[i], 0);
                if (positive <= 128)
                    break;
            }
    return scale;
}

static double largest_flux(const struct weights *w, int t)
{
    double largest = 0;
    for (int f = 0; f < w->filters; f++)
        for (int n = 0; n <= FLUX_LEVELS; n++) {
            double flux = 0;
            for (int j = 0; j < CLAMPS; j++)
                flux += w->value[amplitude_at(w, t, f) + j] *
                        fmin(n * CLAMP_REACH / FLUX_LEVELS, clamp_at[j]);
            largest = fmax(largest, fabs(flux));
        }
    return largest;
}

void weights_expand(struct weights *w)
{
    for (int t = 0; t < w->steps; t++)
        for (int f = 0; f < w->filters; f++) {
            double *tap = w->tap[t][f], norm = 0;
            for (int i = 0; i < TAPS; i++) {
                tap[i] = 0;
                for (int k = 0; k < COSINES; k++)
                    tap[i] += w->value[coefficient_at(w, t, f) + k] * cosine[k][i];
                norm += tap[i] * tap[i];
            }
            for (int i = 0; i < TAPS; i++)
                tap[i] /= sqrt(norm);
        }
    double scale = w->whole ? forward_scale(w) : 0;
    for (int t = 0; t < w->steps; t++) {
        for (int f = 0; f < w->filters; f++) {
            double forward[TAPS], back[TAPS];
            memcpy(forward, w->tap[t][f], sizeof forward);
            memcpy(back, w->tap[t][f], sizeof back);
            if (w->whole) {
                whole_taps(w->tap[t][f], scale, forward);
                whole_taps(w->tap[t][f], 64, back);
            }
            for (int i = 0; i < TAPS; i++) {
                w->packed[t][(f / TILE * TAPS + i) * TILE + f % TILE] =
                    w->whole ? forward[i] / scale : forward[i];
                w->packed_back[t][f * TAPS + i % 5 * 5 + i / 5] = w->whole ? back[i] / 64 : back[i];
            }
        }
        w->flux_unit[t] = w->whole ? largest_flux(w, t) / FLUX_LEVELS : 0;
    }
}

void weights_chain(const struct weights *w, const double *of_taps, double *gradient)
{
    for (int t = 0; t < w->steps; t++)
        for (int f = 0; f < w->filters; f++) {
            const double *tap = w->tap[t][f], *of_tap = of_taps + (t * w->filters + f) * TAPS;
            const double *value = w->value + coefficient_at(w, t, f);
            double along = 0, norm = 0; /* a filter's length does not matter */
            for (int i = 0; i < TAPS; i++)
                along += of_tap[i] * tap[i];
            for (int k = 0; k < COSINES; k++)
                norm += value[k] * value[k];
            for (int k = 0; k < COSINES; k++) {
                double sum = 0;
                for (int i = 0; i < TAPS; i++)
                    sum += cosine[k][i] * (of_tap[i] - along * tap[i]);
                gradient[coefficient_at(w, t, f) + k] = sum / sqrt(norm);
            }
        }
}

/* Maps the coefficients of a filter to those of its form `symmetry`: bits mirror the rows, mirror
 * the columns and transpose. A cosine keeps its value or its sign changes. */
static int moved_cosine(int k, int symmetry, double *sign)
{
    int i = frequency[k][0], j = frequency[k][1];
    *sign = (symmetry & 1 && i % 2 ? -1 : 1) * (symmetry & 2 && j % 2 ? -1 : 1);
    for (int to = 0; to < COSINES; to++)
        if (symmetry & 4 ? frequency[to][0] == j && frequency[to][1] == i : to == k)
            return to;
    return k;
}

void weights_tie(const struct weights *w, double *values, bool average)
{
    for (int t = 0; t < w->steps; t++)
        for (int f = 0; f < w->filters; f += 8) {
            double coefficient[COSINES] = {0}, amplitude[CLAMPS] = {0}, sign;
            for (int s = 0; s < (average ? 8 : 1); s++) {
                for (int k = 0; k < COSINES; k++) {
                    int to = moved_cosine(k, s, &sign);
                    coefficient[k] += sign * values[coefficient_at(w, t, f + s) + to];
                }
                for (int j = 0; j < CLAMPS; j++)
                    amplitude[j] += values[amplitude_at(w, t, f + s) + j];
            }
            for (int s = 0; s < 8; s++) {
                for (int k = 0; k < COSINES; k++) {
                    int to = moved_cosine(k, s, &sign);
                    values[coefficient_at(w, t, f + s) + to] =
                        sign * coefficient[k] / (average ? 8 : 1);
                }
                for (int j = 0; j < CLAMPS; j++)
                    values[amplitude_at(w, t, f + s) + j] = amplitude[j] / (average ? 8 : 1);
            }
        }
}

/* SPDX-License-Identifier: MIT */
/* Rows of the search for points: the definition, and all its variants; see features.h. */
#ifndef RO_REGISTER_START_START_ROWS_H
#define RO_REGISTER_START_START_ROWS_H

#include "register/start/features.h"
#include "solver/each_node.h"

#include <math.h>

enum { AT_ONCE = 64 }; /* pixels whose sums stay in registers; it changes no bit */

static inline float larger_of(float a, float b) { return a > b ? a : b; }
static inline float smaller_of(float a, float b) { return a < b ? a : b; }

static void across_row(int width, int reach, const float *taps, const float *row, float *out)
{
    for (int from = 0; from < width; from += AT_ONCE) {
        const int count = width - from < AT_ONCE ? width - from : AT_ONCE;
        float sum[AT_ONCE];
        for (int x = 0; x < count; x++)
            sum[x] = taps[0] * row[from + x];
        for (int i = 1; i <= reach; i++) {
            const float *left = row + from - i, *right = row + from + i, tap = taps[i];
            for (int x = 0; x < count; x++)
                sum[x] += tap * (right[x] + left[x]);
        }
        for (int x = 0; x < count; x++)
            out[from + x] = sum[x];
    }
}

static void down_row(int width, int reach, const float *taps, const float *const *rows, float *out)
{
    for (int from = 0; from < width; from += AT_ONCE) {
        const int count = width - from < AT_ONCE ? width - from : AT_ONCE;
        const float *middle = rows[0] + from;
        float sum[AT_ONCE];
        for (int x = 0; x < count; x++)
            sum[x] = taps[0] * middle[x];
        for (int i = 1; i <= reach; i++) {
            const float *above = rows[-i] + from, *below = rows[i] + from, tap = taps[i];
            for (int x = 0; x < count; x++)
                sum[x] += tap * (below[x] + above[x]);
        }
        for (int x = 0; x < count; x++)
            out[from + x] = sum[x];
    }
}

static void subtract_row(int width, const float *restrict a, const float *restrict b,
                         float *restrict out)
{
    EACH_NODE
    for (int x = 0; x < width; x++)
        out[x] = a[x] - b[x];
}

static void peaks_row(int width, float least, const float *const rows[9], uint8_t *restrict out)
{
    const float *middle = rows[4];
    for (int from = 1; from < width - 1; from += AT_ONCE) {
        const int count = width - 1 - from < AT_ONCE ? width - 1 - from : AT_ONCE;
        float most[AT_ONCE], fewest[AT_ONCE];
        for (int x = 0; x < count; x++) { /* its neighbours in the row, without itself */
            const float left = middle[from + x - 1], right = middle[from + x + 1];
            most[x] = larger_of(left, right);
            fewest[x] = smaller_of(left, right);
        }
        for (int r = 0; r < 9; r++) {
            const float *row = rows[r] + from;
            if (r == 4)
                continue;
            for (int x = 0; x < count; x++) {
                const float high = larger_of(larger_of(row[x - 1], row[x]), row[x + 1]);
                const float low = smaller_of(smaller_of(row[x - 1], row[x]), row[x + 1]);
                most[x] = larger_of(most[x], high);
                fewest[x] = smaller_of(fewest[x], low);
            }
        }
        for (int x = 0; x < count; x++) {
            const float value = middle[from + x];
            out[from + x] = (uint8_t)(((value > most[x]) & (value >= least)) |
                                      ((value < fewest[x]) & (value <= -least)));
        }
    }
}

static void polar_row(int count, const float *restrict dx, const float *restrict dy,
                      float *restrict length, float *restrict angle)
{
    EACH_NODE
    for (int i = 0; i < count; i++) {
        const float x = dx[i], y = dy[i], ax = fabsf(x), ay = fabsf(y);
        const float most = larger_of(ax, ay), least = smaller_of(ax, ay);
        const float a = least / (most + 1e-30f), s = a * a;
        float turn = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
        turn = ay > ax ? 1.57079637f - turn : turn;
        turn = x < 0 ? 3.14159274f - turn : turn;
        turn = y < 0 ? 6.28318548f - turn : turn;
        angle[i] = turn >= 6.2831853f ? 0 : turn;
        length[i] = sqrtf(x * x + y * y);
    }
}

static void distances_to(const uint8_t *restrict one, int count, const uint8_t *restrict others,
                         int32_t *restrict out)
{
    for (int j = 0; j < count; j++, others += RO_DESCRIPTOR) {
        int32_t sum = 0;
        for (int i = 0; i < RO_DESCRIPTOR; i++) {
            const int16_t apart = (int16_t)(one[i] - others[i]);
            sum += apart * apart;
        }
        out[j] = sum;
    }
}

#define START_KERNELS                                                                              \
    .across = across_row, .down = down_row, .subtract = subtract_row, .peaks = peaks_row,          \
    .polar = polar_row, .distances = distances_to

#endif

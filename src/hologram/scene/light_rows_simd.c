/* SPDX-License-Identifier: MIT */
/* Light of many pixels of a row, as many as lanes at once. */
#include "simd/simd.h"

#include <string.h>

#include "fft/phasor_lanes.h"
#include "hologram/scene/light_rows.h"

void RO_SIMD_NAME(light_row)(const struct light_row *row, int n, float *light)
{
    for (int i = 0; i < n; i += LANES, light += 2 * LANES) {
        const int count = n - i < LANES ? n - i : LANES;
        float some[2 * LANES] = {0}, *at = light;
        real amplitude = {0}, c, s, x, y;
        wide turns[2] = {{0}, {0}};
        memcpy(&amplitude, row->amplitude + i, (size_t)count * sizeof(float));
        memcpy(turns, row->turns + i, (size_t)count * sizeof(double));
        if (count < LANES)
            at = memcpy(some, light, (size_t)count * 2 * sizeof *some);
        phasors_of(turns, &c, &s);
        split(at, &x, &y);
        const whole there = amplitude == amplitude;
        join(at, choose(there, c * amplitude, x), choose(there, s * amplitude, y));
        if (count < LANES)
            memcpy(light, some, (size_t)count * 2 * sizeof *some);
    }
}

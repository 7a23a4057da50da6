/* SPDX-License-Identifier: MIT */
/*
 * The Fourier transform of lengths that are powers of two, in floats: sixteen neighbouring rows or
 * columns are copied side by side, so that each step of the textbook's radix 2 works on vectors of
 * sixteen. Two dimensions are columns, then rows.
 */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

uint32_t measure_power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

bool measure_fft_open(struct measure_fft *fft, uint32_t length)
{
    const double pi = 3.14159265358979323846;
    *fft = (struct measure_fft){.length = length};
    fft->cosine = malloc((size_t)length * sizeof *fft->cosine);
    fft->order = calloc(length, sizeof *fft->order);
    if (!fft->cosine || !fft->order) {
        measure_fft_close(fft);
        return false;
    }
    fft->sine = fft->cosine + length / 2;
    for (uint32_t i = 0; i < length / 2; i++) {
        fft->cosine[i] = (float)cos(2 * pi * i / length);
        fft->sine[i] = (float)-sin(2 * pi * i / length);
    }
    for (uint32_t i = 1; i < length; i++)
        fft->order[i] = fft->order[i / 2] / 2 | (i & 1 ? length / 2 : 0);
    return true;
}

void measure_fft_close(struct measure_fft *fft)
{
    free(fft->cosine);
    free(fft->order);
    *fft = (struct measure_fft){0};
}

size_t measure_fft_scratch(uint32_t length) { return 2 * (size_t)length * FFT_LANES; }

/* Numbers in bit-reversed order in, in order out. */
static void transform(const struct measure_fft *fft, float *restrict re, float *restrict im)
{
    const uint32_t length = fft->length;
    for (uint32_t half = 1; half < length; half *= 2) {
        const uint32_t step = length / (2 * half);
        for (uint32_t start = 0; start < length; start += 2 * half)
            for (uint32_t k = 0; k < half; k++) {
                const float c = fft->cosine[k * step], s = fft->sine[k * step];
                float *ar = re + (size_t)(start + k) * FFT_LANES, *br = ar + half * FFT_LANES;
                float *ai = im + (size_t)(start + k) * FFT_LANES, *bi = ai + half * FFT_LANES;
                for (int l = 0; l < FFT_LANES; l++) {
                    const float tr = c * br[l] - s * bi[l], ti = c * bi[l] + s * br[l];
                    br[l] = ar[l] - tr;
                    bi[l] = ai[l] - ti;
                    ar[l] += tr;
                    ai[l] += ti;
                }
            }
    }
}

/* Element (place, lane) lies at place * step + lane * next. */
static void run(const struct measure_fft *fft, float *re, float *im, size_t step, size_t next,
                uint32_t lanes, float *scratch)
{
    float *sr = scratch, *si = scratch + (size_t)fft->length * FFT_LANES;
    for (uint32_t i = 0; i < fft->length; i++)
        for (uint32_t l = 0; l < FFT_LANES; l++) {
            const size_t from = fft->order[i] * step + l * next, to = (size_t)i * FFT_LANES + l;
            sr[to] = l < lanes ? re[from] : 0;
            si[to] = l < lanes ? im[from] : 0;
        }
    transform(fft, sr, si);
    for (uint32_t i = 0; i < fft->length; i++)
        for (uint32_t l = 0; l < lanes; l++) {
            re[i * step + l * next] = sr[(size_t)i * FFT_LANES + l];
            im[i * step + l * next] = si[(size_t)i * FFT_LANES + l];
        }
}

void measure_fft_columns(const struct measure_fft *fft, float *re, float *im, size_t stride,
                         uint32_t lanes, float *scratch)
{
    run(fft, re, im, stride, 1, lanes, scratch);
}

void measure_fft_rows(const struct measure_fft *fft, float *re, float *im, size_t stride,
                      uint32_t lanes, float *scratch)
{
    run(fft, re, im, 1, stride, lanes, scratch);
}

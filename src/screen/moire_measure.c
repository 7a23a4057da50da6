/* SPDX-License-Identifier: MIT */
/*
 * How strong the waves of a screen are: of what it makes of three tones, the strongest. Black
 * pixels are counted by their place in their dots, and the counts taken apart into waves; waves
 * with the pixels are summed up over the whole supercell.
 */
#include "screen/moire.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 64, TONES = 3 };
static const double tau = 6.283185307179586;

static double part(double x) { return x - floor(x); }

static void count_places(const struct screen *made, const struct moire_screen *screen,
                         uint32_t (*counts)[PLACES][PLACES])
{
    const uint32_t cells = made->width * made->height;
    const double fx[2] = {screen->rows[0][0] / screen->dpi[0], screen->rows[1][0] / screen->dpi[0]};
    const double fy[2] = {screen->rows[0][1] / screen->dpi[1], screen->rows[1][1] / screen->dpi[1]};
    for (uint32_t y = 0; y < made->height; y++)
        for (uint32_t x = 0; x < made->width; x++) {
            const double u = part((x + 0.5) * fx[0] + (y + 0.5) * fy[0]);
            const double v = part((x + 0.5) * fx[1] + (y + 0.5) * fy[1]);
            const uint32_t rank = made->ranks[(size_t)y * made->width + x];
            const int i = (int)(u * PLACES) % PLACES, j = (int)(v * PLACES) % PLACES;
            for (int t = 0; t < TONES; t++)
                counts[t][i][j] += rank >= (uint64_t)cells * (uint32_t)(t + 1) / (TONES + 1);
        }
}

static double strength_of(const uint32_t counts[PLACES][PLACES], double cells, int a, int b)
{
    double real = 0, imaginary = 0;
    for (int i = 0; i < PLACES; i++)
        for (int j = 0; j < PLACES; j++) {
            const double turn = tau * (a * (i + 0.5) + b * (j + 0.5)) / PLACES;
            real += counts[i][j] * cos(turn);
            imaginary += counts[i][j] * sin(turn);
        }
    return hypot(real, imaginary) / cells;
}

/* The wave (x, y), cycles per pixel, over the supercell. */
static double wave_in(const struct screen *made, double x, double y)
{
    const uint32_t cells = made->width * made->height;
    double real[TONES] = {0}, imaginary[TONES] = {0}, strongest = 0;
    for (uint32_t row = 0; row < made->height; row++) {
        const double next_c = cos(tau * x), next_s = sin(tau * x);
        double c = cos(tau * part(y * row)), s = sin(tau * part(y * row));
        for (uint32_t column = 0; column < made->width; column++) {
            const uint32_t rank = made->ranks[(size_t)row * made->width + column];
            for (int t = 0; t < TONES; t++)
                if (rank >= (uint64_t)cells * (uint32_t)(t + 1) / (TONES + 1)) {
                    real[t] += c;
                    imaginary[t] += s;
                }
            const double old = c;
            c = c * next_c - s * next_s;
            s = s * next_c + old * next_s;
        }
    }
    for (int t = 0; t < TONES; t++)
        strongest = fmax(strongest, hypot(real[t], imaginary[t]) / cells);
    return strongest;
}

ro_status moire_screen_measure(ro_context *context, const ro_screen_options *options,
                               const ro_ink *ink, struct moire_screen *screen)
{
    const ro_screen_options own = moire_options(options, ink);
    struct screen made;
    uint32_t(*counts)[PLACES][PLACES] = calloc(TONES, sizeof *counts);
    if (!counts)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to measure a screen");
    ro_status status = screen_make(context, &own, false, &made);
    if (status != RO_OK)
        goto done;
    const double cells = (double)made.width * made.height;
    count_places(&made, screen, counts);
    for (int a = -MOIRE_TIMES; a <= MOIRE_TIMES; a++)
        for (int b = -MOIRE_TIMES; b <= MOIRE_TIMES; b++) {
            double strongest = 0;
            for (int t = 0; t < TONES && (a || b); t++)
                strongest =
                    fmax(strongest, strength_of((const uint32_t(*)[PLACES])counts[t], cells, a, b));
            screen->strength[a + MOIRE_TIMES][b + MOIRE_TIMES] = strongest;
        }
    for (int i = 0; i < MOIRE_PIXEL_WAVES; i++) {
        double f[2];
        for (int k = 0; k < 2; k++)
            f[k] = (screen->pixels[i].times[0] * screen->rows[0][k] +
                    screen->pixels[i].times[1] * screen->rows[1][k]) /
                       screen->dpi[k] -
                   screen->pixels[i].pixels[k];
        screen->pixels[i].strength = wave_in(&made, f[0], f[1]);
    }
done:
    screen_free(&made);
    free(counts);
    return status;
}

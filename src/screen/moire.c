/* SPDX-License-Identifier: MIT */
#include "screen/moire.h"

#include "core/misuse.h"
#include "core/options.h"
#include "number/power.h"

#include <math.h>
#include <string.h>

static const double inch = 25.4, longest = 420, distance = 300; /* mm */
static const double pi = 3.141592653589793;

/* Contrast falls by 13 % for every cycle per degree (after Naesaenen), at 45 degrees as if there
 * were 1 / 0.7 as many. */
double moire_eye(double x, double y)
{
    const double degree = distance / inch * pi / 180; /* inches that it covers */
    const double square = x * x + y * y;
    if (square == 0)
        return 1;
    const double twice = (x * x - y * y) / square; /* cosine of twice the angle */
    const double aslant = 0.85 + 0.15 * (2 * twice * twice - 1);
    return power_of(0.871, sqrt(square) * degree / aslant);
}

/* ---- A screen ------------------------------------------------------------------------------- */

/* A disc of half the cell's area has the wave k as strongly as r J1(2 pi r k) / k says; of all
 * tones, the Bessel function is at most as below. */
static double disc_strength(double k)
{
    const double r = 0.3989422804014327; /* of a circle of half an area */
    const double most = 0.58, falling = sqrt(1 / (pi * pi * r * k));
    return r / k * (falling < most ? falling : most);
}

static double strength_of(bool lines, double along, double across)
{
    if (lines && along != 0)
        return 0;
    return lines ? 1 / (pi * fabs(across)) : disc_strength(sqrt(along * along + across * across));
}

/* The nearest sums of the rows' waves to those of the pixels. */
static void find_pixel_waves(struct moire_screen *screen, bool lines)
{
    static const int pixels[MOIRE_PIXEL_WAVES][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    const double(*f)[2] = screen->rows;
    const double area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    const double one = (double)screen->dots.dots / screen->dots.greys; /* a pixel of a dot */
    for (int i = 0; i < MOIRE_PIXEL_WAVES; i++) {
        const double x = pixels[i][0] * screen->dpi[0], y = pixels[i][1] * screen->dpi[1];
        const double a = floor((x * f[1][1] - y * f[1][0]) / area + 0.5);
        const double b = floor((y * f[0][0] - x * f[0][1]) / area + 0.5);
        memcpy(screen->pixels[i].pixels, pixels[i], sizeof pixels[i]);
        screen->pixels[i].times[0] = (int)a;
        screen->pixels[i].times[1] = (int)b;
        /* dots have the same number of pixels, but for one */
        screen->pixels[i].strength = fmin(strength_of(lines, a, b), one / 2);
    }
}

double moire_takes(const ro_ink *ink)
{
    static const double parts[3] = {0.2126, 0.7152, 0.0722};
    double light = 0;
    for (int c = 0; c < 3; c++)
        light = light + parts[c] * light_of_srgb(ink->colour[c] / 255.0);
    return 1 - light;
}

ro_screen_options moire_options(const ro_screen_options *options, const ro_ink *ink)
{
    ro_screen_options own = *options;
    own.kind = "am";
    own.lpi = ink->lpi > 0 ? ink->lpi : options->lpi;
    own.angle = ink->degrees;
    own.shape = ink->shape ? ink->shape : options->shape;
    return own;
}

ro_status moire_screen_find(ro_context *context, const ro_screen_options *options,
                            const ro_ink *ink, struct moire_screen *screen)
{
    const ro_screen_options own = moire_options(options, ink);
    struct dots_lattice lattice;
    ro_status status = dots_find(context, &own, false, &lattice);
    if (status != RO_OK)
        return status;
    const int64_t(*const side)[2] = lattice.side, (*const steps)[2] = lattice.steps;
    const double area = (double)(side[0][0] * side[1][1] - side[0][1] * side[1][0]);
    const bool lines =
        dots_shape_find(context, own.shape, 1) == dots_shape_find(context, "line", 1);
    *screen = (struct moire_screen){.dots = lattice.reached,
                                    .dpi = {own.dpi, own.dpi_y > 0 ? own.dpi_y : own.dpi}};
    for (int i = 0; i < 2; i++) { /* f . A = steps of A, f . B = steps of B */
        const double a = (double)steps[0][i], b = (double)steps[1][i];
        screen->rows[i][0] =
            (a * (double)side[1][1] - b * (double)side[0][1]) / area * screen->dpi[0];
        screen->rows[i][1] =
            (b * (double)side[0][0] - a * (double)side[1][0]) / area * screen->dpi[1];
    }
    for (int a = -MOIRE_TIMES; a <= MOIRE_TIMES; a++)
        for (int b = -MOIRE_TIMES; b <= MOIRE_TIMES; b++)
            if (a || b)
                screen->strength[a + MOIRE_TIMES][b + MOIRE_TIMES] = strength_of(lines, a, b);
    find_pixel_waves(screen, lines);
    return RO_OK;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

struct sums {
    const struct moire_screen *const *screens;
    const double *takes;
    double closest;      /* rows per inch: a wave that is as short is no moiré */
    double seen, shifts; /* squares */
    ro_moire *moire;
};

/* Light swings by twice the strength of a wave. */
static void add_wave(struct sums *sums, const ro_moire_wave *wave, double strength)
{
    const double square = wave->x * wave->x + wave->y * wave->y;
    const double least = inch / longest;
    if (square < least * least)
        sums->shifts = sums->shifts + 4 * strength * strength;
    if (square < least * least || square >= sums->closest * sums->closest)
        return;
    const double seen = 2 * strength * moire_eye(wave->x, wave->y);
    ro_moire *moire = sums->moire;
    sums->seen = sums->seen + seen * seen;
    if (!moire || seen == 0)
        return;
    int at = moire->count < RO_MOIRE_WAVES ? moire->count++ : RO_MOIRE_WAVES;
    for (; at > 0 && moire->waves[at - 1].seen < seen; at--)
        if (at < RO_MOIRE_WAVES)
            moire->waves[at] = moire->waves[at - 1];
    if (at == RO_MOIRE_WAVES)
        return;
    moire->waves[at] = *wave;
    const double *dpi = sums->screens[0]->dpi;
    moire->waves[at].period = inch / sqrt(square);
    moire->waves[at].pixels_long = 1 / hypot(wave->x / dpi[0], wave->y / dpi[1]);
    moire->waves[at].contrast = 2 * strength;
    moire->waves[at].seen = seen;
}

/* Sums of the waves of `number` inks from the list, up to `most` times each; `wave` is the sum of
 * those before ink `at`. Of a wave and its negative, one is taken. */
static void add_sums(struct sums *sums, const int *inks, int number, int most, int at,
                     ro_moire_wave *wave, double strength)
{
    if (at == number) {
        add_wave(sums, wave, strength);
        return;
    }
    const int ink = inks[at];
    const struct moire_screen *screen = sums->screens[ink];
    const double x = wave->x, y = wave->y;
    for (int a = at ? -most : 0; a <= most; a++)
        for (int b = at || a ? -most : 1; b <= most; b++) {
            const double own = screen->strength[a + MOIRE_TIMES][b + MOIRE_TIMES];
            if (own == 0)
                continue;
            wave->times[ink][0] = a;
            wave->times[ink][1] = b;
            wave->x = x + a * screen->rows[0][0] + b * screen->rows[1][0];
            wave->y = y + a * screen->rows[0][1] + b * screen->rows[1][1];
            add_sums(sums, inks, number, most, at + 1, wave, strength * own * sums->takes[ink]);
        }
    wave->times[ink][0] = wave->times[ink][1] = 0;
    wave->x = x;
    wave->y = y;
}

/* A wave of nothing is the pixels' own, and no shift. */
static void add_pixels(struct sums *sums, int ink)
{
    const struct moire_screen *screen = sums->screens[ink];
    for (int i = 0; i < MOIRE_PIXEL_WAVES; i++) {
        const int *times = screen->pixels[i].times, *pixels = screen->pixels[i].pixels;
        ro_moire_wave wave = {.pixels = {pixels[0], pixels[1]}};
        wave.times[ink][0] = times[0];
        wave.times[ink][1] = times[1];
        wave.x = times[0] * screen->rows[0][0] + times[1] * screen->rows[1][0] -
                 pixels[0] * screen->dpi[0];
        wave.y = times[0] * screen->rows[0][1] + times[1] * screen->rows[1][1] -
                 pixels[1] * screen->dpi[1];
        if (wave.x * wave.x + wave.y * wave.y > 1e-12)
            add_wave(sums, &wave, sums->takes[ink] * screen->pixels[i].strength);
    }
}

double moire_add(const struct moire_screen *const screens[], const double takes[], int count,
                 ro_moire *moire)
{
    struct sums sums = {.screens = screens, .takes = takes, .closest = 1e9, .moire = moire};
    ro_moire_wave wave = {0};
    for (int i = 0; i < count; i++)
        sums.closest = fmin(sums.closest, screens[i]->dots.lpi);
    for (int i = 0; i < count; i++) {
        add_pixels(&sums, i);
        for (int j = i + 1; j < count; j++) {
            add_sums(&sums, (int[]){i, j}, 2, MOIRE_TIMES, 0, &wave, 1);
            for (int k = j + 1; k < count; k++)
                add_sums(&sums, (int[]){i, j, k}, 3, 1, 0, &wave, 1);
        }
    }
    if (moire) {
        moire->seen = sqrt(sums.seen);
        moire->shift = sqrt(sums.shifts);
    }
    return sums.seen + 4 * sums.shifts; /* a shift is all over the sheet: it counts twice */
}

/* ---- Public --------------------------------------------------------------------------------- */

ro_status moire_take(ro_context *context, const ro_screen_options *given, const ro_ink *inks,
                     int count, ro_screen_options *options)
{
    ro_status status = screen_take(context, given, "am", options);
    if (status == RO_OK && (!inks || count < 1 || count > RO_INKS_MOST))
        status = ro_context_fail(context, RO_E_ARGUMENT, "%d inks: must be from 1 to %d", count,
                                 RO_INKS_MOST);
    for (int i = 0; i < count && status == RO_OK; i++)
        if (!(inks[i].lpi > 0 || options->lpi > 0))
            status =
                ro_context_fail(context, RO_E_ARGUMENT,
                                "moiré is found for lines per inch, which ink %d has not", i + 1);
    return status;
}

static ro_status find_moire(ro_context *context, const ro_screen_options *given, const ro_ink *inks,
                            int count, int measured, ro_moire *moire)
{
    if (MISSING(context, inks, moire))
        return RO_E_ARGUMENT;
    struct moire_screen screens[RO_INKS_MOST] = {0};
    const struct moire_screen *list[RO_INKS_MOST];
    double takes[RO_INKS_MOST];
    ro_screen_options options;
    *moire = (ro_moire){0};
    ro_status status = moire_take(context, given, inks, count, &options);
    for (int i = 0; i < count && status == RO_OK; i++) {
        status = moire_screen_find(context, &options, &inks[i], &screens[i]);
        if (status == RO_OK && measured)
            status = moire_screen_measure(context, &options, &inks[i], &screens[i]);
        list[i] = &screens[i];
        takes[i] = moire_takes(&inks[i]);
        moire->dots[i] = screens[i].dots;
        memcpy(moire->rows[i], screens[i].rows, sizeof moire->rows[i]);
    }
    if (status == RO_OK)
        (void)moire_add(list, takes, count, moire);
    return status;
}

ro_status ro_moire_find(ro_context *context, const ro_screen_options *given, const ro_ink *inks,
                        int count, int measured, ro_moire *moire)
{
    ro_moire full = {.size = sizeof full};
    ro_status status = report_check(context, moire);
    if (status != RO_OK)
        return status;
    status = find_moire(context, given, inks, count, measured, moire ? &full : NULL);
    report_give(moire, &full);
    return status;
}

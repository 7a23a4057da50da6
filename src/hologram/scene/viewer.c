/* SPDX-License-Identifier: MIT */
#include "hologram/scene/viewer.h"

#include "context/context.h"
#include "hologram/field/field.h"

#include <math.h>
#include <string.h>

enum { HOGELS = 12, LEAST_HOGEL = 64 };

uint32_t viewer_hogel(uint32_t longer)
{
    return longer / HOGELS < LEAST_HOGEL ? LEAST_HOGEL : longer / HOGELS;
}

/* The largest distance across from a hogel's middle to the area, over the way to it. */
static double steepest(double side, double area)
{
    return side / 2 * (1 - 1.0 / HOGELS) + area / 2;
}

double viewer_distance(double side, double area, const ro_optics *optics)
{
    const double sine = fmin(0.9 * optics->wavelength / (2 * optics->pitch), 0.99);
    return steepest(side, area) * sqrt(1 / (sine * sine) - 1);
}

void viewer_fit(uint32_t width, uint32_t height, ro_optics *optics)
{
    double pitch[2], away = 0;
    field_pitch(optics, pitch);
    const double side[2] = {width * pitch[0], height * pitch[1]};
    for (int i = 0; i < 2; i++) {
        const ro_optics along = {.wavelength = optics->wavelength, .pitch = pitch[i]};
        if (optics->viewing_area[i] == 0)
            optics->viewing_area[i] = fmin(side[0], side[1]) / 2;
        away = fmax(away, viewer_distance(side[i], optics->viewing_area[i], &along));
    }
    if (optics->viewer[2] == 0)
        optics->viewer[2] = -away;
}

ro_status viewer_check(ro_context *context, uint32_t width, uint32_t height,
                       const ro_optics *optics)
{
    double pitch[2];
    field_pitch(optics, pitch);
    const double side[2] = {width * pitch[0], height * pitch[1]};
    for (int i = 0; i < 2; i++) {
        const double across = steepest(side[i], optics->viewing_area[i]) + fabs(optics->viewer[i]);
        const double away = -optics->viewer[2], sine = across / sqrt(across * across + away * away);
        const double most = optics->wavelength / (2 * pitch[i]);
        if (sine * (1 - 1e-6) <= most)
            continue;
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "a viewing area of %.4g x %.4g mm at %.4g,%.4g,%.4g mm is out of reach: pixels of %.4g "
            "um bend light of %.4g nm by %.3g degrees, the outer hogels of %.4g mm need %.3g; it "
            "would do at z = %.4g mm",
            1e3 * optics->viewing_area[0], 1e3 * optics->viewing_area[1], 1e3 * optics->viewer[0],
            1e3 * optics->viewer[1], 1e3 * optics->viewer[2], 1e6 * pitch[i],
            1e9 * optics->wavelength, 57.29578 * asin(fmin(most, 1)), 1e3 * side[i],
            57.29578 * asin(sine), -1e3 * across * sqrt(1 / (most * most) - 1) * 1.001);
    }
    return RO_OK;
}

/* ---- The eye --------------------------------------------------------------------------------- */

/* The samples of n along axis 0 or 1 that it sees, from the first up to the end. */
static void seen(uint32_t n, const ro_optics *o, int axis, uint32_t *first, uint32_t *end)
{
    double pitch[2];
    field_pitch(o, pitch);
    *first = *end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double place = (i + 0.5 - n / 2.0) * pitch[axis];
        if (fabs(place - o->viewer[axis]) > o->viewing_area[axis] / 2)
            continue;
        *first = *end == 0 ? i : *first;
        *end = i + 1;
    }
}

bool viewer_sees(uint32_t width, uint32_t height, const ro_optics *o)
{
    uint32_t first, right, bottom;
    seen(width, o, 0, &first, &right);
    seen(height, o, 1, &first, &bottom);
    return right && bottom;
}

void viewer_crop(float *data, uint32_t width, uint32_t height, const ro_optics *o)
{
    uint32_t left, right, top, bottom;
    seen(width, o, 0, &left, &right);
    seen(height, o, 1, &top, &bottom);
    for (uint32_t y = 0; y < height; y++, data += 2 * (size_t)width) {
        const bool row = y >= top && y < bottom;
        memset(data, 0, (row ? left : width) * 2 * sizeof *data);
        if (row)
            memset(data + 2 * (size_t)right, 0, (size_t)(width - right) * 2 * sizeof *data);
    }
}

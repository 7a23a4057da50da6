/* SPDX-License-Identifier: MIT */
#include "hologram/field/viewer.h"

#include "context/context.h"
#include "hologram/field/field.h"

#include <math.h>

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

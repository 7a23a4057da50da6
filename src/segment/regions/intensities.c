/* SPDX-License-Identifier: MIT */
/* The intensities that fronts look at: smoothed as far as their noise asks for, so that a flood is
 * not held up by single pixels, nor runs through them. */
#include "segment/regions/regions.h"

#include "core/image.h"
#include "core/options.h"
#include "denoise/denoise.h"
#include "segment/segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GREYS = 65536 };

/* The intensity that a share of the pixels, in hundredths, does not exceed. */
static uint32_t percentile(const uint32_t *histogram, uint64_t total, uint64_t share)
{
    uint64_t below = 0;
    uint32_t i = 0;
    while (i + 1 < GREYS && 100 * (below += histogram[i]) < share * total)
        i++;
    return i;
}

/* Half pixels by which intensities are smoothed: 48 deviations of the noise are one per spread. Of
 * what is to be found nothing is known yet, so it is not smoothed as far. */
static double half_pixels_for(double noise, uint32_t spread, bool find)
{
    const double half = spread ? floor(48 * noise * 257 / spread + 0.5) : 1, most = find ? 2 : 5;
    return half < 1 ? 1 : half > most ? most : half;
}

static void fill_plane(struct ro_regions *work, const uint16_t *grey)
{
    struct region_plane *plane = &work->plane;
    plane->grey = work->grey;
    plane->least = UINT16_MAX;
    for (uint32_t y = 0; y < work->height; y++) {
        memcpy(work->grey + plane_value_at(plane, 0, y), grey, work->width * sizeof *grey);
        for (uint32_t x = 0; x < work->width; x++, grey++) {
            plane->least = *grey < plane->least ? *grey : plane->least;
            plane->most = *grey > plane->most ? *grey : plane->most;
        }
    }
}

/* Intensities from black to the white in use, 0 to 65535, as they are and smoothed. */
ro_status regions_read(struct ro_regions *work, const ro_image *in)
{
    const size_t pixels = (size_t)work->width * work->height;
    const uint32_t white = ro_image_white(in), in_use = image_white_in_use(in);
    uint32_t *histogram = calloc(GREYS, sizeof *histogram);
    work->raw = malloc(pixels * sizeof *work->raw);
    work->grey = calloc(plane_size(&work->plane), sizeof *work->grey);
    uint16_t *smooth = malloc(pixels * sizeof *smooth);
    ro_status status = RO_OK;
    if (!histogram || !work->raw || !work->grey || !smooth) {
        status = ro_context_fail(work->context, RO_E_MEMORY,
                                 "no memory for the intensities of %u x %u pixels", work->width,
                                 work->height);
        goto done;
    }
    ro_image stretched = *in;
    if (in_use < white)
        stretched.maxval = in_use;
    const bool floats = ro_format_sample_bytes(in->format) == 4; /* white is 1 there */
    work->unit = (floats ? 1.0 : (double)in_use) / UINT16_MAX;
    status = intensity_read(work->context, &stretched, work->raw);
    if (status != RO_OK)
        goto done;
    for (size_t i = 0; i < pixels; i++)
        histogram[work->raw[i]]++;
    work->plane.spread = percentile(histogram, pixels, 99) - percentile(histogram, pixels, 1);
    double noise = 0, deviation = work->options.smooth;
    if (is_default(deviation)) {
        status = noise_estimate(work->context, &stretched, &noise);
        deviation = half_pixels_for(noise, work->plane.spread, work->options.find_seeds) / 2;
    }
    work->report.smooth = deviation;
    if (status == RO_OK && deviation > 0)
        status = intensity_smooth(work->context, work->raw, work->width, work->height, deviation,
                                  smooth);
    if (status == RO_OK)
        fill_plane(work, deviation > 0 ? smooth : work->raw);
done:
    free(histogram);
    free(smooth);
    return status;
}

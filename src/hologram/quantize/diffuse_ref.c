/* SPDX-License-Identifier: MIT */
/* The definition of complex error diffusion: a pixel after another. */
#include "hologram/quantize/diffuse.h"
#include "roundoff/library.h"

#include <stdlib.h>

struct error {
    int32_t re, im;
};

static void diffuse_hogel(const struct hologram_job *job, struct hogel *hogel, struct error *errors)
{
    const struct hologram_taps *taps = &hogel->taps;
    const struct hologram_levels *levels = job->levels;
    const int width = (int)hogel->width, half = taps->shift ? 1 << (taps->shift - 1) : 0;
    hogel->clips = 0;
    for (int y = 0; y < (int)hogel->height; y++) {
        const float *g = (const float *)((const char *)job->field->data +
                                         (ptrdiff_t)(hogel->y + (uint32_t)y) * job->field->stride) +
                         2 * (size_t)hogel->x;
        uint8_t *out = job->out + (ptrdiff_t)(hogel->y + (uint32_t)y) * job->out_stride + hogel->x;
        for (int x = 0; x < width; x++) {
            int re = half, im = half;
            for (int i = 0; i < taps->count; i++) {
                int ex = x - taps->dx[i], ey = y - taps->dy[i];
                if (ex < 0 || ex >= width || ey < 0)
                    continue;
                const struct error *e = &errors[(size_t)ey * hogel->width + (size_t)ex];
                re += taps->re[i] * e->re - taps->im[i] * e->im;
                im += taps->im[i] * e->re + taps->re[i] * e->im;
            }
            const int gx = hologram_fixed(g[2 * x], job->scale);
            const int gy = levels->real ? 0 : hologram_fixed(g[2 * x + 1], job->scale);
            const int ux = hologram_clamp(gx + (re >> taps->shift), HOLOGRAM_SUM);
            const int uy = hologram_clamp(gy + (im >> taps->shift), HOLOGRAM_SUM);
            const int k = hologram_nearest_ref(levels, ux, uy);
            const int ex = (taps->against_field ? gx : ux) - levels->x[k];
            const int ey = (taps->against_field ? gy : uy) - levels->y[k];
            struct error *e = &errors[(size_t)y * hogel->width + (size_t)x];
            e->re = hologram_clamp(ex, HOLOGRAM_LIMIT);
            e->im = hologram_clamp(ey, HOLOGRAM_LIMIT);
            hogel->clips += e->re != ex || e->im != ey;
            out[x] = (uint8_t)k;
        }
    }
}

ro_status hologram_run_reference(struct hologram_job *job)
{
    size_t most = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        size_t size = (size_t)job->hogels[i].width * job->hogels[i].height;
        most = size > most ? size : most;
    }
    struct error *errors = calloc(most, sizeof *errors);
    if (!errors)
        return ro_context_fail(job->context, RO_E_MEMORY, "no memory for the errors of a hogel");
    ro_status status = RO_OK;
    for (uint32_t i = 0; i < job->count && status == RO_OK; i++) {
        diffuse_hogel(job, &job->hogels[i], errors);
        status = ro_context_progress(job->context, "quantize",
                                     job->done + job->share * (i + 1) / job->count);
    }
    free(errors);
    return status;
}

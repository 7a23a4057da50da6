/* SPDX-License-Identifier: MIT */
/* roundoff hologram quantize --refine: level numbers that show a target's amplitude. */
#include "cli/common/session.h"
#include "cli/hologram/hologram.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ro_status hologram_place(ro_context *context, const struct hologram_values *values,
                         const char *path, int channel, uint32_t width, uint32_t height,
                         const ro_optics *optics, ro_image *picture, double *wide)
{
    ro_status status = ro_amplitudes_load(context, path, channel, 0, 0, picture);
    if (status == RO_OK && (status = ro_picture_place(context, picture, width, height, optics,
                                                      values->place, wide)) != RO_OK) {
        char why[256];
        snprintf(why, sizeof why, "%s", ro_context_message(context));
        ro_context_fail(context, status, "%s: %s", path, why);
    }
    return status;
}

ro_status hologram_refine(ro_context *context, const struct hologram_values *values,
                          const ro_hologram_options *options, ro_refinement *refinement,
                          const ro_field *field, ro_image *numbers, ro_refinement_report *report)
{
    ro_status status = hologram_place(context, values, values->target, -1, field->width,
                                      field->height, &options->optics, &refinement->target, NULL);
    ro_hologram_options with = *options;
    ro_field source = {0};
    if (status == RO_OK)
        status = hologram_source(context, values, &options->optics, field->width, field->height,
                                 &source);
    with.source = source.data ? &source : NULL;
    if (status == RO_OK)
        status = ro_hologram_refine(context, field, numbers, &with, refinement, report);
    ro_field_free(&source);
    ro_image_free(&refinement->target);
    return status;
}

void hologram_write_refined(FILE *file, const ro_refinement_report *r)
{
    json_put(
        file,
        ", iterations %d, passes %d, edges %s, start_psnr_db %.5g, psnr_db %.5g, efficiency %.5g",
        r->iterations, r->passes, r->edges, r->start_psnr, r->psnr, r->efficiency);
}

void hologram_say_refined(const ro_refinement_report *r, const ro_report *ran, double seconds)
{
    fprintf(stderr,
            "hologram: refined, %u x %u, %d iterations, %d passes of search, %s edges: amplitude "
            "%.1f dB (at first %.1f), %.3g %% of the light, %.2f s\n",
            ran->width, ran->height, r->iterations, r->passes, r->edges, r->psnr, r->start_psnr,
            100 * r->efficiency, seconds);
}

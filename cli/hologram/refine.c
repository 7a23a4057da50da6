/* SPDX-License-Identifier: MIT */
/* roundoff hologram quantize --refine: level numbers that show a target's amplitude. */
#include "cli/common/session.h"
#include "cli/hologram/hologram.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ro_status hologram_refine(ro_context *context, const struct hologram_values *values,
                          const ro_hologram_options *options, ro_refinement *refinement,
                          const ro_field *field, ro_image *numbers, ro_refinement_report *report)
{
    ro_status status = ro_amplitudes_load(context, values->target, -1, field->width, field->height,
                                          &refinement->target);
    if (status == RO_OK)
        status = ro_hologram_refine(context, field, numbers, options, refinement, report);
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

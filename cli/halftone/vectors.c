/* SPDX-License-Identifier: MIT */
/* roundoff halftone --vectors: samples and the numbers of their levels. */
#include "cli/common/vectors.h"
#include "cli/halftone/halftone.h"

#include <stdio.h>
#include <string.h>

ro_status halftone_vectors(ro_context *context, const char *in, const char *path,
                           const struct halftone_request *request)
{
    const ro_halftone_options *options = &request->options;
    ro_image samples = {0}, levels = {0};
    ro_status status = vectors_load(context, in, &request->read, &samples);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_INDEX8, samples.width, samples.height,
                                (uint32_t)options->levels - 1, &levels);
    if (status == RO_OK)
        status = ro_halftone(context, &samples, &levels, options);
    if (status == RO_OK) {
        char title[160];
        snprintf(title, sizeof title, "%s, %u x %u pixels row by row: maxval %u, %d levels",
                 ro_context_report(context)->method, samples.width, samples.height, samples.maxval,
                 options->levels);
        const struct vector_column columns[2] = {{"sample", &samples, 1}, {"level", &levels, 1}};
        status = vectors_save(context, path, title, columns);
    }
    ro_image_free(&samples);
    ro_image_free(&levels);
    return status;
}

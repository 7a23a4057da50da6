/* SPDX-License-Identifier: MIT */
/* Pictures that are read whole: for methods that cannot run row by row, and to make a palette. */
#include "io/files/halftone_job.h"

#include <stdlib.h>
#include <string.h>

ro_status job_adapt(struct halftone_job *job)
{
    if (ro_reader_info(job->reader)->stack > 1)
        return ro_context_fail(job->context, RO_E_ARGUMENT,
                               "a palette is made for one picture, not for several pages");
    ro_status status = reader_image(job->reader, &job->picture);
    if (status == RO_OK)
        status = ro_palette_adapt(job->context, &job->picture, &job->options.tone,
                                  job->read.colours, &job->palette);
    if (status == RO_OK && job->read.made)
        *job->read.made = job->palette;
    job->result.maxval = (uint32_t)job->palette.count - 1;
    return status;
}

/* Rows of plates that lie one after another, as the output takes them. */
static ro_status write_rows(struct halftone_job *job, const ro_image *out, uint32_t height)
{
    const size_t row = job->output.plate_bytes;
    if (job->output.count == 1 && row == 0)
        return output_rows(&job->output, out->data, out->stride, height);
    uint8_t *together = malloc(row * (size_t)job->output.count);
    ro_status status = together ? RO_OK : RO_E_MEMORY;
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        for (int i = 0; i < job->output.count; i++)
            memcpy(together + (size_t)i * row,
                   (const uint8_t *)out->data +
                       ((ptrdiff_t)y * job->output.count + i) * out->stride,
                   row);
        status = output_rows(&job->output, together, 0, 1);
    }
    free(together);
    return status == RO_E_MEMORY
               ? ro_context_fail(job->context, status, "not enough memory for a row")
               : status;
}

ro_status job_whole(struct halftone_job *job)
{
    ro_image in = job->picture, out = {0};
    const ro_file_info *info = ro_reader_info(job->reader);
    ro_status status = in.data ? RO_OK : reader_image(job->reader, &in);
    job->picture = (ro_image){0};
    const uint32_t plates = (uint32_t)job->output.count; /* a row of each for every row */
    if (status == RO_OK && info->height > UINT32_MAX / plates)
        status = ro_context_fail(job->context, RO_E_SIZE, "%u rows are too many for %u inks",
                                 info->height, plates);
    if (status == RO_OK)
        status = ro_image_alloc(job->context, job->result.format, info->width,
                                info->height * plates, 0, &out);
    if (status == RO_OK)
        status = ro_plan_run(job->plan, &in, &out, NULL);
    if (status == RO_OK)
        status = write_rows(job, &out, info->height);
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

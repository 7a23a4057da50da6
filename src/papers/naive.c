/* SPDX-License-Identifier: MIT */
/*
 * The explicit scheme as one would write it down, a product of the matrix with the image, each
 * product rounded by itself: what a pixel gives and what its neighbour gets no longer agree, and
 * the sum drifts. It is here to show why the other scheme is written as it is.
 */
#include "core/checked.h"
#include "denoise/denoise.h"

#include <stdlib.h>
#include <string.h>

/* u' = sum of round(A u) over the pixel and its neighbours, A = 1 - tau L in 1/2^16. */
void naive_step(const struct step_weights *diffusion, enum ro_rounding rounding, const int32_t *u,
                int32_t *out, int32_t *scratch)
{
    int64_t width = diffusion->width, size = width * diffusion->height;
    struct pixel_edges edges = {scratch, scratch + size, scratch + 2 * size, scratch + 3 * size};
    const struct {
        const int32_t *weights;
        int64_t offset;
    } ways[] = {{edges.e, 1}, {edges.s, width}, {edges.se, width + 1}, {edges.sw, width - 1}};
    for (int plane = 0; plane < diffusion->planes; plane++) {
        if (plane % diffusion->joint == 0)
            diffusion_assemble(diffusion, u, plane, &edges);
        const int32_t *in = u + plane * size;
        int32_t *result = out + plane * size;
        for (int64_t i = 0; i < size; i++) {
            int64_t sum = 0, diagonal = 65536;
            for (int k = 0; k < 4; k++) {
                int32_t ahead = ways[k].weights[i];
                int32_t back = i >= ways[k].offset ? ways[k].weights[i - ways[k].offset] : 0;
                diagonal -= ahead + back;
                if (ahead)
                    sum +=
                        ro_round_quotient((int64_t)ahead * in[i + ways[k].offset], 65536, rounding);
                if (back)
                    sum +=
                        ro_round_quotient((int64_t)back * in[i - ways[k].offset], 65536, rounding);
            }
            result[i] = (int32_t)(sum + ro_round_quotient(diagonal * in[i], 65536, rounding));
        }
    }
}

ro_status denoiser_march(struct denoiser *work, size_t scratch_planes, plain_step *step,
                         const void *data)
{
    size_t size = (size_t)work->in.width * work->in.height, bytes;
    size_t all = size * (size_t)work->channels;
    int32_t *memory = NULL;
    if (size_multiply(size, (scratch_planes + 2 * (size_t)work->channels) * sizeof *memory, &bytes))
        memory = malloc(bytes);
    if (!memory)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                               work->in.width, work->in.height);
    int32_t *now = memory, *next = memory + all, *scratch = memory + 2 * all;
    ro_status status = denoiser_load(work, now);
    if (status == RO_OK)
        denoiser_trace(work, now);
    while (work->report.steps < work->options.iterations && status == RO_OK) {
        step(work, data, now, next, scratch);
        int32_t *last = now;
        now = next;
        next = last;
        work->report.steps++;
        denoiser_trace(work, now);
        status = denoiser_progress(work);
    }
    if (status == RO_OK)
        status = denoiser_store(work, now);
    if (status == RO_OK)
        denoiser_report(work, "reference", RO_CPU_SCALAR, 1);
    free(memory);
    return status;
}

static void step(const struct denoiser *work, const void *data, const int32_t *now, int32_t *next,
                 int32_t *scratch)
{
    (void)data;
    naive_step(&work->diffusion, work->rounding, now, next, scratch);
}

ro_status denoise_naive(struct denoiser *work) { return denoiser_march(work, 4, step, NULL); }

/* SPDX-License-Identifier: MIT */
/* The row kernel in plain C, and the choice among the kernels. */
#include "denoise/diffusion_rows.h"

#include "core/checked.h"
#include "core/cpu.h"

#include <stdlib.h>
#include <string.h>

/* ---- Plain C: one lane, 32-bit samples, any number system ------------------------------------ */

static bool scalar_supports(const struct step_weights *diffusion, int64_t white)
{
    (void)white;
    return !diffusion->real;
}

static inline const int32_t *line_of(const struct step_rows *rows, const char *row, int plane)
{
    return (const int32_t *)(row + (size_t)plane * rows->line_bytes) + 1;
}

static inline void scalar_row(const struct step_rows *rows, const struct row_work *work,
                              const struct step_weights *diffusion)
{
    const uint32_t width = diffusion->width;
    const bool nearest = diffusion->nearest;
    for (int plane = 0; plane < diffusion->planes; plane += diffusion->joint) {
        int32_t *weights = (int32_t *)line_of(rows, work->weights, plane);
        int32_t left_s = 0, left_p[RO_MAX_JOINT] = {0}, left_qh[RO_MAX_JOINT] = {0};
        for (uint32_t x = 0; x < width; x++) {
            bool inside = x + 1 < width && !work->last;
            struct edge_weights w = {0};
            if (inside) {
                int32_t p[RO_MAX_JOINT], q[RO_MAX_JOINT];
                for (int c = 0; c < diffusion->joint; c++) {
                    const int32_t *top = line_of(rows, work->guide_top, plane + c) + x;
                    const int32_t *bottom = line_of(rows, work->guide_bottom, plane + c) + x;
                    p[c] = bottom[1] - top[0];
                    q[c] = top[1] - bottom[0];
                }
                w = element_weights(diffusion, p, q);
            }
            for (int c = 0; c < diffusion->joint; c++) {
                const int32_t *top = line_of(rows, work->top, plane + c) + x;
                const int32_t *bottom = line_of(rows, work->bottom, plane + c) + x;
                int32_t *carry = (int32_t *)line_of(rows, work->carry, plane + c) + x;
                int32_t *out = (int32_t *)line_of(rows, work->out, plane + c) + x;
                int32_t p = 0, q = 0, h = 0, v = 0;
                if (x + 1 < width)
                    h = edge_flux(weights[x] + w.e, top[1] - top[0], nearest);
                if (!work->last)
                    v = edge_flux(left_s + w.s, bottom[0] - top[0], nearest);
                if (inside) {
                    p = edge_flux(w.se, bottom[1] - top[0], nearest);
                    q = edge_flux(w.sw, top[1] - bottom[0], nearest);
                }
                *out = saturated(*top + *carry + p + v + h - left_qh[c], diffusion->ceiling);
                *carry = q - v - left_p[c];
                left_p[c] = p;
                left_qh[c] = q + h;
            }
            left_s = w.s;
            weights[x] = w.e;
        }
    }
}

static void scalar_step(const struct step_rows *rows, const struct row_work *work)
{
    scalar_row(rows, work, rows->diffusion);
}

static void scalar_smooth(const struct step_rows *rows, const struct row_work *work)
{
    struct step_weights linear = *rows->diffusion;
    linear.model = RO_MODEL_LINEAR;
    linear.constant = linear.smoothing;
    linear.joint = 1;
    scalar_row(rows, work, &linear);
}

void plain_pack(const struct step_rows *rows, const void *values, char *line)
{
    memcpy(line + sizeof(int32_t), values, rows->diffusion->width * sizeof(int32_t));
}

void plain_unpack(const struct step_rows *rows, const char *line, void *values)
{
    memcpy(values, line + sizeof(int32_t), rows->diffusion->width * sizeof(int32_t));
}

static const struct row_kernel row_kernel_scalar = {
    .cpu = RO_CPU_SCALAR,
    .lanes = 1,
    .sample_bytes = sizeof(int32_t),
    .supports = scalar_supports,
    .step = scalar_step,
    .smooth = scalar_smooth,
    .pack = plain_pack,
    .unpack = plain_unpack,
};

/* ---- The choice ------------------------------------------------------------------------------ */

static const struct row_kernel *find_kernel(const struct step_weights *diffusion, int64_t white,
                                            ro_cpu best)
{
    static const struct row_kernel *const whole[RO_CPUS] = {[RO_CPU_SCALAR] = &row_kernel_scalar,
                                                            RO_VARIANTS_OF(row_kernel)};
    static const struct row_kernel *const real[RO_CPUS] = {[RO_CPU_SCALAR] = &float_kernel_scalar,
                                                           RO_VARIANTS_OF(float_kernel)};
    static const struct row_kernel *const small[RO_CPUS] = {[RO_CPU_SCALAR] = &float_kernel_rounded,
                                                            RO_VARIANTS_OF(float_kernel_rounded)};
    for (int cpu = (int)best; cpu >= RO_CPU_SCALAR; cpu--) {
        if (whole[cpu]->supports(diffusion, white))
            return whole[cpu];
        if (real[cpu]->supports(diffusion, white))
            return real[cpu];
        if (small[cpu]->supports(diffusion, white))
            return small[cpu];
    }
    return &float_kernel_rounded;
}

enum { INDICES = 2048 }; /* table_index is below 2^16 * 2048 / 2^16 */

ro_status rows_open(struct step_rows *rows, const struct step_weights *diffusion, int64_t white,
                    ro_cpu best)
{
    *rows = (struct step_rows){.diffusion = diffusion, .white = white, .wide = white > INT16_MAX};
    if (best == RO_CPU_AUTO)
        best = cpu_best();
    rows->kernel = find_kernel(diffusion, white, best);
    size_t lanes = (size_t)rows->kernel->lanes, bytes = (size_t)rows->kernel->sample_bytes;
    rows->vectors = (diffusion->width + lanes - 1) / lanes;
    rows->line_bytes = ((rows->vectors + 2) * lanes * bytes + 63) & ~(size_t)63;
    if (!size_multiply(rows->line_bytes, (size_t)diffusion->planes, &rows->row_bytes))
        return RO_E_SIZE;

    size_t table_bytes = 2 * INDICES * sizeof *rows->table;
    void *memory;
    if (posix_memalign(&memory, 64, 2 * rows->line_bytes + table_bytes) != 0)
        return RO_E_MEMORY;
    memset(memory, 0, 2 * rows->line_bytes + table_bytes);
    rows->elements = memory;
    rows->no_elements = rows->elements + rows->line_bytes;
    rows->table = (uint32_t *)(rows->no_elements + rows->line_bytes);
    rows->even = rows->table + INDICES;
    for (int i = 0; i < INDICES; i++) {
        rows->table[i] = i < RO_TABLE ? diffusion->table[i] : diffusion->beyond;
        rows->even[i] = i < RO_TABLE ? diffusion->even[i] : 0;
    }
    /* Vector j of a line, counted from the one before the first, is column l n + j - 1. */
    for (size_t j = 0; j <= rows->vectors; j++)
        for (size_t l = 0; l < lanes; l++) {
            size_t column = l * rows->vectors + j; /* plus one */
            if (column >= 1 && column < diffusion->width)
                memset(rows->elements + (j * lanes + l) * bytes, 0xff, bytes);
        }
    return RO_OK;
}

void rows_close(struct step_rows *rows)
{
    free(rows->elements);
    *rows = (struct step_rows){0};
}

static void run_stage(const struct stencil *stencil, int stage,
                      const struct stencil_work *stencil_work)
{
    const struct step_rows *rows = stencil->data;
    struct row_work work = {
        .top = stencil_work->row,
        .bottom = stencil_work->below ? stencil_work->below : stencil_work->row,
        .out = stencil_work->out,
        .weights = stencil_work->memory,
        .carry = stencil_work->memory + rows->row_bytes,
        .last = !stencil_work->below,
    };
    size_t guide = stage == 0 ? 0 : rows->row_bytes; /* the first smoothing's is the image itself */
    work.guide_top = work.top + guide;
    work.guide_bottom = work.bottom + guide;
    if (stage == rows->diffusion->smoothings) {
        rows->kernel->step(rows, &work);
        return;
    }
    memcpy(work.out, work.top, rows->row_bytes);
    work.top = work.guide_top;
    work.bottom = work.guide_bottom;
    work.out += rows->row_bytes;
    rows->kernel->smooth(rows, &work);
}

struct stencil rows_stencil(const struct step_rows *rows)
{
    return (struct stencil){
        .data = rows,
        .height = rows->diffusion->height,
        .row_bytes = rows->diffusion->smoothings ? 2 * rows->row_bytes : rows->row_bytes,
        .memory_bytes = 2 * rows->row_bytes,
        .stages = rows->diffusion->smoothings + 1,
        .run = run_stage,
    };
}

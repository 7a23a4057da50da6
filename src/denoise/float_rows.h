/* SPDX-License-Identifier: MIT */
/*
 * The explicit scheme in floating point: the definition, and the variants of s23e8. The same
 * elements and edges as in diffusion.h, every operation rounded to the format (for s23e8 by the
 * machine itself), in the order written here; vectors of any width give the same bits, and those of
 * small_float_simd.c for the smaller formats. Perona-Malik's function is computed, the exponential
 * one comes from its table. There is no promise about the sum.
 *
 * A row is done in pieces whose weights and fluxes lie in small arrays, for the compiler to turn
 * into vectors.
 */
#ifndef RO_DENOISE_FLOAT_ROWS_H
#define RO_DENOISE_FLOAT_ROWS_H

#include "denoise/diffusion_rows.h"

#include <math.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

/* How results are rounded: not at all for s23e8, or as number.h has it. It is a constant
 * everywhere. */
enum float_rounding { FLOAT_EXACT, FLOAT_DEFINED };

ALWAYS float r(const struct ro_small_float *real, const enum float_rounding exact, float x)
{
    return exact == FLOAT_EXACT
               ? x
               : (float)ro_small_float_round(real, (double)x, RO_ROUND_NEAREST_EVEN);
}

enum { PIECE = 64 };

/* Weights of elements; s has the element left of the piece before them. */
struct float_piece {
    float se[PIECE], sw[PIECE], e[PIECE], s[PIECE + 1];
    float p[PIECE + 1], qh[PIECE + 1];
};

struct float_lines {
    const float *top[RO_MAX_JOINT], *bottom[RO_MAX_JOINT];
};

#define R(x) r(real, exact, (x))

ALWAYS void float_weights(const struct step_weights *d, const struct float_lines *guide,
                          const int count, const int joint, const enum diffusion_model model,
                          struct float_piece *piece, const enum float_rounding exact)
{
    const struct ro_small_float *real = d->real;
    const struct float_weights *w = &d->weights;
    float norm[PIECE] = {0}, sine[PIECE] = {0}, cosine[PIECE] = {0}, value[PIECE], even[PIECE];
    for (int c = 0; c < joint; c++) {
        const float *top = guide->top[c], *bottom = guide->bottom[c];
        for (int x = 0; x < count; x++) {
            float p = R(bottom[x + 1] - top[x]), q = R(top[x + 1] - bottom[x]);
            float pp = R(p * p), qq = R(q * q);
            norm[x] = R(norm[x] + R(pp + qq));
            if (model >= RO_MODEL_ANISOTROPIC) {
                sine[x] = R(sine[x] + R(pp - qq));
                cosine[x] = R(cosine[x] + R(2 * R(p * q)));
            }
        }
    }
    const float scale = w->scale, whole = w->whole;
    for (int x = 0; x < count; x++) {
        float square = R(norm[x] * scale);
        even[x] = 0;
        if (model == RO_MODEL_TABLE || model == RO_MODEL_TENSOR) {
            float place = 8 * square;
            int index = place < RO_TABLE ? (int)place : RO_TABLE;
            value[x] = R(whole * w->exponential[index]);
            even[x] = R(w->sixth * w->even[index]);
        } else {
            float falling = R(whole / R(1 + square));
            value[x] = square < 64 ? falling : 0;
        }
    }
    for (int x = 0; x < count; x++) {
        if (model >= RO_MODEL_ANISOTROPIC) {
            float by = norm[x] > 0 ? norm[x] : 1;
            float sin2 = R(sine[x] / by), cos2 = R(cosine[x] / by);
            piece->se[x] = R(value[x] * R(2 - sin2));
            piece->sw[x] = R(value[x] * R(2 + sin2));
            piece->e[x] = R(value[x] * R(1 - cos2));
            piece->s[x + 1] = R(value[x] * R(1 + cos2));
            if (model == RO_MODEL_TENSOR) {
                float twice = R(even[x] + even[x]);
                piece->se[x] = R(piece->se[x] + twice);
                piece->sw[x] = R(piece->sw[x] + twice);
                piece->e[x] = R(piece->e[x] + even[x]);
                piece->s[x + 1] = R(piece->s[x + 1] + even[x]);
            }
        } else {
            piece->se[x] = piece->sw[x] = value[x];
            piece->e[x] = piece->s[x + 1] = R(0.5f * value[x]);
        }
    }
}

ALWAYS void float_fluxes(const struct ro_small_float *real, const struct float_lines *lines, int c,
                         int count, bool last, const struct float_piece *weights,
                         const float *above, struct float_piece *fluxes, float *carry, float *out,
                         const enum float_rounding exact)
{
    const float *top = lines->top[c], *bottom = lines->bottom[c];
    float gain[PIECE], loss[PIECE];
    for (int x = 0; x < count; x++) {
        float p = R(weights->se[x] * R(bottom[x + 1] - top[x]));
        float q = R(weights->sw[x] * R(top[x + 1] - bottom[x]));
        float h = R(R(above[x] + weights->e[x]) * R(top[x + 1] - top[x]));
        float v = last ? 0 : R(R(weights->s[x] + weights->s[x + 1]) * R(bottom[x] - top[x]));
        gain[x] = R(R(p + v) + h);
        loss[x] = R(q - v);
        fluxes->p[x + 1] = p;
        fluxes->qh[x + 1] = R(q + h);
    }
    for (int x = 0; x < count; x++) {
        out[x] = R(top[x] + R(R(gain[x] + carry[x]) - fluxes->qh[x]));
        carry[x] = R(loss[x] - fluxes->p[x]);
    }
    fluxes->p[0] = fluxes->p[count];
    fluxes->qh[0] = fluxes->qh[count];
}

#undef R

ALWAYS void float_row(const struct step_rows *rows, const struct row_work *work, const int joint,
                      const enum diffusion_model model, float diagonal, float side,
                      const enum float_rounding exact)
{
    const struct step_weights *d = rows->diffusion;
    const int64_t width = d->width;
    for (int plane = 0; plane < d->planes; plane += joint) {
        struct float_piece weights, fluxes[RO_MAX_JOINT];
        weights.s[0] = 0;
        for (int c = 0; c < joint; c++)
            fluxes[c].p[0] = fluxes[c].qh[0] = 0;
        float *above = (float *)(work->weights + (size_t)plane * rows->line_bytes) + 1;
        for (int64_t start = 0; start < width; start += PIECE) {
            int count = width - start < PIECE ? (int)(width - start) : PIECE;
            struct float_lines u, guide;
            for (int c = 0; c < joint; c++) {
                size_t at = (size_t)(plane + c) * rows->line_bytes + sizeof(float);
                u.top[c] = (const float *)(work->top + at) + start;
                u.bottom[c] = (const float *)(work->bottom + at) + start;
                guide.top[c] = (const float *)(work->guide_top + at) + start;
                guide.bottom[c] = (const float *)(work->guide_bottom + at) + start;
            }
            if (model == RO_MODEL_LINEAR)
                for (int x = 0; x < count; x++) {
                    weights.se[x] = weights.sw[x] = diagonal;
                    weights.e[x] = weights.s[x + 1] = side;
                }
            else
                float_weights(d, &guide, count, joint, model, &weights, exact);
            for (int x = work->last ? 0 : start + count < width ? count : count - 1; x < count; x++)
                weights.se[x] = weights.sw[x] = weights.e[x] = weights.s[x + 1] = 0;
            for (int c = 0; c < joint; c++) {
                size_t at = (size_t)(plane + c) * rows->line_bytes + sizeof(float);
                float_fluxes(d->real, &u, c, count, work->last, &weights, above + start, &fluxes[c],
                             (float *)(work->carry + at) + start, (float *)(work->out + at) + start,
                             exact);
            }
            memcpy(above + start, weights.e, (size_t)count * sizeof(float));
            weights.s[0] = weights.s[count];
        }
    }
}

ALWAYS void float_step(const struct step_rows *rows, const struct row_work *work,
                       const enum float_rounding exact)
{
    const struct step_weights *d = rows->diffusion;
    const struct float_weights *w = &d->weights;
    switch (d->model) {
    case RO_MODEL_LINEAR:
        float_row(rows, work, 1, RO_MODEL_LINEAR, w->diagonal, w->side, exact);
        break;
    case RO_MODEL_PERONA_MALIK:
        if (d->joint == 1)
            float_row(rows, work, 1, RO_MODEL_PERONA_MALIK, 0, 0, exact);
        else
            float_row(rows, work, RO_MAX_JOINT, RO_MODEL_PERONA_MALIK, 0, 0, exact);
        break;
    case RO_MODEL_TABLE:
        if (d->joint == 1)
            float_row(rows, work, 1, RO_MODEL_TABLE, 0, 0, exact);
        else
            float_row(rows, work, RO_MAX_JOINT, RO_MODEL_TABLE, 0, 0, exact);
        break;
    case RO_MODEL_ANISOTROPIC:
        if (d->joint == 1)
            float_row(rows, work, 1, RO_MODEL_ANISOTROPIC, 0, 0, exact);
        else
            float_row(rows, work, RO_MAX_JOINT, RO_MODEL_ANISOTROPIC, 0, 0, exact);
        break;
    case RO_MODEL_TENSOR:
        if (d->joint == 1)
            float_row(rows, work, 1, RO_MODEL_TENSOR, 0, 0, exact);
        else
            float_row(rows, work, RO_MAX_JOINT, RO_MODEL_TENSOR, 0, 0, exact);
        break;
    }
}

ALWAYS void float_smooth(const struct step_rows *rows, const struct row_work *work,
                         const enum float_rounding exact)
{
    const struct float_weights *w = &rows->diffusion->weights;
    float_row(rows, work, 1, RO_MODEL_LINEAR, w->smooth_diagonal, w->smooth_side, exact);
}

#undef ALWAYS
#endif

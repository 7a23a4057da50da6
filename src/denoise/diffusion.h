/* SPDX-License-Identifier: MIT */
/*
 * Diffusion filters on bilinear finite elements in integers (Strzodka, sections 2.1.1 and 2.3).
 *
 * Nodes are pixels, elements the squares between four of them. An element sees its two diagonal
 * differences p and q and gives a weight to each of its six edges:
 *
 *     a --E-- b      p = d - a     gradient, un-halved: gx = p + q, gy = p - q
 *     | \   / |      q = b - c     squared norm:        gx^2 + gy^2 = 2 (p^2 + q^2)
 *     S   X   S      diagonals: a-d (SE) and b-c (SW); each side (E, S) belongs to two
 *     | /   \ |      elements, whose weights add up; at the border to one.
 *     c --E-- d
 *
 * One explicit step moves the flux w (u_b - u_a) / 2^16, rounded by an odd rule, over every edge:
 * what one pixel gets the other loses. So the sum is exact however coarse the numbers are.
 */
#ifndef RO_DENOISE_DIFFUSION_H
#define RO_DENOISE_DIFFUSION_H

#include "core/shared.h"
#include "number/number.h"
#include "roundoff/denoise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diffusion_model {
    RO_MODEL_LINEAR,
    RO_MODEL_PERONA_MALIK,
    RO_MODEL_TABLE, /* Perona-Malik with another diffusivity, from a table; no option names it */
    RO_MODEL_ANISOTROPIC,
    RO_MODEL_TENSOR, /* two tables: as anisotropic, and the same in all directions */
};
const char *model_name(enum diffusion_model model);

/* How diffusion falls with the gradient x in units of kappa. */
enum diffusivity {
    RO_DIFFUSIVITY_PERONA_MALIK, /* 1/(1 + x^2) */
    RO_DIFFUSIVITY_EXPONENTIAL,  /* exp(-x^2) */
    RO_DIFFUSIVITY_DECAY,        /* exp(-x) */
    RO_DIFFUSIVITY_LINES,        /* Perona-Malik's by its tangents in x^2 */
    RO_DIFFUSIVITIES
};
const char *diffusivity_name(enum diffusivity diffusivity);

enum {
    RO_TABLE = 512,         /* entries of the diffusivity, linear in the squared gradient */
    RO_TIME_ONE = 16384,    /* time steps tau/h^2 are counted in 1/16384 */
    RO_TIME_ZERO = 6143,    /* the largest: 3/8 when rounding toward zero, */
    RO_TIME_NEAREST = 3071, /* 3/16 when rounding to nearest (Eq. 2.56) */
    RO_MAX_JOINT = 3,       /* channels that share a gradient */
    RO_MAX_SIGMA = 64,
};

/* The weights of an element, in 1/2^16 and with the time step in them. */
struct edge_weights {
    int32_t se, sw, e, s;
};

/* The same in floating point, for the small float formats; see float_rows.h. */
struct float_weights {
    float diagonal, side; /* the linear model */
    float whole, sixth;   /* tau/3, or tau/8 where anisotropic; tau/6 */
    float scale;          /* of p^2 + q^2 to the squared gradient over kappa^2 */
    float smooth_diagonal, smooth_side;
    float exponential[RO_TABLE + 1]; /* exp(-i/8) or another; the last from 64 kappa^2 on */
    float even[RO_TABLE + 1];        /* of a tensor, times tau/6 */
};

/* What a run needs to know: weights and tables, no pixel. */
struct step_weights {
    uint32_t width, height;
    int planes; /* channels, one image after another */
    int joint;  /* channels that share a gradient: planes or 1 */
    enum diffusion_model model;
    bool nearest;                 /* rounding of the flux: to nearest, or toward zero */
    uint32_t time;                /* tau/h^2 in 1/16384 */
    struct edge_weights constant; /* the linear model */
    uint16_t table[RO_TABLE];     /* of the SE weight, or of an eighth of the anisotropic one */
    uint16_t even[RO_TABLE];      /* of a tensor: what sides get more, and diagonals twice */
    uint16_t beyond;              /* the table's end */
    int32_t ceiling;              /* numbers saturate at 0 and here; 0: they need not */
    int shift;                    /* the squared norm p^2 + q^2 is shifted right by this, */
    uint32_t factor;              /* multiplied by this and shifted by 16: the place in the table */
    int smoothings;               /* linear steps before each gradient, and their weights */
    struct edge_weights smoothing;
    const struct ro_small_float *real; /* NULL: integers */
    struct float_weights weights;
};

/* `kappa` in units of the state (grey levels of the working system), `sigma` in pixels. All are
 * checked by the caller: time <= the largest of the rounding, or <= RO_TIME_ONE with a ceiling,
 * kappa > 0, 0 <= sigma <= 64. */
struct diffusion_parameters {
    uint32_t width, height;
    int planes;
    bool independent;
    enum diffusion_model model;
    enum diffusivity diffusivity;
    bool nearest;
    uint32_t time;
    double kappa, sigma;
    const struct ro_small_float *real; /* NULL: integers */
    int32_t ceiling;                   /* of a time step that is not stable */
};
void diffusion_make(struct step_weights *diffusion, const struct diffusion_parameters *parameters);

/* ---- The definition in integers ------------------------------------------------------------- */

#ifdef __CUDACC__
#define RO_ELEMENT(...)                                                                            \
    edge_weights { __VA_ARGS__ }
#else
#define RO_ELEMENT(...)                                                                            \
    (struct edge_weights) { __VA_ARGS__ }
#endif

RO_SHARED int32_t edge_flux(int32_t weight, int32_t difference, bool nearest)
{
    int64_t product = (int64_t)weight * (difference < 0 ? -difference : difference);
    int32_t size = (int32_t)((product + (nearest ? 32768 : 0)) >> 16);
    return difference < 0 ? -size : size;
}

/* Where a time step is too long to be stable. */
RO_SHARED int32_t saturated(int32_t n, int32_t ceiling)
{
    return ceiling == 0 ? n : n < 0 ? 0 : n > ceiling ? ceiling : n;
}

/* The place of a squared norm in the table; from RO_TABLE on the diffusivity is 0. */
RO_SHARED uint32_t table_index(const struct step_weights *diffusion, uint64_t norm)
{
    uint64_t scaled;
    if (diffusion->shift >= 0)
        scaled = norm >> diffusion->shift;
    else
        scaled = norm > 65535u >> -diffusion->shift ? 65535 : norm << -diffusion->shift;
    return (uint32_t)((scaled > 65535 ? 65535 : scaled) * diffusion->factor >> 16);
}

/* The weights of an element whose `joint` channels have the diagonal differences p and q. */
RO_SHARED struct edge_weights element_weights(const struct step_weights *diffusion,
                                              const int32_t *p, const int32_t *q)
{
    if (diffusion->model == RO_MODEL_LINEAR)
        return diffusion->constant;
    uint64_t norm = 0;
    for (int c = 0; c < diffusion->joint; c++)
        norm += (uint64_t)((int64_t)p[c] * p[c] + (int64_t)q[c] * q[c]);
    uint32_t index = table_index(diffusion, norm);
    int32_t weight = index < RO_TABLE ? diffusion->table[index] : diffusion->beyond;
    if (diffusion->model < RO_MODEL_ANISOTROPIC)
        return RO_ELEMENT(weight, weight, weight >> 1, weight >> 1);

    /* The direction: |gx| and |gy| of all channels shifted together until they have 7 bits, and of
     * them sine and cosine of the doubled angle in 1/256. */
    int32_t gx[RO_MAX_JOINT], gy[RO_MAX_JOINT];
    uint32_t bits = 0;
    for (int c = 0; c < diffusion->joint; c++) {
        gx[c] = p[c] + q[c];
        gy[c] = p[c] - q[c];
        bits |= (uint32_t)(gx[c] < 0 ? -gx[c] : gx[c]) | (uint32_t)(gy[c] < 0 ? -gy[c] : gy[c]);
    }
#ifdef __CUDA_ARCH__
    int length = 32 - __clz((int)bits);
#else
    int length = bits ? 32 - __builtin_clz(bits) : 0;
#endif
    int shift = length > 7 ? length - 7 : 0;
    int32_t sine = 0, cosine = 0, square = 0;
    for (int c = 0; c < diffusion->joint; c++) {
        int32_t x = (gx[c] < 0 ? -gx[c] : gx[c]) >> shift;
        int32_t y = (gy[c] < 0 ? -gy[c] : gy[c]) >> shift;
        sine += (gx[c] < 0) == (gy[c] < 0) ? 2 * x * y : -2 * x * y;
        cosine += x * x - y * y;
        square += x * x + y * y;
    }
    if (square) {
        sine = 256 * sine / square;
        cosine = 256 * cosine / square;
    }
    int32_t even = index < RO_TABLE ? diffusion->even[index] : 0;
    return RO_ELEMENT((weight * (512 - sine) >> 8) + 2 * even,
                      (weight * (512 + sine) >> 8) + 2 * even,
                      (weight * (256 - cosine) >> 8) + even, (weight * (256 + cosine) >> 8) + even);
}

/* The weights of the four edges that start at a pixel (E, S, SE) or lead to it from the upper right
 * (SW, stored at its upper end), for the channels from `plane` on that share a gradient. */
struct pixel_edges {
    int32_t *e, *s, *se, *sw; /* width * height each */
};
void diffusion_assemble(const struct step_weights *diffusion, const int32_t *guide, int plane,
                        const struct pixel_edges *edges);

/* One explicit step (Eq. 2.48) of all planes from u to out, the gradient taken from `guide`.
 * `scratch` holds four images. */
void diffusion_step_ref(const struct step_weights *diffusion, const int32_t *u,
                        const int32_t *guide, int32_t *out, int32_t *scratch);

/* A whole iteration: the smoothings, then the step. `scratch` holds 4 + 2 * planes images. */
void diffusion_iterate_ref(const struct step_weights *diffusion, const int32_t *u, int32_t *out,
                           int32_t *scratch);

#endif

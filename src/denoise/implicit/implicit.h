/* SPDX-License-Identifier: MIT */
/*
 * The semi-implicit schemes (Eq. 2.38): each time step solves (1 + tau L) x = r, r being the image
 * and L its stiffness, by a few Jacobi sweeps or by conjugate gradients. The definitions are plain
 * code on whole images (Jacobi in integers in implicit_ref.c and in double precision in real_ref.c,
 * conjugate_ref.c); tiles.c and conjugate.c run the same operations on vectors and threads.
 */
#ifndef RO_DENOISE_IMPLICIT_IMPLICIT_H
#define RO_DENOISE_IMPLICIT_IMPLICIT_H

#include "denoise/denoise.h"
#include "denoise/implicit/conjugate_steps.h"

enum { RO_SWEEPS = 8 }; /* of Jacobi in a time step */

/* ---- The definitions ------------------------------------------------------------------------ */

/* Weights of edges without a time step, and the image they belong to. */
struct edge_system {
    int64_t width, height;
    const int32_t *e, *s, *se, *sw; /* in 1/2^16 */
};

/* One Jacobi sweep in the form of Eq. 2.50 with one rounding: x to next, r the right-hand side. */
void jacobi_sweep(const struct edge_system *system, uint32_t time, enum ro_rounding rounding,
                  const int32_t *r, const int32_t *x, int32_t *next);

/* Adds what x lacks of the sum of r to the pixels with the smallest hash of (seed, x, y), at most
 * to the extremes of r (Eq. 2.52). false: no memory. */
bool dither_defect(const int32_t *r, int32_t *x, int64_t width, int64_t height, uint64_t seed);

/* Solves (1 + tau L) x = r in double precision by `sweeps` Jacobi sweeps (Eq. 2.39); edges and
 * `scratch` are images. x comes in as the start. */
struct real_system {
    int64_t width, height;
    double time;
    const double *e, *s, *se, *sw;
    const atomic_bool *stop; /* once it is true, solving ends early; NULL: it does not */
};
void solve_by_jacobi(const struct real_system *system, int sweeps, const double *r, double *x,
                     double *scratch);

/* The same by as many sweeps as bring every x within `tolerance` of the solution, or as near as
 * doubles come: the inverse of 1 + tau L is a mean, so that no error exceeds the largest residual.
 */
void solve_within(const struct real_system *system, double tolerance, const double *r, double *x,
                  double *scratch);

/* The same by conjugate gradients; `way` becomes x - r, `scratch` has room for three images. */
struct conjugate_step {
    int64_t width, height;
    const float *e, *s, *se, *sw; /* weights times tau */
    const atomic_bool *stop;
    double enough; /* where it ends, see conjugate_enough */
};
void solve_by_conjugates(const struct conjugate_step *system, const float *r, float *way,
                         float *scratch);

/* Whole runs by the definitions. */
ro_status implicit_reference(struct denoiser *work);
ro_status implicit_real_reference(struct denoiser *work);

/* The weights that systems are made of: of integers those of L alone. */
void implicit_stiffness(const struct denoiser *work, struct step_weights *stiffness);

/* Whether more than the definition can do it: Jacobi in 24 bits and longer time steps are beyond
 * what lines.h and jacobi.cu compute exactly, and they have no tolerance. */
bool implicit_has_vectors(const struct denoiser *work);

/* The seed of a channel's dither after a time step, from 0. */
static inline uint64_t dither_seed(const struct denoiser *work, uint32_t step, int plane)
{
    return work->options.seed + ((uint64_t)step << 16) + ((uint64_t)plane << 48);
}

/* What is small enough of |residual|^2 / |r|^2: 6 bits below the numbers' last, but no less than
 * single precision can reach. */
static inline double conjugate_enough(const struct ro_number *number)
{
    double enough = 0x1p-60;
    for (int64_t n = number->floating ? 0x1p24 : number->fixed.max + 1; n < 0x1p24; n *= 2)
        enough *= 4;
    return enough > 0x1p-56 ? enough : 0x1p-56;
}

/* ---- The same on vectors and threads -------------------------------------------------------- */

/* Planes of numbers, one image after another. */
enum plane_type { RO_PLANE_INTEGERS, RO_PLANE_FLOATS, RO_PLANE_DOUBLES };
struct number_planes {
    enum plane_type type; /* int32_t, float or double */
    void *data;
};

/* Sums and extremes of a plane, before and after. */
struct edge_balance {
    int64_t defect; /* sum of r minus sum of x */
    int32_t min, max;
};

/* Some sweeps of one kind over all planes: Jacobi's of a time step, or explicit linear steps, which
 * smooth the image of the gradients. */
struct plane_sweeps {
    const struct step_weights *diffusion; /* weights; of integers with time 1 for Jacobi */
    bool jacobi;
    int count; /* RO_SWEEPS at most */
    double time;
    bool nearest;
    int channels;
    struct number_planes in, guide, out;
    const struct ro_small_float *real; /* what a float is rounded to; NULL: to a float */
    struct edge_balance *balance;      /* a plane each; NULL: not wanted */
};
ro_status sweeps_run(ro_context *context, const struct plane_sweeps *sweeps);

/* Solves all planes by conjugate gradients; `memory` holds conjugate_bytes. */
struct conjugate {
    const struct step_weights *diffusion;
    bool integers; /* weights are whole numbers of 1/2^16, and the solution is rounded */
    double time, enough;
    int channels;
    struct number_planes in, guide, out;
    const struct ro_small_float *real;
    struct edge_balance *balance;
    void *memory;
};
bool conjugate_bytes(int64_t width, int64_t height, size_t *bytes);
ro_status conjugate_run(ro_context *context, const struct conjugate *run);

/* The dither of dither_defect by all threads; the balance is known. */
ro_status dither_run(ro_context *context, int32_t *x, uint32_t width, uint32_t height,
                     const struct edge_balance *balance, uint64_t seed);

#endif

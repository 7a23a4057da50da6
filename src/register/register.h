/* SPDX-License-Identifier: MIT */
/*
 * Registration by a regularized gradient flow on scales from coarse to fine (Strzodka, 2.1.3, 2.5,
 * 4.1.5): what its parts share.
 *
 * Three nested loops: scales of the images; updates u = round(u - tau d) with d = A(sigma)^-1
 * (once or twice) g, g = w (T(x + u) - R) grad T(x + u); and Armijo's rule for tau. A^-1 is a
 * V-cycle (multigrid/), or lines of the scheme auto (smooth/). The loops are
 * in loops.c and know a back end as a table of functions; pixels are touched in
 * rows.h (CPU) and cuda/ only.
 *
 * Every sum is one of integers: terms are scaled by a power of two and cut to 32 bits, so that no
 * order of summation, of threads or of blocks can change a bit.
 */
#ifndef RO_REGISTER_REGISTER_H
#define RO_REGISTER_REGISTER_H

#include "core/shared.h"
#include "number/number.h"
#include "roundoff/register.h"
#include "solver/multigrid/multigrid.h"
#include "solver/smooth.h"

/* Rounds a displacement to s10e5 or s16e7 by operations that lanes have; see rounder_make. */
struct rounder {
    int drop;      /* mantissa bits to round away; 0: none */
    float limit;   /* the largest number */
    float least;   /* the least normal number; below it numbers are evenly spaced, */
    float spacing; /* and adding and taking away this rounds to them */
};
#ifdef __cplusplus
extern "C" {
#endif

struct rounder rounder_make(const struct ro_small_float *format);
float rounder_round(const struct rounder *round, float x);

/* Where the images end on a grid, in its nodes; padding lies beyond. */
struct field_extent {
    float right, bottom;
};

/* Energies are in units of 2^-30, g and d are scaled to at most 2^14 and 2^15 before they are
 * multiplied: a sum of two products fits 32 bits. */
enum { RO_ENERGY_BITS = 30, RO_GRADIENT_BITS = 14, RO_DIRECTION_BITS = 15, RO_SLOPE_BITS = 24 };

enum { RO_BLOCK = 4 }; /* pixels a side of what images are compared by */

struct match_sums {
    int64_t energy; /* of squared differences */
    int64_t count;  /* pixels that count */
    float peak;     /* largest |g| */
};

struct match_products {
    int64_t slope;  /* of g d, both scaled */
    int64_t square; /* of d d, scaled, in quarters */
};

/* Tones of blocks of 4 x 4 pixels, all of which are seen in both images: sums over blocks. */
struct match_agreement {
    int64_t blocks, moving, fixed, moving_square, fixed_square, product;
};

struct descent_probe {
    struct match_sums sums;
    float peak; /* largest |d| */
    struct match_products products;
};

/* What is smaller than this is nothing. */
#define RO_LEAST_PEAK 1e-30f

/* The power of two that brings all up to `peak` below 2^bits. */
RO_SHARED float scale_to(float peak, int bits)
{
    union {
        float number;
        uint32_t bits;
    } value = {peak > RO_LEAST_PEAK ? peak : RO_LEAST_PEAK};
    int exponent = (int)(value.bits >> 23) - 126;
    value.bits = (uint32_t)(bits - exponent + 127) << 23;
    return value.number;
}

/* 1 over it: another power of two, for a division takes its time. */
RO_SHARED double scale_unit(float peak, int bits)
{
    union {
        float number;
        uint32_t bits;
    } value = {scale_to(peak, bits)};
    value.bits = (254u << 23) - value.bits;
    return (double)value.number;
}

/* What slopes are divided by, from the sum of both planes' totals over all nodes: their mean. A
 * share of it is added to each, so that flat places do not move freely. */
#define RO_LEAST_SLOPE 0.02f
RO_SHARED float mean_slope(float scale, int64_t total, double nodes)
{
    const float mean = (float)((double)total / (double)scale / (2 * nodes));
    return mean > RO_LEAST_PEAK ? mean : RO_LEAST_PEAK;
}

/* A mask is 0 or 1 on the finest grid, and on coarser ones where its restriction is above this. */
#define RO_WHOLE 0.999f

/* The rows of one evaluation. */
struct descent_rows {
    int width, height; /* of the grid */
    ptrdiff_t stride;
    const float *moving; /* whole plane, at its first node */
    struct field_extent end;
    bool masked;              /* samples beyond the moving image do not count */
    const float *seen, *kept; /* whole planes: 1 where the moving and the fixed image count, else 0;
                                 both or none */
    struct rounder round;
    uint8_t *counts; /* with them, on the CPU: where both count at u, by `gradient` for `energy` */
};

struct descent_kernels {
    ro_cpu cpu;
    /* u = round(u - tau d) first, unless tau is 0; then g and the sums at u. */
    void (*gradient)(const struct descent_rows *rows, int y, float tau, float *ux, float *uy,
                     const float *dx, const float *dy, const float *fixed, float *gx, float *gy,
                     struct match_sums *sums);
    /* The energy at round(u - tau d), with the weights of u. */
    int64_t (*energy)(const struct descent_rows *rows, int y, float tau, const float *ux,
                      const float *uy, const float *dx, const float *dy, const float *fixed);
    void (*update)(const struct descent_rows *rows, float tau, float *ux, float *uy,
                   const float *dx, const float *dy);
    void (*products)(int width, float g_scale, float d_scale, const float *gx, const float *gy,
                     const float *dx, const float *dy, struct match_products *sums);
    float (*peak)(int width, const float *x);
    void (*rescale)(const struct rounder *round, int width, float by, float *u);
    void (*square)(int width, const float *x, float *out);
    /* What a pixel differs from the mean round it, by the deviation round it, in eighths; `size`:
     * whatever its sign. */
    void (*normalise)(int width, float least, bool size, const float *x, const float *mean,
                      const float *mean_square, float *out);
    /* Squares of the slopes of the fixed image, 0 where it does not count. */
    void (*slopes)(const struct descent_rows *rows, int y, const float *above, const float *row,
                   const float *below, float *xx, float *yy);
    /* The sum of what is positive, times `scale` and cut. */
    int64_t (*total)(int width, float scale, const float *x);
    /* x = mean / (x + least), what is negative counting as 0; and x = x by. */
    void (*balance)(int width, float mean, float least, float *x);
    void (*weigh)(int width, const float *by, float *x);
    /* Adds tones in units of 2^-12 and the number of pixels that count, column by column. */
    void (*tones)(const struct descent_rows *rows, int y, const float *ux, const float *uy,
                  const float *fixed, int32_t *moving_sum, int32_t *fixed_sum, int32_t *count);
};
const struct descent_kernels *flow_kernels_for(ro_cpu cpu);

/* ---- The flow and its back ends ------------------------------------------------------------- */

/* One smoothing of one width: a V-cycle, or along lines. */
struct field_filter {
    struct stencil stencils[RO_GRID_LEVELS];
    const float *inverse;            /* of the coarsest grid */
    struct line_chain along, across; /* of rows and of columns, on the scale's grid */
};

struct scale_plan {
    int level;
    double epsilon, sigma;
    float least;   /* added to a local variance: what is flatter than noise stays flat */
    size_t tables; /* where those of its filters begin */
    struct field_filter image, gradient, window; /* window: of the local mean and variance */
};

/* What a scheme has fixed. */
struct registration_constants {
    uint32_t updates;   /* at each scale, at most */
    uint32_t trials;    /* of the length of an update, at most */
    uint32_t cycles;    /* smoothings of the gradient, 1 or 2 */
    double sigma_first; /* of the gradient's smoothing at the first scale, in pixels */
    double finest;      /* smoothing of the images at the last scale, in pixels; 0: none */
    double tolerance;   /* root mean square of an update that ends a scale, in pixels */
};

/* What speaks for a result, if the start was looked for: see verdict.c. */
struct field_evidence {
    bool judged;  /* there is a verdict */
    bool fast;    /* the images were alike from the first moment, */
    double alike; /* so much */
    int matches;  /* points that match, and how many of them lie on the result */
    int support;
    double directions; /* share of blocks that fit best where the result says; < 0: not needed */
    bool noisy;        /* so that directions say less */
    bool descended;    /* the result is the descent's, not the start's */
};

struct registration {
    ro_context *context;
    struct thread_team *team;    /* while images are made ready and aligned; else NULL */
    ro_register_options options; /* with the defaults filled in */
    struct registration_constants constants;
    ro_register_report report;
    bool masked, normalised; /* normalised: match ncc */
    bool sizes;              /* whatever the sign of contrast, in each place by itself */
    bool balanced;           /* directions are weighed by how steep the fixed image is */
    bool automatic;          /* the scheme that chooses match and start itself */
    bool by_lines;           /* smoothed along rows and columns, not by V-cycles */
    bool watched;            /* ends where it goes astray */
    bool near;               /* a map has brought the images together already */
    bool skipped;            /* the coarsest scales, which the start has done */
    bool negative;           /* light in one image is dark in the other: the fixed one was turned */
    double window;           /* of local means and variances, in deviations of the scale */
    double noise;            /* standard deviation, of the noisier image */
    int width, height;       /* of what holds both images; the finest grid may be padded */
    struct {
        int width, height;
    } size[2]; /* of the moving and the fixed image */
    struct rounder round;
    struct multigrid grids;
    struct field_extent ends[RO_GRID_LEVELS];
    float *images[2];              /* moving and fixed on the finest grid, 0 to 1 */
    float *keep[2];                /* 1 where they count, 0 elsewhere; NULL: everywhere */
    float darkest[2], lightest[2]; /* tones of the images */
    float low[2], stretch[2];      /* what was taken away from tones, and what they were times */
    double contrast;               /* what 1 stands for, white being 1 */
    int scales;
    struct scale_plan scale[RO_REGISTER_SCALES];
    float *tables; /* of all filters, one after the other */
    size_t table_floats;
    struct field_evidence evidence;
    struct match_agreement reached, ended; /* when u came to the finest grid, and at the end */
    const struct registration_backend *backend;
    void *data; /* the back end's */
    bool on_device;
    int result;   /* of two flows, whose fields the device keeps */
    bool beside;  /* the other one runs at the same time: it has memory of its own, and is silent */
    int k, level; /* the scale that comes next or is under way, and its grid */
    double tau;   /* the last length of an update */
    ro_status status;
};

struct descent_rule;
struct descent_state;
struct descent_step;

/* What a back end does for the flow; each works on the grid of the scale begun last, except
 * `start`. A failure is kept and told by `finish`. */
struct registration_backend {
    void (*begin)(struct registration *flow, const struct scale_plan *scale); /* makes its images */
    void (*start)(struct registration *flow, int level);  /* u from report.start */
    void (*refine)(struct registration *flow, int level); /* u on `level` from the coarser grid */
    /* Begins all updates of the scale, by the rules of descent.h, and need not wait for
     * them. NULL: the flow does them by the three calls after `descended`. */
    void (*descend)(struct registration *flow, const struct descent_rule *rule, double tau);
    /* Waits for them; the steps are the back end's and last until the next call. */
    const struct descent_step *(*descended)(struct registration *flow,
                                            struct descent_state *descent);
    /* Updates u by tau d, then takes g and d there and all sums over them. */
    void (*probe)(struct registration *flow, float tau, struct descent_probe *probe);
    int64_t (*energy)(struct registration *flow, float tau);
    void (*update)(struct registration *flow, float tau);
    void (*agree)(struct registration *flow, struct match_agreement *sums); /* on the finest grid */
};

/* Row y of u_x or u_y at the start, with its ghosts. */
void flow_start_row(const struct registration *flow, int level, int component, int y, float *row);

/* Adds a block, given the sums of its columns; one that is not seen whole is left out. */
void flow_agree(const int32_t *moving, const int32_t *fixed, const int32_t *count,
                struct match_agreement *sums);

/* 1 - c|c| of the correlation c of blocks, 0 for images that agree; 2 where too few are seen. */
double flow_disagreement(const struct registration *flow, const struct match_agreement *sums);

/* Whether blocks agree less than when u came to the finest grid, and tones are not to blame; or
 * hardly more. */
bool flow_astray(const struct registration *flow);
bool flow_doubted(const struct registration *flow);

/* The three loops. */
void flow_run(struct registration *flow);

/* The same in steps, for who has two flows at hand: after the start a scale is begun and ended, as
 * long as its end tells that there is another. */
void flow_start(struct registration *flow);
void flow_begin_scale(struct registration *flow);
bool flow_end_scale(struct registration *flow);
void flow_finish(struct registration *flow);

/* The back end of the CPU: runs the flow and stores u at the images' pixels. */
ro_status flow_on_cpu(struct registration *flow, const ro_image *field, ro_report *ran);

/* The back end of the context's device. */
ro_status flow_anywhere(struct registration *flow, const ro_image *field, ro_report *ran);

/* ro_register with so many updates at a scale and smoothings of the gradient, for tests; 0: those
 * of the scheme. */
ro_status register_limited(ro_context *context, const ro_image *fixed, const ro_image *moving,
                           ro_image *field, const ro_register_options *options, uint32_t updates,
                           uint32_t cycles, ro_register_report *report);

/* The words of options. */
enum register_scheme { RO_SCHEME_AUTO, RO_SCHEME_ANNEALED, RO_SCHEME_THESIS };
enum match_kind { RO_MATCH_AUTO, RO_MATCH_SSD, RO_MATCH_NCC, RO_MATCH_NCC_SIZE };
enum transform_kind {
    RO_TRANSFORM_DENSE,
    RO_TRANSFORM_TRANSLATION,
    RO_TRANSFORM_RIGID,
    RO_TRANSFORM_SIMILARITY,
    RO_TRANSFORM_AFFINE,
    RO_TRANSFORM_HOMOGRAPHY
};

/* Where to start: the matrix of `report.start`. */
enum start_kind { RO_START_NONE, RO_START_TRANSLATION, RO_START_AFFINE };

/* The same map by correlation; `near`: only if the images are alike enough without a turn, as
 * `alike` says then. */
#define RO_ALIKE 0.9
ro_status register_align(struct registration *flow, enum start_kind start, bool near,
                         double *alike);

/* The fixed image as a negative. */
ro_status register_negate(struct registration *flow);

/* A search that begins where `flow` does, with images that a map has brought together: the default
 * scheme from no start. What the report says of the descent, and how tones were compared, is taken
 * over by `flow`. */
ro_status register_near(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                        const ro_register_options *options, const ro_image *field, ro_report *ran);

/* The scheme that needs no options: normalised tones, or plain ones where they led astray. */
ro_status register_auto(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                        const ro_image *field, ro_report *ran);

#ifdef __cplusplus
}
#endif

#endif

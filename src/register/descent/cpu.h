/* SPDX-License-Identifier: MIT */
/* The registration's back end on the CPU: its planes, and the parts that work on them. */
#ifndef RO_REGISTER_DESCENT_CPU_H
#define RO_REGISTER_DESCENT_CPU_H

#include "register/register.h"
#include "roundoff/library.h"
#include "thread/team.h"

struct flow_cpu {
    struct registration *flow;
    const struct descent_kernels *kernels;
    const struct smooth_kernels *lines;
    struct multigrid_cycle cycle; /* of which flows by lines have the scratch only */
    struct thread_team *team;
    float *memory;
    float *base[2][RO_GRID_LEVELS]; /* the images on every grid: moving, fixed; first the flow's */
    float *u[2][RO_GRID_LEVELS];
    float *g[2], *d[2], *smooth[2]; /* of the present grid; smooth: the scale's images */
    float *between[2];              /* one of two smoothings, or what is to be smoothed */
    float *balance[2];              /* what the direction is weighed by */
    float *keep[2][RO_GRID_LEVELS]; /* NULL: all counts */
    uint8_t *counts;                /* with them, of the present grid */
    const float *image[2];          /* of the present scale */
    int level;
    const struct scale_plan *scale;
    struct match_sums sums[RO_MAX_THREADS];
    struct match_products products[RO_MAX_THREADS];
    struct match_agreement agreements[RO_MAX_THREADS];
};

static inline const struct solver_grid *grid_of(const struct flow_cpu *cpu)
{
    return &cpu->flow->grids.grid[cpu->level];
}

static inline size_t work_of(const struct flow_cpu *cpu) { return grid_of(cpu)->floats; }

/* Rows of a pass are left out once Ctrl-C was heard. */
static inline bool goes_on(const struct flow_cpu *cpu)
{
    return !ro_context_cancelled(cpu->flow->context);
}

/* Whether Ctrl-C was heard, which ends the flow; asked before each pass, on the thread that leads.
 */
bool flow_cpu_stopped(struct flow_cpu *cpu);

/* A pass over the present grid, unless it was; what it made of its rows is of no use then. */
void flow_cpu_pass(struct flow_cpu *cpu, pass_task_fn *pass, void *data);

/* The rows of the present grid. */
struct descent_rows flow_cpu_rows(const struct flow_cpu *cpu);

/* Smooths two planes; the cycle's own planes on the present grid are lent to it by the caller.
 * `told`: whom the cycle tells of finished rows, with `cpu`; or NULL. */
typedef void flow_cpu_told(void *data, int share, int plane, int y, float *row);
void flow_cpu_smooth(struct flow_cpu *cpu, const struct field_filter *filter, float *const from[2],
                     float *const to[2], flow_cpu_told *told);

/* The same twice, in between weighed by `balance` where the flow is balanced. Along lines this is
 * rows, columns, columns, rows: symmetric. */
void flow_cpu_smooth_twice(struct flow_cpu *cpu, const struct field_filter *filter,
                           float *const from[2], float *const to[2], flow_cpu_told *told);

/* The largest number of finished rows, and of them all; `sums` begin with 0. */
void flow_cpu_peak_row(void *data, int share, int plane, int y, float *row);
float flow_cpu_peak(const struct flow_cpu *cpu);

/* Parts of the back end: the images of a scale, and how far they agree; see registration_backend.
 */
void flow_cpu_begin(struct registration *flow, const struct scale_plan *scale);
void flow_cpu_agree(struct registration *flow, struct match_agreement *sums);

/* g, d and all sums over them; the energy; the update. */
void flow_cpu_probe(struct registration *flow, float tau, struct descent_probe *probe);
int64_t flow_cpu_energy(struct registration *flow, float tau);
void flow_cpu_update(struct registration *flow, float tau);

#endif

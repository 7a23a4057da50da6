/* SPDX-License-Identifier: MIT */
/*
 * The two sequential algorithms of Kasagi, Nakano and Ito, raster order, one pixel a step.
 *
 *   ed  scatter: a pixel adds its weighted error to its neighbours to come. The sums stay undivided
 *       and are divided once, when their pixel is read.
 *   ec  gather: a pixel sums the errors of its neighbours gone by.
 *
 * Both cache in registers: a window of sums (or errors) slides along each row that the kernel
 * reaches, so that a pixel costs one load and one store per row instead of one per tap.
 *
 *     row y      . . . x > >        ed: sums still growing        ec: errors still wanted
 *     row y+1    . < < < < .            leftmost is stored,            (rows above) a new one is
 *                                       a new one is loaded            loaded on the right
 *
 * Compiled once per kernel of the table, so that the windows really are registers, and once for
 * kernels known only at run time.
 *
 * Serpentine rows count columns along the scan, and the lines turn round with it. What ed scatters
 * then is the kernel itself; ec sees the errors of rows that ran the other way go by mirrored taps.
 */
#include "halftone/error_diffusion/diffusion.h"

#include <string.h>

#define TEMPLATE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 24")

enum {
    ROWS = DIFFUSION_MAX_DY + 1,
    SPAN = 2 * DIFFUSION_MAX_DX + 1, /* columns of a window, its pixel in the middle */
    MIDDLE = DIFFUSION_MAX_DX,
    LINE_PAD = DIFFUSION_PAD + DIFFUSION_MAX_DX,
};

/* Columns to the left and right that a row's window must hold for a kernel. */
TEMPLATE int reach(const struct diffusion_kernel *kernel, int dy, int direction)
{
    int farthest = 0;
    UNROLL
    for (int i = 0; i < kernel->count; i++)
        if (kernel->taps[i].dy == dy && kernel->taps[i].dx * direction > farthest)
            farthest = kernel->taps[i].dx * direction;
    return farthest;
}

TEMPLATE bool uses_row(const struct diffusion_kernel *kernel, int dy)
{
    bool used = false;
    UNROLL
    for (int i = 0; i < kernel->count; i++)
        used |= kernel->taps[i].dy == dy;
    return used;
}

/* The place in the image of a column along the scan. */
TEMPLATE uint32_t place(const struct diffusion_plan *plan, const struct diffusion_row *row,
                        int64_t x)
{
    return row->mirrored ? plan->width - 1 - (uint32_t)x : (uint32_t)x;
}

/* Rounds one pixel: from the undivided sum to the level put out, the error and the new carry. */
TEMPLATE int32_t round_pixel(const struct diffusion_plan *plan, const struct diffusion_row *row,
                             int64_t x, int64_t sum, int32_t divisor, int64_t *carry, bool plain)
{
    uint32_t at = place(plan, row, x);
    int64_t t = *carry + sum;
    int64_t carried = (divisor & (divisor - 1)) == 0 ? t >> __builtin_ctz((unsigned)divisor)
                                                     : floor_divide(t, divisor);
    *carry = t - divisor * carried;
    int32_t tone = diffusion_tone(plan, row->in, at), v = tone + (int32_t)carried;
    if (plain) {
        int k = v > plan->middle[0];
        diffusion_put(plan, row->out, at, k);
        return v - plan->level[k];
    }
    int k = diffusion_nearest(plan, diffusion_seen(plan, v, tone, at, row->y));
    diffusion_put(plan, row->out, at, k);
    return diffusion_kept(plan, v - diffusion_level(plan, k));
}

static size_t line_length(const struct diffusion_plan *plan)
{
    return (size_t)plan->width + 2 * LINE_PAD;
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return ROWS * line_length(plan) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

TEMPLATE void ed_row(const struct diffusion_plan *plan, const struct diffusion_kernel *kernel,
                     struct diffusion_row *row, bool plain)
{
    int32_t window[ROWS][SPAN] = {{0}};
    int64_t c = kernel->divisor / 2;
    UNROLL
    for (int dy = 0; dy < ROWS; dy++)
        if (dy == 0 || uses_row(kernel, dy))
            for (int dx = 0; dx <= reach(kernel, dy, 1); dx++)
                window[dy][MIDDLE + dx] = row->line[dy][dx];

    for (int64_t x = 0; x < plan->width; x++) {
        int32_t e = round_pixel(plan, row, x, window[0][MIDDLE], kernel->divisor, &c, plain);
        UNROLL
        for (int i = 0; i < kernel->count; i++)
            window[kernel->taps[i].dy][MIDDLE + kernel->taps[i].dx] += kernel->taps[i].weight * e;
        UNROLL
        for (int dy = 0; dy < ROWS; dy++) {
            if (dy > 0 && !uses_row(kernel, dy))
                continue;
            int left = reach(kernel, dy, -1), right = reach(kernel, dy, 1);
            if (dy > 0)
                row->line[dy][x - left] = window[dy][MIDDLE - left];
            UNROLL
            for (int dx = -left; dx < right; dx++)
                window[dy][MIDDLE + dx] = window[dy][MIDDLE + dx + 1];
            window[dy][MIDDLE + right] = row->line[dy][x + right + 1];
        }
    }
    UNROLL
    for (int dy = 1; dy < ROWS; dy++)
        if (uses_row(kernel, dy))
            for (int dx = -reach(kernel, dy, -1); dx < 0; dx++)
                row->line[dy][(int64_t)plan->width + dx] = window[dy][MIDDLE + dx];
}

/* Columns first to last-1; what the window needs of those before is in the lines. */
TEMPLATE void ec_columns(const struct diffusion_plan *plan, const struct diffusion_kernel *kernel,
                         struct diffusion_row *row, int64_t first, int64_t last, bool plain)
{
    int32_t window[ROWS][SPAN] = {{0}}; /* the error at x + d stands at MIDDLE + d */
    int64_t c = row->carry;
    UNROLL
    for (int dy = 0; dy < ROWS; dy++)
        if (uses_row(kernel, dy))
            for (int d = -reach(kernel, dy, 1); d < reach(kernel, dy, -1); d++)
                window[dy][MIDDLE + d] = row->line[dy][first + d];

    for (int64_t x = first; x < last; x++) {
        UNROLL
        for (int dy = 1; dy < ROWS; dy++)
            if (uses_row(kernel, dy))
                window[dy][MIDDLE + reach(kernel, dy, -1)] =
                    row->line[dy][x + reach(kernel, dy, -1)];
        int64_t sum = 0;
        UNROLL
        for (int i = 0; i < kernel->count; i++)
            sum += (int64_t)kernel->taps[i].weight *
                   window[kernel->taps[i].dy][MIDDLE - kernel->taps[i].dx];
        int32_t e = round_pixel(plan, row, x, sum, kernel->divisor, &c, plain);
        row->line[0][x] = window[0][MIDDLE] = e;
        UNROLL
        for (int dy = 0; dy < ROWS; dy++)
            if (uses_row(kernel, dy)) {
                UNROLL
                for (int d = -reach(kernel, dy, 1); d < reach(kernel, dy, -1) + (dy == 0); d++)
                    window[dy][MIDDLE + d] = window[dy][MIDDLE + d + 1];
            }
    }
    row->carry = c;
}

typedef void row_fn(const struct diffusion_plan *plan, struct diffusion_row *row);
typedef void columns_fn(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                        int64_t last);

/* For each kernel of the table, two levels and no options. */
#define COMPILE(id)                                                                                \
    static void ed_##id(const struct diffusion_plan *plan, struct diffusion_row *row)              \
    {                                                                                              \
        ed_row(plan, &diffusion_kernels[id], row, true);                                           \
    }                                                                                              \
    static void ec_##id(const struct diffusion_plan *plan, struct diffusion_row *row,              \
                        int64_t first, int64_t last)                                               \
    {                                                                                              \
        ec_columns(plan, &diffusion_kernels[id], row, first, last, true);                          \
    }
FOR_EACH_DIFFUSION_KERNEL(COMPILE)

static void ed_any(const struct diffusion_plan *plan, struct diffusion_row *row)
{
    if (plan->kernel_id == KERNEL_FLOYD_STEINBERG)
        ed_row(plan, &diffusion_kernels[KERNEL_FLOYD_STEINBERG], row, false);
    else
        ed_row(plan, &plan->kernel, row, false);
}

static void ec_any(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                   int64_t last)
{
    if (plan->serpentine)
        ec_columns(plan, &plan->turned, row, first, last, false);
    else if (plan->kernel_id == KERNEL_FLOYD_STEINBERG)
        ec_columns(plan, &diffusion_kernels[KERNEL_FLOYD_STEINBERG], row, first, last, false);
    else
        ec_columns(plan, &plan->kernel, row, first, last, false);
}

#define ED(id) [id] = ed_##id,
#define EC(id) [id] = ec_##id,
static row_fn *const ed_rows[DIFFUSION_KERNELS + 1] = {
    FOR_EACH_DIFFUSION_KERNEL(ED)[DIFFUSION_KERNELS] = ed_any};
static columns_fn *const ec_rows[DIFFUSION_KERNELS + 1] = {
    FOR_EACH_DIFFUSION_KERNEL(EC)[DIFFUSION_KERNELS] = ec_any};

/* Which of the rows to run; tables are tuned for plans that fold. */
static int code_of(const struct diffusion_plan *plan)
{
    return plan->fold ? plan->kernel_id : DIFFUSION_KERNELS;
}

void diffusion_gather(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                      int64_t last)
{
    int code = plan->serpentine ? DIFFUSION_KERNELS : code_of(plan);
    if (first == 0)
        row->carry =
            (code == DIFFUSION_KERNELS ? &plan->kernel : &diffusion_kernels[code])->divisor / 2;
    ec_rows[code](plan, row, first, last);
}

/* Lines lie in the order of the scan, so they turn round with it. */
static void turn_round(int32_t *line, int64_t width)
{
    for (int64_t a = 0, b = width - 1; a < b; a++, b--) {
        int32_t e = line[a];
        line[a] = line[b];
        line[b] = e;
    }
}

/* The lines of a ring for row y: ed looks down (rows y, y+1, ...), ec up (rows y, y-1, ...). */
static struct diffusion_row row_at(struct diffusion_run *run, const struct halftone_block *block,
                                   uint32_t r, int direction)
{
    const struct diffusion_plan *plan = run->plan;
    const size_t length = line_length(plan);
    const uint32_t y = block->first_row + r;
    struct diffusion_row row = {.in = block->in + (ptrdiff_t)r * block->in_stride,
                                .out = block->out + (ptrdiff_t)r * block->out_stride,
                                .y = y,
                                .mirrored = plan->serpentine && y % 2 == 1};
    for (int dy = 0; dy < ROWS; dy++) {
        uint32_t slot = (y + (uint32_t)(dy * direction)) % ROWS;
        row.line[dy] = (int32_t *)run->state + slot * length + LINE_PAD;
    }
    if (plan->serpentine)
        for (int dy = 0; dy <= plan->rows_down; dy++)
            turn_round(row.line[dy], plan->width);
    memset(row.out, 0, diffusion_row_bytes(plan));
    run->steps += plan->width;
    return row;
}

static void run_ed(struct diffusion_run *run, const struct halftone_block *block)
{
    for (uint32_t r = 0; r < block->rows; r++) {
        struct diffusion_row row = row_at(run, block, r, 1);
        ed_rows[code_of(run->plan)](run->plan, &row);
        /* This row's sums are used up: its line now belongs to a row below. */
        memset(row.line[0] - LINE_PAD, 0, line_length(run->plan) * sizeof(int32_t));
    }
}

static void run_ec(struct diffusion_run *run, const struct halftone_block *block)
{
    for (uint32_t r = 0; r < block->rows; r++) {
        struct diffusion_row row = row_at(run, block, r, -1);
        diffusion_gather(run->plan, &row, 0, run->plan->width);
    }
}

/* Before row y lines lie as they did for the row above. */
static struct diffusion_line carried_ec(const struct diffusion_run *run, uint32_t y, int line)
{
    const uint32_t slot = (y - 1 - (uint32_t)line) % ROWS;
    return (struct diffusion_line){(int32_t *)run->state + slot * line_length(run->plan) + LINE_PAD,
                                   sizeof(int32_t), 0, run->plan->serpentine && y % 2 == 0};
}

const struct diffusion_schedule diffusion_ed = {
    .name = "ed",
    .summary = "scatter, one pixel after another (Kasagi et al., ED)",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run_ed,
};

const struct diffusion_schedule diffusion_ec = {
    .name = "ec",
    .summary = "gather, one pixel after another (Kasagi et al., EC)",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run_ec,
    .carried = carried_ec,
};

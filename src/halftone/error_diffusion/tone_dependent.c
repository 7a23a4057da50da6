/* SPDX-License-Identifier: MIT */
/*
 * Tone-dependent error diffusion: its plan, its engine, and its sequential form.
 *
 * A share is (2 w e + s) / (2 s), rounded down: the number w e / s, rounded to the nearest, halves
 * up. Division is slow, so w / s becomes a number f and w e / s becomes f e. Where w e / s is not a
 * half, it is at least 1 / (2 s) > 2.7e-7 away from one, for no sum of weights exceeds 1799499; so
 * adding 1e-7 sends true halves up and no other number over one, as long as f e is right to within
 * 1e-7. Forty bits of fixed point do that for errors below 2^14, as 8-bit tones have them; doubles
 * do it for all.
 */
#include "halftone/error_diffusion/tone_dependent.h"

#include "halftone/error_diffusion/tone_dependent_tables.h"

#include <stdlib.h>
#include <string.h>

/* The threshold of tone i rises by up to half of this, of a step between levels. */
static int32_t modulation_of(const struct tonal_plan *tonal, int i, int64_t step)
{
    const int row = i < TONAL_HALF ? i : TONAL_TONES - 1 - i;
    return tonal->modulated ? (int32_t)(zhou_fang_modulation[row] * step / 100) : 0;
}

static bool make_tones(struct tonal_plan *tonal, const struct diffusion_plan *plan, uint32_t maxval)
{
    tonal->tones = malloc((maxval + 1) * sizeof *tonal->tones);
    if (!tonal->tones)
        return false;
    int b = 0;
    for (uint32_t a = 0; a <= maxval; a++) {
        const int32_t tone = 16 * (int32_t)a;
        while (b + 2 < plan->levels && diffusion_level(plan, b + 1) <= tone)
            b++;
        const int64_t level = diffusion_level(plan, b), step = diffusion_level(plan, b + 1) - level;
        const int i = (int)((510 * (tone - level) + step) / (2 * step));
        tonal->tones[a] = (struct tonal_tone){(int32_t)(tone - level), (int32_t)step, i, b,
                                              modulation_of(tonal, i, step)};
    }
    return true;
}

void tonal_plan_free(struct tonal_plan *tonal) { free(tonal->tones); }

bool tonal_plan_make(struct tonal_plan *tonal, struct diffusion_plan *plan, enum tonal_id id,
                     const struct diffusion_request *request)
{
    static const struct diffusion_kernel shape = {3, 4, {{1, 0, 2}, {-1, 1, 1}, {0, 1, 1}}};
    struct diffusion_request shaped = *request;
    shaped.kernel = &shape;
    shaped.kernel_id = DIFFUSION_KERNELS;
    diffusion_plan_make(plan, &shaped);
    plan->fold = false;
    plan->steps.lane_bits = 0;
    plan->bias = 0;
    plan->lane_bits = 32;
    plan->tonal = tonal;

    const int32_t(*weights)[3] = id == TONAL_ZHOU_FANG ? zhou_fang_weights : ostromoukhov_weights;
    tonal->tones = NULL;
    tonal->modulated = id == TONAL_ZHOU_FANG;
    tonal->tone_scale = 255.0 / request->maxval;
    for (int i = 0; i < TONAL_TONES; i++) {
        int row = i < TONAL_HALF ? i : TONAL_TONES - 1 - i;
        int64_t sum = 0;
        for (int k = 0; k < 3; k++)
            sum += tonal->weights[i][k] = weights[row][k];
        tonal->sum[i] = (int32_t)sum;
        tonal->modulation[i] = modulation_of(tonal, i, plan->white);
        for (int k = 0; k < 2; k++) {
            tonal->fixed[k][i] = ((2 * (int64_t)weights[row][k] << TONAL_BITS) + sum) / (2 * sum);
            tonal->share[k][i] = (double)weights[row][k] / (double)sum;
        }
    }
    return plan->levels == 2 || make_tones(tonal, plan, request->maxval);
}

/* ---- one pixel after another ---------------------------------------------------------------- */

#define TEMPLATE static inline __attribute__((always_inline))
/* A choice that no branch can foresee is made without one. */
#define UNFORESEEN(condition) __builtin_expect_with_probability(condition, 1, 0.5)

/* One half, and 1e-7, in fixed point. */
static const int64_t half_up = ((int64_t)1 << (TONAL_BITS - 1)) + 109951;

TEMPLATE int64_t share_of(const struct tonal_plan *tonal, int which, int32_t i, int64_t e,
                          bool small)
{
    if (small)
        return (e * tonal->fixed[which][i] + half_up) >> TONAL_BITS;
    int64_t sum = tonal->sum[i];
    return floor_divide(2 * tonal->weights[i][which] * e + sum, 2 * sum);
}

/* Columns from `first` on, `count` of them, in steps of `ahead`. What flows in may lie where what
 * flows out goes: a column is read before it is written. `carry` holds what goes to the next pixel:
 * with small tones undivided, so that the chain from pixel to pixel is a product, a sum, a shift, a
 * choice. */
TEMPLATE void scan(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                   int64_t count, int ahead, bool small, bool bytes, bool modulated, bool many)
{
    const struct tonal_plan *tonal = plan->tonal;
    const bool bits_out = plan->bits_out;
    const uint32_t row_hash = hash_of_row(plan->seed, row->y);
    const int32_t *in_flow = row->line[1];
    int32_t *out_flow = row->line[0];
    int64_t carry = row->carry, x = first, down = out_flow[first - ahead];
    unsigned bits = 0; /* of the byte that x lies in */
    for (int64_t n = 0; n < count; n++, x += ahead) {
        int32_t above = bytes ? 16 * row->in[x] : diffusion_tone(plan, row->in, (uint32_t)x);
        int32_t i = 0, white = plan->white, modulation = 0;
        const struct tonal_tone *tone = many ? &tonal->tones[above / 16] : NULL;
        if (many) {
            above = tone->above;
            white = tone->step;
            i = tone->index;
            modulation = tone->modulation;
        } else {
            i = bytes ? row->in[x] : (int32_t)tonal_index(plan, above);
            modulation = modulated ? tonal->modulation[i] : 0;
        }
        int64_t known = above + in_flow[x];
        int64_t v = small ? (carry + (known * ((int64_t)1 << TONAL_BITS) + half_up)) >> TONAL_BITS
                          : carry + known;
        int64_t threshold = white / 2;
        if (modulated)
            threshold += tonal_rise(modulation, row_hash, (uint32_t)x);
        bool k = UNFORESEEN(v > threshold);
        int64_t over = v - white, e = k ? over : v;
        int64_t right = share_of(tonal, 0, i, e, small);
        int64_t left = share_of(tonal, 1, i, e, small);
        carry = small ? e * tonal->fixed[0][i] : right;
        out_flow[x - ahead] = (int32_t)(down + left);
        down = e - right - left;
        if (!bits_out) {
            diffusion_put(plan, row->out, (uint32_t)x, many ? tone->level + k : k);
            continue;
        }
        bits |= (unsigned)k << (7 - x % 8);
        if (x % 8 == (ahead > 0 ? 7 : 0)) {
            row->out[x / 8] = (unsigned char)bits;
            bits = 0;
        }
    }
    if (bits)
        row->out[(x - ahead) / 8] |= (unsigned char)bits;
    out_flow[x - ahead] = (int32_t)down;
    row->carry = carry;
}

TEMPLATE void scan_either(const struct diffusion_plan *plan, struct diffusion_row *row,
                          int64_t first, int64_t count, int ahead)
{
    bool small = plan->white <= DIFFUSION_TABLE_WHITE, modulated = plan->tonal->modulated;
    bool bytes = plan->white == DIFFUSION_TABLE_WHITE && plan->sample_bytes == 1;
    if (plan->tonal->tones)
        scan(plan, row, first, count, ahead, small, false, modulated, true);
    else if (bytes && modulated)
        scan(plan, row, first, count, ahead, true, true, true, false);
    else if (bytes)
        scan(plan, row, first, count, ahead, true, true, false, false);
    else if (small)
        scan(plan, row, first, count, ahead, true, false, modulated, false);
    else
        scan(plan, row, first, count, ahead, false, false, modulated, false);
}

static void scan_right(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                       int64_t count)
{
    scan_either(plan, row, first, count, 1);
}

static void scan_left(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                      int64_t count)
{
    scan_either(plan, row, first, count, -1);
}

void tonal_columns(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                   int64_t last)
{
    scan_right(plan, row, first, last - first);
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return ((size_t)plan->width + 2) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

static void run_ed(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    int32_t *flow = (int32_t *)run->state + 1;
    for (uint32_t r = 0; r < block->rows; r++) {
        struct diffusion_row row = {.in = block->in + (ptrdiff_t)r * block->in_stride,
                                    .out = block->out + (ptrdiff_t)r * block->out_stride,
                                    .line = {flow, flow},
                                    .y = block->first_row + r};
        memset(row.out, 0, diffusion_row_bytes(plan));
        flow[-1] = flow[plan->width] = 0; /* what left the image */
        if (plan->serpentine && row.y % 2 == 1)
            scan_left(plan, &row, (int64_t)plan->width - 1, plan->width);
        else
            scan_right(plan, &row, 0, plan->width);
        run->steps += plan->width;
    }
}

static struct diffusion_line carried(const struct diffusion_run *run, uint32_t y, int line)
{
    (void)y, (void)line;
    return (struct diffusion_line){(int32_t *)run->state + 1, sizeof(int32_t), 0, false};
}

const struct diffusion_schedule tonal_ed = {
    .name = "ed",
    .summary = "one pixel after another",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run_ed,
    .carried = carried,
};

/* ---- the engine ----------------------------------------------------------------------------- */

struct tonal_state {
    struct diffusion_state diffusion; /* first: the engine of error diffusion runs and closes it */
    struct tonal_plan tonal;
};

static ro_status open_engine(struct halftoner *work)
{
    static const struct diffusion_schedule *const schedules[] = {&diffusion_wave, &tonal_ed, NULL};
    struct tonal_state *state = calloc(1, sizeof *state);
    if (!state)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a plan");
    work->state = state;
    struct diffusion_request request = diffusion_request_of(work);
    if (!tonal_plan_make(&state->tonal, &state->diffusion.plan,
                         (enum tonal_id)work->method->variant, &request))
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a table of tones");
    return diffusion_begin(work, schedules);
}

static void close_engine(struct halftoner *work)
{
    struct tonal_state *state = work->state;
    if (state)
        tonal_plan_free(&state->tonal);
    diffusion_end(work);
}

const struct halftone_engine tonal_engine = {
    .coloured = &palette_tonal_engine,
    .open = open_engine,
    .begin = diffusion_restart,
    .run = diffusion_run_block,
    .passes = diffusion_passes,
    .carry_in = diffusion_carry_in,
    .carry_out = diffusion_carry_out,
    .close = close_engine,
};

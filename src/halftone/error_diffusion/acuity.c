/* SPDX-License-Identifier: MIT */
/* Acuity: its plan, its engine, and its sequential form. */
#include "halftone/error_diffusion/acuity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct diffusion_kernel acuity_taps = {ACUITY_TAPS,
                                             ACUITY_TAPS,
                                             {{1, 0, 1},
                                              {2, 0, 1},
                                              {-2, 1, 1},
                                              {-1, 1, 1},
                                              {0, 1, 1},
                                              {1, 1, 1},
                                              {2, 1, 1},
                                              {-1, 2, 1},
                                              {0, 2, 1},
                                              {1, 2, 1}}};

/* The same without the third row. */
static const struct diffusion_kernel two_rows = {
    6, 6, {{1, 0, 1}, {-2, 1, 1}, {-1, 1, 1}, {0, 1, 1}, {1, 1, 1}, {2, 1, 1}}};

const struct acuity_table *acuity_table_of(enum acuity_variant variant)
{
    static const struct acuity_table *const tables[ACUITY_VARIANTS] = {
        &acuity_table_10, &acuity_table_6, &acuity_table_4};
    return tables[variant];
}

/* ---- the plan -------------------------------------------------------------------------------- */

int acuity_threshold_at(const struct acuity_table *table, int tone)
{
    const int dark = tone < ACUITY_TONES / 2 ? tone : ACUITY_TONES - 1 - tone;
    const int16_t *line = table->thresholds[dark >> 2];
    const int t = dark > 0 ? line[0] + line[1] * (dark & 3) : ACUITY_BLACK;
    return tone == dark ? t : 4096 - t;
}

struct acuity_tone acuity_tone_of(const struct diffusion_plan *plan, int32_t tone)
{
    const struct acuity_table *table = plan->acuity->table;
    int b = plan->levels - 2;
    while (plan->level[b] > tone || plan->level[b] == plan->level[b + 1])
        b--;
    const int32_t above = tone - plan->level[b], step = plan->level[b + 1] - plan->level[b];
    const int place = (int)((int64_t)255 * 256 * above / step); /* of 255 * 256 */
    const int j = place >> 8, f = place & 255, i = (place + 128) >> 8;
    const int64_t t =
        acuity_threshold_at(table, j) * (256 - f) + (f ? acuity_threshold_at(table, j + 1) * f : 0);
    return (struct acuity_tone){
        .above = above,
        .step = step,
        .threshold = (int32_t)(t * step >> 20),
        .level = (uint8_t)b,
        .class = (uint8_t)((i < 128 ? i : 255 - i) >> 2),
    };
}

static void set_table(struct acuity_plan *acuity, int which, int class, int value)
{
    acuity->bytes[which][class] = (int8_t)value;
    acuity->words[which][class] = (int16_t)(256 * acuity->bytes[which][class]);
}

/* Lanes of 16 bits hold every sum of two levels and 8-bit tones: a test adds up the weights. */
struct acuity_plan *acuity_plan_make(struct diffusion_plan *plan,
                                     const struct diffusion_request *request,
                                     enum acuity_variant variant)
{
    const struct acuity_table *table = acuity_table_of(variant);
    struct diffusion_request shaped = *request;
    shaped.kernel = variant == ACUITY_TEN ? &acuity_taps : &two_rows;
    shaped.kernel_id = DIFFUSION_KERNELS;
    diffusion_plan_make(plan, &shaped);
    plan->fold = false;
    plan->steps.lane_bits = 0;
    plan->bias = 0;
    plan->skew = ACUITY_SKEW;
    plan->lane_bits =
        plan->levels == 2 && plan->sample_bytes == 1 && request->maxval == 255 ? 16 : 32;
    struct acuity_plan *acuity =
        malloc(sizeof *acuity + ((size_t)request->maxval + 1) * sizeof *acuity->tones);
    if (!acuity)
        return NULL;
    plan->acuity = acuity;
    acuity->variant = variant;
    acuity->table = table;
    for (int class = 0; class < ACUITY_CLASSES; class ++) {
        uint32_t fours[(ACUITY_TAPS + 3) / 4] = {0};
        for (int tap = 0; tap < ACUITY_TAPS; tap++) {
            const uint32_t weight = (uint8_t)table->weights[class][tap];
            fours[tap / 4] |= weight << (8 * (tap % 4));
            set_table(acuity, tap, class, table->weights[class][tap]);
        }
        for (size_t i = 0; i < sizeof fours / sizeof *fours; i++)
            acuity->fours[i][class] = (int32_t)fours[i];
        set_table(acuity, ACUITY_FIRST_HIGH, class, table->thresholds[class][0] >> 8);
        set_table(acuity, ACUITY_FIRST_LOW, class, table->thresholds[class][0] & 255);
        set_table(acuity, ACUITY_RISE, class, table->thresholds[class][1]);
    }
    for (uint32_t a = 0; a <= request->maxval; a++)
        acuity->tones[a] = acuity_tone_of(plan, 16 * (int32_t)a);
    return acuity;
}

/* ---- one pixel after another ---------------------------------------------------------------- */

/* Shares that are on their way to a column not yet reached or complete, counted from the pixel at
 * hand: of its own row, of the row below, of the row after that. */
enum { RIGHT, NEXT, BELOW = NEXT + 1, AFTER = BELOW + 4, UNDER_WAY = AFTER + 2 };
static_assert((int)UNDER_WAY <= (int)DIFFUSION_UNDER_WAY, "a row has room for them");

static inline __attribute__((always_inline)) void scan(const struct diffusion_plan *plan,
                                                       struct diffusion_row *row, int64_t first,
                                                       int64_t last, bool wide)
{
    const struct acuity_tone *tones = plan->acuity->tones;
    const struct acuity_table *table = plan->acuity->table;
    int32_t *below = row->line[0], *after = row->line[2];
    const int32_t *flow = row->line[1], *passed = row->line[3];
    int32_t way[UNDER_WAY];
    memcpy(way, row->under_way, sizeof way);
    for (int64_t x = first; x < last; x++) {
        const struct acuity_tone *tone =
            &tones[wide ? ((const uint16_t *)(const void *)row->in)[x] : row->in[x]];
        const int8_t *weights = table->weights[tone->class];
        const int32_t v = tone->above + flow[x] + way[RIGHT];
        const int up = v > tone->threshold;
        const int32_t e = acuity_kept(tone, v - (up ? tone->step : 0));
        int32_t share[ACUITY_TAPS], rest = e;
#pragma GCC unroll 10
        for (int i = 0; i < ACUITY_TAPS; i++)
            if (i != ACUITY_DOWN)
                rest -= share[i] = acuity_share(weights[i], e);
        share[ACUITY_DOWN] = rest;
        way[RIGHT] = way[NEXT] + share[0];
        way[NEXT] = share[1];
        below[x - 2] = passed[x - 2] + way[BELOW] + share[2];
        way[BELOW] = way[BELOW + 1] + share[3];
        way[BELOW + 1] = way[BELOW + 2] + share[4];
        way[BELOW + 2] = way[BELOW + 3] + share[5];
        way[BELOW + 3] = share[6];
        after[x - 1] = way[AFTER] + share[7];
        way[AFTER] = way[AFTER + 1] + share[8];
        way[AFTER + 1] = share[9];
        diffusion_put(plan, row->out, (uint32_t)x, tone->level + up);
    }
    memcpy(row->under_way, way, sizeof way);
    if (last == plan->width) {
        below[last - 2] = passed[last - 2] + way[BELOW];
        below[last - 1] = passed[last - 1] + way[BELOW + 1];
        after[last - 1] = way[AFTER];
    }
}

void acuity_columns(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                    int64_t last)
{
    if (plan->sample_bytes == 2)
        scan(plan, row, first, last, true);
    else
        scan(plan, row, first, last, false);
}

static size_t line_length(const struct diffusion_plan *plan)
{
    return (size_t)plan->width + 2 * DIFFUSION_PAD;
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return 4 * line_length(plan) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

static void run_ed(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    int32_t *line[4];
    for (int i = 0; i < 4; i++)
        line[i] = (int32_t *)run->state + (size_t)i * line_length(plan) + DIFFUSION_PAD;
    for (uint32_t r = 0; r < block->rows; r++) {
        const uint32_t y = block->first_row + r, own = y % 2, above = 1 - own;
        struct diffusion_row row = {
            .in = block->in + (ptrdiff_t)r * block->in_stride,
            .out = block->out + (ptrdiff_t)r * block->out_stride,
            .line = {line[own], line[above], line[2 + own], line[2 + above]},
            .y = y};
        memset(row.out, 0, diffusion_row_bytes(plan));
        acuity_columns(plan, &row, 0, plan->width);
        run->steps += plan->width;
    }
}

static struct diffusion_line carried(const struct diffusion_run *run, uint32_t y, int line)
{
    const size_t number = 2 * (size_t)line + (y + 1) % 2;
    return (struct diffusion_line){(int32_t *)run->state + number * line_length(run->plan) +
                                       DIFFUSION_PAD,
                                   sizeof(int32_t), 0, false};
}

const struct diffusion_schedule acuity_ed = {
    .name = "ed",
    .summary = "one pixel after another",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run_ed,
    .carried = carried,
};

/* ---- the engine ----------------------------------------------------------------------------- */

static ro_status begin_cuda(struct halftoner *work, const struct diffusion_plan *plan)
{
    size_t entries;
    uint32_t(*table)[4] = acuity_cuda_table(plan, &entries);
    if (!table)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a table of tones");
    ro_status status = diffusion_begin_cuda(work, (const uint32_t(*)[4])table, entries);
    free(table);
    return status;
}

static ro_status open_engine(struct halftoner *work)
{
    static const struct diffusion_schedule *const schedules[] = {&diffusion_wave, &acuity_ed, NULL};
    struct diffusion_state *state = calloc(1, sizeof *state);
    work->state = state;
    struct diffusion_request request = diffusion_request_of(work);
    if (!state ||
        !acuity_plan_make(&state->plan, &request, (enum acuity_variant)work->method->variant))
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a plan");
    return work->device == RO_DEVICE_CUDA ? begin_cuda(work, &state->plan)
                                          : diffusion_begin(work, schedules);
}

static void close_engine(struct halftoner *work)
{
    struct diffusion_state *state = work->state;
    if (state)
        free((void *)(uintptr_t)state->plan.acuity);
    diffusion_end(work);
}

const struct halftone_engine acuity_engine = {
    .open = open_engine,
    .begin = diffusion_restart,
    .run = diffusion_run_block,
    .passes = diffusion_passes,
    .carry_in = diffusion_carry_in,
    .carry_out = diffusion_carry_out,
    .close = close_engine,
    .run_resident = diffusion_run_resident,
    .coloured = &palette_acuity_engine,
};

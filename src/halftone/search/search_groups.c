/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: who does what when.
 *
 * Blocks of a group touch no line in common, so threads take them as they come and the result is
 * the same: 1 2 1 2 3 4 3 4       a group after the other; inside a block, raster order 1 2 1 2
 *
 * A thread takes the blocks of its own part of the picture first, so that from group to group and
 * from round to round c_pe stays in its cache, and then helps with the parts of others.
 */
#include "context/context.h"
#include "halftone/search/search.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct job {
    const ro_context *context; /* once it is cancelled, work is left undone */
    struct dbs_state *state;
    const struct dbs_kernels *kernels;
    const ro_image *out;
    atomic_int ticket;
    _Atomic uint64_t error, changes;
    _Atomic int64_t gain;
};

enum { GROUPS = 4 };

/* How many blocks of a thread's part of the picture have been taken. */
struct part {
    atomic_int taken[GROUPS];
};
static_assert(sizeof(struct part) <= DBS_PART, "a part has a cache line of its own");

/* A round of all groups. Threads wait for the end of a group without going back to the pool, which
 * would have to wake them. They count blocks and not each other, so one of them can do it all. */
struct round {
    struct job *job;
    int threads;
    int64_t goal[GROUPS]; /* blocks of a group and of those before it */
    _Atomic int64_t done;
    struct gate_room room;
    struct thread_gate gate; /* `goal` of the last group that is done */
};

static void *scratch_of(const struct dbs_state *state, int thread)
{
    return state->scratch + state->plan.scratch_bytes * (size_t)thread;
}

int dbs_strip(int rows, int threads)
{
    const int turns = (rows + DBS_STRIP * threads - 1) / (DBS_STRIP * threads);
    return (rows + turns * threads - 1) / (turns * threads);
}

/* The next strip of rows to do, or false. */
static bool next_strip(struct job *job, int rows, int *y0, int *y1)
{
    const int strip = dbs_strip(rows, job->state->threads);
    *y0 = atomic_fetch_add(&job->ticket, 1) * strip;
    *y1 = *y0 + strip < rows ? *y0 + strip : rows;
    return *y0 < rows && !ro_context_cancelled(job->context);
}

/* Every page of c_pe once. Threads that meet new pages in the same order, as strips of rows do,
 * would wait for one another at each of them. */
static void touch_pages(void *data, int thread)
{
    enum { PAGE = 4096, MANY = 512 * PAGE };
    struct job *job = data;
    volatile uint8_t *first = (uint8_t *)job->state->pe;
    const ptrdiff_t bytes = job->state->stale - (uint8_t *)job->state->pe;
    ptrdiff_t from;
    (void)thread;
    while ((from = (ptrdiff_t)atomic_fetch_add(&job->ticket, 1) * MANY) < bytes &&
           !ro_context_cancelled(job->context))
        for (ptrdiff_t at = from; at < from + MANY && at < bytes; at += PAGE)
            first[at] = 0;
}

static void start_strips(void *data, int thread)
{
    struct job *job = data;
    struct dbs_state *state = job->state;
    int y0, y1;
    while (next_strip(job, state->plan.height, &y0, &y1)) {
        job->kernels->start(state, y0, y1, scratch_of(state, thread));
        for (int panel = 0; panel < state->plan.panels; panel++)
            memset(state->stale + dbs_line(&state->plan, panel, y0), 1, (size_t)(y1 - y0));
    }
}

static uint64_t sum_errors(const struct dbs_plan *plan, void *scratch, const struct dbs_area *area)
{
    uint64_t sum = 0;
    for (int y = area->y0; y < area->y1; y++) {
        const int32_t *error = dbs_error_row(plan, scratch, area->y0 - plan->w, y);
        for (int x = area->x0; x < area->x1; x++)
            sum += (uint64_t)((int64_t)error[x] * error[x]);
    }
    return sum;
}

static void convolve_strips(void *data, int thread)
{
    struct job *job = data;
    struct dbs_state *state = job->state;
    struct dbs_area area = {.x0 = 0, .x1 = state->plan.width};
    void *scratch = scratch_of(state, thread);
    while (next_strip(job, state->plan.height, &area.y0, &area.y1)) {
        job->kernels->project(state, area.y0, area.y1, scratch);
        job->kernels->correlate(state, area.y0, area.y1, scratch);
        atomic_fetch_add(&job->error, sum_errors(&state->plan, scratch, &area));
    }
}

/* How many blocks of a group lie beside each other, and below each other. */
static int blocks_across(const struct dbs_plan *plan, int group)
{
    return ((plan->width + plan->block - 1) / plan->block + 1 - (group & 1)) / 2;
}

static int blocks_down(const struct dbs_plan *plan, int group)
{
    return ((plan->height + plan->block - 1) / plan->block + 1 - (group >> 1)) / 2;
}

static void count_block(struct round *round, int group)
{
    if (atomic_fetch_add(&round->done, 1) + 1 == round->goal[group])
        gate_raise(&round->room, &round->gate, (uint64_t)round->goal[group]);
}

/* Blocks of a group that belong to a part of the picture, as long as there are any. */
static void search_part(struct round *round, int group, int part, struct dbs_tally *tally)
{
    const struct job *job = round->job;
    const struct dbs_plan *plan = &job->state->plan;
    const int across = blocks_across(plan, group);
    const int64_t blocks = (int64_t)across * blocks_down(plan, group);
    const int64_t first = blocks * part / round->threads;
    const int count = (int)(blocks * (part + 1) / round->threads - first);
    struct part *own = (struct part *)(void *)(job->state->parts + (size_t)part * DBS_PART);
    atomic_int *taken = &own->taken[group];
    int next;
    while (atomic_load_explicit(taken, memory_order_relaxed) < count &&
           (next = atomic_fetch_add(taken, 1)) < count) {
        const int64_t number = first + next;
        int x = (int)(number % across * 2 + (group & 1)) * plan->block;
        int y = (int)(number / across * 2 + (group >> 1)) * plan->block;
        struct dbs_area area = {x, y, x + plan->block, y + plan->block};
        if (area.x1 > plan->width)
            area.x1 = plan->width;
        if (area.y1 > plan->height)
            area.y1 = plan->height;
        if (!ro_context_cancelled(job->context))
            job->kernels->search(job->state, &area, tally);
        count_block(round, group);
    }
}

static void search_groups(void *data, int thread)
{
    struct round *round = data;
    struct dbs_tally tally = {0};
    for (int group = 0; group < GROUPS; group++) {
        if (group > 0)
            gate_wait(&round->room, &round->gate, (uint64_t)round->goal[group - 1]);
        for (int i = 0; i < round->threads; i++)
            search_part(round, group, (thread + i) % round->threads, &tally);
    }
    atomic_fetch_add(&round->job->changes, tally.changes);
    atomic_fetch_add(&round->job->gain, tally.gain);
}

static void run(ro_context *context, struct job *job, pool_task_fn *task)
{
    atomic_store(&job->ticket, 0);
    pool_run(context->pool, job->state->threads, task, job);
}

/* An area in raster order, strip by strip. */
static void search_strips(const ro_context *context, const struct dbs_kernels *kernels,
                          struct dbs_state *state, const struct dbs_area *area,
                          struct dbs_tally *tally)
{
    struct dbs_area strip = *area;
    for (; strip.y0 < area->y1 && !ro_context_cancelled(context); strip.y0 += DBS_STRIP) {
        strip.y1 = strip.y0 + DBS_STRIP < area->y1 ? strip.y0 + DBS_STRIP : area->y1;
        kernels->search(state, &strip, tally);
    }
}

static void search_round(ro_context *context, struct job *job)
{
    const struct dbs_plan *plan = &job->state->plan;
    if (plan->options.order == DBS_RASTER) {
        struct dbs_tally tally = {0};
        struct dbs_area all = {0, 0, plan->width, plan->height};
        search_strips(context, job->kernels, job->state, &all, &tally);
        job->changes = tally.changes;
        job->gain = tally.gain;
        return;
    }
    const int most = pool_threads(context->pool), limit = job->state->threads;
    struct round round = {.job = job, .threads = limit < most ? limit : most};
    int64_t goal = 0;
    for (int group = 0; group < GROUPS; group++) {
        goal += (int64_t)blocks_across(plan, group) * blocks_down(plan, group);
        round.goal[group] = goal;
    }
    memset(job->state->parts, 0, (size_t)limit * DBS_PART);
    gate_room_open(&round.room, round.threads);
    pool_run(context->pool, round.threads, search_groups, &round);
    gate_room_close(&round.room);
}

ro_status dbs_begin(ro_context *context, struct dbs_state *state, const struct dbs_kernels *kernels,
                    struct dbs_result *result)
{
    struct job job = {.context = context, .state = state, .kernels = kernels};
    run(context, &job, touch_pages);
    ro_status status = state->plan.random ? RO_OK : dbs_start_make(context, state);
    if (status != RO_OK)
        return status;
    run(context, &job, start_strips);
    run(context, &job, convolve_strips);
    ro_image_free(&state->first);
    *result = (struct dbs_result){.start_error = job.error, .running_error = job.error};
    return RO_OK;
}

/* Tells how far a search is: the number of changes falls by about a factor of three a round. */
static ro_status tell(ro_context *context, const struct dbs_plan *plan,
                      const struct dbs_result *result, uint64_t changes)
{
    const double pixels = (double)plan->width * plan->height;
    char phase[96];
    snprintf(phase, sizeof phase, "round %llu: %llu changes, error %.4g",
             (unsigned long long)result->rounds, (unsigned long long)changes,
             (double)result->running_error / (0x1p32 * pixels));
    return ro_context_progress(context, phase,
                               changes ? 1 - log1p((double)changes) / log1p(pixels) : 1);
}

ro_status dbs_search(ro_context *context, struct dbs_state *state,
                     const struct dbs_kernels *kernels, struct dbs_result *result)
{
    const uint64_t most = (uint64_t)state->plan.options.rounds;
    ro_status status = RO_OK;
    struct job job = {.context = context, .state = state, .kernels = kernels};
    do {
        job.changes = 0;
        job.gain = 0;
        search_round(context, &job);
        result->rounds++;
        result->changes += job.changes;
        result->running_error += (uint64_t)(32 * job.gain);
        status = tell(context, &state->plan, result, job.changes);
    } while (status == RO_OK && job.changes > 0 && result->rounds != most);
    return status;
}

static void pack_strips(void *data, int thread)
{
    struct job *job = data;
    const struct dbs_plan *plan = &job->state->plan;
    int y0, y1;
    void *scratch = scratch_of(job->state, thread);
    while (next_strip(job, plan->image_height, &y0, &y1)) {
        dbs_pack(job->state, y0, y1, job->out);
        struct dbs_area area = {plan->pad, plan->pad + y0, plan->pad + plan->image_width,
                                plan->pad + y1};
        job->kernels->project(job->state, area.y0, area.y1, scratch);
        atomic_fetch_add(&job->error, sum_errors(plan, scratch, &area));
    }
}

void dbs_finish(ro_context *context, struct dbs_state *state, const struct dbs_kernels *kernels,
                const ro_image *out, struct dbs_result *result)
{
    struct job job = {.context = context, .state = state, .kernels = kernels, .out = out};
    run(context, &job, pack_strips);
    result->error = job.error;
}

/* Within the picture: there, c_pe made afresh is c_pe as changes have left it. (At the edge of the
 * padding it is not: errors beyond it count as 0, and changes go on counting them.) */
uint64_t dbs_improving(ro_context *context, struct dbs_state *state,
                       const struct dbs_kernels *kernels)
{
    const struct dbs_plan *plan = &state->plan;
    const struct dbs_area picture = {plan->pad, plan->pad, plan->pad + plan->image_width,
                                     plan->pad + plan->image_height};
    struct job job = {.context = context, .state = state, .kernels = kernels};
    struct dbs_tally tally = {0};
    run(context, &job, convolve_strips);
    search_strips(context, &dbs_kernels_ref, state, &picture, &tally);
    return tally.changes;
}

/* SPDX-License-Identifier: MIT */
/*
 * The evolution of all labels: steps by a schedule, and every LOOK steps a look at each label.
 *
 * A front in few bits may stand still where it should creep: the flux rounds to nothing. Section
 * 2.4.3 has two factors against that. While a pixel beside the contour has a speed that would carry
 * it across and no pixel crosses for LOOK steps, phi and the speed are doubled in turn, phi first;
 * both saturate, the speed at the monotone bound. So a front stops only where its speed is zero,
 * and no pixel can cross any more when none beside the contour has such a speed: the label has
 * ended as soon as nothing moves. It has stalled if more than a hundredth of the pixels beside the
 * contour have a speed that the number system rounded to zero, or if there is nothing left to
 * double.
 *
 * Floats end when a step changes next to nothing, and their speed alone is doubled.
 *
 * With curvature or a field a pixel may cross more than once, even flicker for ever. There phi
 * alone is doubled, where a step moved nothing; the label has ended when that and LOOK more steps
 * leave every sign as it was, or when QUIET looks found every sign unchanged.
 */
#include "core/options.h"
#include "segment/levelset/schedule.h"
#include "segment/segment.h"

#include "core/names.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK = 20, QUIET = 5, USUAL_DEPTH = 8 };
/* Where a speed passes slowly through zero, single pixels of a good contour have some left. */
enum { STALLED = 100 };
/* The root mean square of a step's change, in pixels, below which a front in floats has ended. */
static const double AT_REST = 0.001;
/* As many as s16 has bits below one. */
enum { MOST_DOUBLED_FLOATS = 15 };
/* phi in pixels stays a normal number however often it is doubled. */
static const double LARGEST_SCALE = 0x1p200;

struct evolution {
    struct ro_segmentation *work;
    const struct schedule *schedule;
    struct level_front *fronts[RO_LABELS]; /* NULL: the label is not used */
    const struct level_kernel *kernels[RO_LABELS];
    uint32_t depth;
    struct level_tiles tiles;
    struct level_passes passes[RO_LABELS];
    struct level_cuda *cuda;
    unsigned moves[RO_LABELS]; /* LEVEL_ bits since the last look, or frame */
    int steeper[RO_LABELS];    /* doublings of phi, of a simple front since a pixel crossed */
    int faster[RO_LABELS];     /* doublings of the speed */
    bool speed_is_next[RO_LABELS];
    bool settled[RO_LABELS]; /* no pixel can cross any more */
    bool running[RO_LABELS];
    /* with curvature or a field */
    struct level_field before[RO_LABELS]; /* phi at the last doubling, or when a sign changed */
    bool watched[RO_LABELS];              /* LOOK steps after a doubling are not over */
    int quiet[RO_LABELS];                 /* looks since a sign changed */
};

/* ---- Schedules ------------------------------------------------------------------------------- */

struct schedule {
    const char *name;
    ro_status (*open)(struct evolution *evolution);
    ro_status (*run)(struct evolution *evolution, uint32_t steps); /* labels that run */
    void (*wake)(struct evolution *evolution,
                 int label); /* something other than a step has changed the front */
    ro_status (*fetch)(struct evolution *evolution, int label); /* phi is looked at */
    /* the root mean square of what the last step changed at the contour */
    ro_status (*change)(struct evolution *evolution, int label, double *rms);
};

static ro_status open_nothing(struct evolution *evolution)
{
    (void)evolution;
    return RO_OK;
}

static void wake_nothing(struct evolution *evolution, int label) { (void)evolution, (void)label; }

static ro_status fetch_nothing(struct evolution *evolution, int label)
{
    (void)evolution, (void)label;
    return RO_OK;
}

static ro_status change_here(struct evolution *evolution, int label, double *rms)
{
    if (!level_change(evolution->fronts[label], rms))
        return ro_context_fail(evolution->work->context, RO_E_MEMORY, "no memory for a row");
    return RO_OK;
}

/* A pixel has moved in the last step, or crossed in any since the last look. */
static void note_moves(struct evolution *evolution, int label, unsigned moves)
{
    evolution->moves[label] = (evolution->moves[label] & LEVEL_CROSSED) | moves;
}

static ro_status run_reference(struct evolution *evolution, uint32_t steps)
{
    for (int i = 0; i < RO_LABELS; i++)
        for (uint32_t step = 0; step < steps && evolution->running[i]; step++) {
            note_moves(evolution, i, level_step_ref(evolution->fronts[i]));
            if (ro_context_cancelled(evolution->work->context))
                return RO_E_CANCELLED;
        }
    return RO_OK;
}

static ro_status open_passes(struct evolution *evolution)
{
    for (int i = 0; i < RO_LABELS; i++)
        if (evolution->fronts[i])
            level_passes_open(&evolution->passes[i], evolution->fronts[i], evolution->kernels[i],
                              evolution->depth);
    return RO_OK;
}

static ro_status run_passes(struct evolution *evolution, uint32_t steps)
{
    ro_status status = RO_OK;
    for (int i = 0; i < RO_LABELS && status == RO_OK; i++)
        if (evolution->running[i]) {
            unsigned moves = 0;
            status = level_passes_run(&evolution->passes[i], evolution->work->context->pool, steps,
                                      &moves);
            note_moves(evolution, i, moves);
        }
    return status;
}

static ro_status open_tiles(struct evolution *evolution)
{
    struct ro_segmentation *work = evolution->work;
    if (level_tiles_open(&evolution->tiles, evolution->fronts, evolution->kernels, evolution->depth,
                         pool_threads(work->context->pool)) != RO_OK)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory to segment %u x %u pixels",
                               work->width, work->height);
    return RO_OK;
}

static ro_status run_tiles(struct evolution *evolution, uint32_t steps)
{
    unsigned moves[RO_LABELS];
    level_tiles_run(&evolution->tiles, evolution->work->context->pool, evolution->running, steps,
                    moves);
    for (int i = 0; i < RO_LABELS; i++)
        if (evolution->running[i])
            note_moves(evolution, i, moves[i]);
    return RO_OK;
}

static void wake_tiles(struct evolution *evolution, int label)
{
    level_tiles_wake(&evolution->tiles, label);
}

static ro_status open_cuda(struct evolution *evolution)
{
    return level_on_cuda->open(evolution->work->context, evolution->fronts, evolution->work->depth,
                               &evolution->cuda);
}

static ro_status run_cuda(struct evolution *evolution, uint32_t steps)
{
    unsigned moves[RO_LABELS] = {0};
    ro_status status = level_on_cuda->run(evolution->cuda, evolution->running, steps, moves);
    for (int i = 0; i < RO_LABELS; i++)
        if (evolution->running[i])
            note_moves(evolution, i, moves[i]);
    return status;
}

static void wake_cuda(struct evolution *evolution, int label)
{
    level_on_cuda->wake(evolution->cuda, label);
}

static ro_status fetch_cuda(struct evolution *evolution, int label)
{
    return level_on_cuda->fetch(evolution->cuda, label);
}

static ro_status change_cuda(struct evolution *evolution, int label, double *rms)
{
    return level_on_cuda->change(evolution->cuda, label, rms);
}

static const struct schedule schedules[] = {
    {"active", open_tiles, run_tiles, wake_tiles, fetch_nothing, change_here},
    {"reference", open_nothing, run_reference, wake_nothing, fetch_nothing, change_here},
    {"passes", open_passes, run_passes, wake_nothing, fetch_nothing, change_here},
    {"stream", open_passes, run_passes, wake_nothing, fetch_nothing, change_here},
};
static const struct schedule fused = {"fused",   open_cuda,  run_cuda,
                                      wake_cuda, fetch_cuda, change_cuda};

_Static_assert((int)RO_LABELS == (int)RO_LEVEL_FRONTS, "a label is a front");

/* Starting the device takes some tenths of a second, in which a thread does about this much where
 * only the surroundings of contours move. */
static const double WORTH_STARTING = 0x1p31; /* pixel-steps */

static bool prefers_cuda(const struct evolution *evolution, const char *asked)
{
    const struct ro_segmentation *work = evolution->work;
    const ro_context *context = work->context;
    const double pixels = (double)work->width * work->height;
    double steps = (double)work->width + work->height, fields = 0;
    ro_device_info info = {.size = sizeof info};
    if (context->options.device != RO_DEVICE_AUTO || context->options.cpu ||
        context->options.threads || asked)
        return false;
    if (work->options.iterations < steps)
        steps = work->options.iterations;
    for (int i = 0; i < RO_LABELS; i++)
        fields += evolution->fronts[i] ? 3 : 0;
    if ((!context->cuda && pixels * steps * fields / 3 < WORTH_STARTING * context->threads) ||
        ro_device_at(1, &info) != RO_OK)
        return false;
    fields += work->options.velocity ? 2 : 0;
    return 1.1 * fields * pixels * (work->number->real ? 4 : 2) <
           (double)(info.memory - info.memory / 8);
}

static ro_status choose(struct evolution *evolution)
{
    struct ro_segmentation *work = evolution->work;
    ro_context *context = work->context;
    const char *asked = work->options.schedule;
    if (asked && ro_name_equal(asked, "auto"))
        asked = NULL;
    evolution->depth = work->depth ? work->depth : USUAL_DEPTH;
    if (context->options.device == RO_DEVICE_CUDA || prefers_cuda(evolution, asked)) {
        if (asked && !ro_name_equal(asked, fused.name))
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "there is no schedule %s on a CUDA device, only fused", asked);
        evolution->schedule = &fused;
        return RO_OK;
    }
    if (asked && ro_name_equal(asked, fused.name))
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "schedule fused runs on a CUDA device, which was not asked for");
    const size_t count = sizeof schedules / sizeof *schedules;
    for (size_t i = 0; i < count && !evolution->schedule; i++)
        if (!asked || ro_name_equal(asked, schedules[i].name))
            evolution->schedule = &schedules[i];
    const char *name = evolution->schedule->name;
    const bool single = strcmp(name, "passes") == 0 || strcmp(name, "reference") == 0;
    if (single)
        evolution->depth = 1;
    ro_cpu cpu = context->options.cpu ? context->options.cpu : context->cpu;
    for (int i = 0; i < RO_LABELS; i++) {
        if (!evolution->fronts[i])
            continue;
        evolution->kernels[i] = level_kernel_find(&work->front[i].level, cpu);
        if (strcmp(name, "reference") == 0)
            evolution->kernels[i] = &level_plain;
        else if (context->options.cpu && evolution->kernels[i]->cpu != context->options.cpu)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "there is no %s code for this level set",
                                   ro_cpu_name(context->options.cpu));
    }
    return RO_OK;
}

/* ---- Looks at a label ------------------------------------------------------------------------ */

static ro_status copy_phi(struct evolution *evolution, int label)
{
    const struct level_front *front = &evolution->work->front[label];
    struct level_field *copy = &evolution->before[label];
    ro_status status = RO_OK;
    if (!copy->data)
        status = level_field_make(evolution->work->context, &front->level, copy);
    if (status == RO_OK)
        memcpy(copy->data - RO_LEVEL_PAD, front->phi[front->now].data - RO_LEVEL_PAD,
               copy->pitch * front->level.height);
    return status;
}

static bool same_signs(const struct evolution *evolution, int label)
{
    const struct level_front *front = &evolution->work->front[label];
    return level_same_signs(&front->level, &evolution->before[label], &front->phi[front->now]);
}

/* How often a slope is doubled until it spans the numbers. */
static int doublings_from(const struct level_number *number, int32_t slope)
{
    int count = 0;
    for (; !number->real && slope < number->max; slope *= 2)
        count++;
    return count;
}

static void report_doubling(struct evolution *evolution, int label, uint32_t step, int speed_scale)
{
    ro_segment_label *report = &evolution->work->report.label[label];
    if (report->rescalings < RO_RESCALINGS) {
        report->rescaled_at[report->rescalings] = step;
        report->speed_scale[report->rescalings] = speed_scale;
    }
    report->rescalings++;
    evolution->schedule->wake(evolution, label);
}

static bool double_phi(struct evolution *evolution, int label, uint32_t step)
{
    struct ro_segmentation *work = evolution->work;
    const struct level_front *front = &work->front[label];
    const struct front_level *level = &front->level;
    if (!level_double(level, &front->phi[front->now], level->min, level->max))
        return false;
    level_field_mirror(level, &front->phi[front->now]);
    work->scale[label] *= work->scale[label] < LARGEST_SCALE ? 2 : 1;
    report_doubling(evolution, label, step, 1);
    return true;
}

static bool double_speed(struct evolution *evolution, int label, uint32_t step)
{
    struct ro_segmentation *work = evolution->work;
    const struct level_front *front = &work->front[label];
    const struct front_level *level = &front->level;
    ro_segment_label *report = &work->report.label[label];
    const double one = level->real ? 1 : 1 << level->bits, bound = level_bound(work->norm);
    const int32_t most = (int32_t)floor(bound * one);
    const bool doubled = level->real ? evolution->faster[label] < MOST_DOUBLED_FLOATS &&
                                           level_double_real(level, &front->speed, (float)bound)
                                     : level_double(level, &front->speed, -most, most);
    if (!doubled)
        return false;
    evolution->faster[label]++;
    report->fastest = fmin(2 * report->fastest, level->real ? (double)(float)bound : most / one);
    report_doubling(evolution, label, step, 2);
    return true;
}

/* A front of whole numbers with neither curvature nor a field. */
static ro_status look_at_whole(struct evolution *evolution, int label, uint32_t step, bool *ended)
{
    struct ro_segmentation *work = evolution->work;
    const struct level_front *front = &work->front[label];
    if (evolution->moves[label] & LEVEL_CROSSED) {
        evolution->steeper[label] = 0;
        evolution->speed_is_next[label] = evolution->settled[label] = false;
        return RO_OK;
    }
    if (!evolution->settled[label]) {
        ro_status status = evolution->schedule->fetch(evolution, label);
        if (status != RO_OK)
            return status;
        evolution->settled[label] = level_held(front, NULL).carried == 0;
    }
    for (int turn = 0; turn < 2 && !evolution->settled[label]; turn++) {
        const bool steepen = evolution->speed_is_next[label] == (turn == 1);
        if (steepen ? evolution->steeper[label] < doublings_from(work->number, 1) &&
                          double_phi(evolution, label, step)
                    : double_speed(evolution, label, step)) {
            evolution->steeper[label] += steepen;
            evolution->speed_is_next[label] = steepen;
            return RO_OK;
        }
    }
    *ended = !(evolution->moves[label] & LEVEL_MOVED);
    return RO_OK;
}

static ro_status look_at_real(struct evolution *evolution, int label, uint32_t step, bool *ended)
{
    struct ro_segmentation *work = evolution->work;
    double rms = 0;
    ro_status status = evolution->schedule->change(evolution, label, &rms);
    if (status != RO_OK)
        return status;
    work->report.rms = rms > work->report.rms ? rms : work->report.rms;
    if (rms > AT_REST)
        return RO_OK;
    *ended = true;
    if (!level_is_simple(&work->front[label].level))
        return RO_OK;
    status = evolution->schedule->fetch(evolution, label);
    if (status == RO_OK && level_held(&work->front[label], NULL).carried > 0)
        *ended = !double_speed(evolution, label, step);
    return status;
}

/* Whole numbers with curvature or a field. */
static ro_status look_at_restless(struct evolution *evolution, int label, uint32_t step,
                                  bool *ended)
{
    struct ro_segmentation *work = evolution->work;
    ro_status status = evolution->schedule->fetch(evolution, label);
    if (status != RO_OK)
        return status;
    const bool same = evolution->before[label].data && same_signs(evolution, label);
    *ended = evolution->watched[label] && same;
    evolution->watched[label] = false;
    evolution->quiet[label] = same ? evolution->quiet[label] + 1 : 0;
    *ended |= evolution->quiet[label] == QUIET;
    if (!same && !*ended)
        status = copy_phi(evolution, label);
    if (status != RO_OK || *ended || evolution->moves[label] & LEVEL_MOVED)
        return status;
    *ended = evolution->steeper[label] == doublings_from(work->number, work->number->slope);
    if (!*ended) {
        status = copy_phi(evolution, label);
        *ended = status == RO_OK && !double_phi(evolution, label, step);
        evolution->steeper[label]++;
        evolution->watched[label] = true;
    }
    return status;
}

static ro_status look_at(struct evolution *evolution, int label, uint32_t step)
{
    struct ro_segmentation *work = evolution->work;
    ro_segment_label *report = &work->report.label[label];
    const struct level_front *front = &work->front[label];
    const bool simple = level_is_simple(&front->level);
    bool ended = false;
    ro_status status = front->level.real ? look_at_real(evolution, label, step, &ended)
                       : simple          ? look_at_whole(evolution, label, step, &ended)
                                         : look_at_restless(evolution, label, step, &ended);
    if (status == RO_OK && ended && simple)
        status = evolution->schedule->fetch(evolution, label);
    if (status != RO_OK || !ended)
        return status;
    if (simple) {
        const struct level_held held = level_held(front, work->faint[label]);
        report->held = held.carried + held.faint;
        report->stalled = report->held > held.beside / STALLED;
    }
    report->ended = !report->stalled;
    evolution->running[label] = false;
    return RO_OK;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static uint32_t next_multiple(uint32_t step, uint32_t of)
{
    return of ? (step > UINT32_MAX - of ? UINT32_MAX : (step / of + 1) * of) : UINT32_MAX;
}

static ro_status show_frame(struct evolution *evolution, uint32_t step)
{
    struct ro_segmentation *work = evolution->work;
    for (int i = 0; i < RO_LABELS; i++)
        if (work->report.label[i].used) {
            ro_status status = evolution->schedule->fetch(evolution, i);
            if (status != RO_OK)
                return status;
        }
    int stop = work->options.frame(work->options.frame_data, work, step);
    outlines_drop(&work->outlines);
    if (stop)
        return ro_context_fail(work->context, RO_E_CANCELLED, "stopped at step %u", step);
    return RO_OK;
}

static ro_status run_all(struct evolution *evolution)
{
    struct ro_segmentation *work = evolution->work;
    const uint32_t most = work->options.iterations,
                   every = work->options.frame ? work->options.frame_every : 0;
    const bool real = work->number->real;
    ro_status status = every ? show_frame(evolution, 0) : RO_OK;
    uint32_t step = 0;
    work->report.rms = -1;
    for (bool any = true; any && step < most && status == RO_OK;) {
        uint32_t next = next_multiple(step, LOOK), frame = next_multiple(step, every);
        next = next < frame ? next : frame;
        next = next < most ? next : most;
        const bool look = next % LOOK == 0;
        work->report.rms = look && real ? 0 : work->report.rms;
        /* the last step alone where its change is measured */
        const uint32_t alone = look && real ? 1 : 0;
        if (next - step > alone)
            status = evolution->schedule->run(evolution, next - step - alone);
        if (status == RO_OK && alone)
            status = evolution->schedule->run(evolution, 1);
        any = false;
        for (int i = 0; i < RO_LABELS && status == RO_OK; i++) {
            if (!evolution->running[i])
                continue;
            ro_segment_label *report = &work->report.label[i];
            report->steps = next;
            report->time += (next - step) * ldexp(work->time_step, evolution->faster[i]);
            if (look) {
                status = look_at(evolution, i, next);
                evolution->moves[i] = 0;
            }
            any |= evolution->running[i];
        }
        step = next;
        if (status == RO_OK && every && step % every == 0)
            status = show_frame(evolution, step);
        if (status == RO_OK)
            status = ro_context_progress(work->context, "segment", (double)step / most);
    }
    if (status == RO_OK && every && step % every != 0) /* the end */
        status = show_frame(evolution, step);
    for (int i = 0; i < RO_LABELS && status == RO_OK; i++)
        if (work->report.label[i].used)
            status = evolution->schedule->fetch(evolution, i);
    work->report.steps = step;
    return status;
}

ro_status fronts_evolve(struct ro_segmentation *work)
{
    struct evolution evolution = {.work = work};
    ro_context *context = work->context;
    const struct level_kernel *kernel = NULL;
    for (int i = 0; i < RO_LABELS; i++) {
        evolution.running[i] = work->report.label[i].used;
        evolution.fronts[i] = evolution.running[i] ? &work->front[i] : NULL;
    }
    ro_status status = choose(&evolution);
    DEVICE_TURN_IF(context, evolution.schedule == &fused);
    if (status == RO_OK)
        status = evolution.schedule->open(&evolution);
    if (status == RO_OK)
        status = run_all(&evolution);
    uint64_t launches = 0;
    if (evolution.cuda) {
        launches = level_on_cuda->launches(evolution.cuda);
        level_on_cuda->close(evolution.cuda);
    }
    level_tiles_close(&evolution.tiles);
    for (int i = 0; i < RO_LABELS; i++) {
        level_passes_close(&evolution.passes[i]);
        level_field_free(&evolution.before[i]);
        kernel = evolution.kernels[i] ? evolution.kernels[i] : kernel;
    }
    if (status != RO_OK)
        return status;
    const bool on_device = evolution.schedule == &fused;
    const bool alone = strcmp(evolution.schedule->name, "reference") == 0;
    *context_report(context) = (ro_report){
        .method = "level-set",
        .schedule = evolution.schedule->name,
        .width = work->width,
        .height = work->height,
        .device = on_device ? RO_DEVICE_CUDA : RO_DEVICE_CPU,
        .cpu = on_device ? RO_CPU_AUTO : kernel->cpu,
        .threads = on_device || alone ? 1 : pool_threads(context->pool),
        .steps = work->report.steps,
        .launches = launches,
    };
    return RO_OK;
}

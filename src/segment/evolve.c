/* SPDX-License-Identifier: MIT */
/*
 * The evolution of all labels: steps by a schedule, and every LOOK steps a look at each label.
 *
 * A front in few bits may stand still where it should creep: the flux rounds to nothing. When a
 * step has changed no pixel, phi is doubled, which steepens the front, and with it the speed while
 * it is below the monotone bound (section 2.4.3). It has ended when a doubling and LOOK further
 * steps leave the sign of every pixel as it was, or when phi was doubled so often that its numbers
 * are used up; it has stalled if at more than a hundredth of the contour the speed would move it
 * then. Curvature and a field can make a pixel flicker for ever: with them a front in integers has
 * also ended when QUIET looks found every sign unchanged. Floats end when a step changes next to
 * nothing.
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

struct evolution {
    struct ro_segmentation *work;
    const struct schedule *schedule;
    struct level_front *fronts[RO_LABELS]; /* NULL: the label is not used */
    const struct level_kernel *kernels[RO_LABELS];
    uint32_t depth;
    struct level_tiles tiles;
    struct level_passes passes[RO_LABELS];
    struct level_cuda *cuda;
    struct level_field before[RO_LABELS]; /* phi at the last doubling */
    bool watched[RO_LABELS];              /* LOOK steps after it are not over */
    int quiet[RO_LABELS];                 /* looks since a sign changed */
    bool moved[RO_LABELS];                /* a pixel, in the last step */
    bool running[RO_LABELS];
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

static ro_status run_reference(struct evolution *evolution, uint32_t steps)
{
    for (int i = 0; i < RO_LABELS; i++)
        for (uint32_t step = 0; step < steps && evolution->running[i]; step++) {
            evolution->moved[i] = level_step_ref(evolution->fronts[i]);
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
        if (evolution->running[i])
            status = level_passes_run(&evolution->passes[i], evolution->work->context->pool, steps,
                                      &evolution->moved[i]);
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
    level_tiles_run(&evolution->tiles, evolution->work->context->pool, evolution->running, steps,
                    evolution->moved);
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
    return level_on_cuda->run(evolution->cuda, evolution->running, steps, evolution->moved);
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
        ro_device_count() < 2 || ro_device_at(1, &info) != RO_OK)
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

/* Doubles phi, and the speed if the bound allows; gives the factor of the speed. */
static int rescale(struct ro_segmentation *work, int label)
{
    struct level_front *front = &work->front[label];
    const int32_t bound = (int32_t)floor(level_bound(work->norm) * (1 << front->level.bits));
    level_double(&front->level, &front->phi[front->now]);
    level_field_mirror(&front->level, &front->phi[front->now]);
    work->scale[label] *= 2;
    if (!level_is_simple(&front->level) || 2 * level_largest(&front->level, &front->speed) > bound)
        return 1;
    level_double(&front->level, &front->speed);
    return 2;
}

static int most_rescalings(const struct level_number *number)
{
    int count = 0;
    for (int32_t slope = number->slope; !number->real && slope < number->max; slope *= 2)
        count++;
    return count;
}

static ro_status look_at(struct evolution *evolution, int label, uint32_t step)
{
    struct ro_segmentation *work = evolution->work;
    ro_segment_label *report = &work->report.label[label];
    bool ended = false;
    const struct front_level *level = &work->front[label].level;
    const bool restless = !level->real && !level_is_simple(level);
    if (evolution->watched[label] || restless || !evolution->moved[label]) {
        ro_status status = evolution->schedule->fetch(evolution, label);
        if (status != RO_OK)
            return status;
    }
    if (level->real) {
        double rms = 0;
        ro_status status = evolution->schedule->change(evolution, label, &rms);
        if (status != RO_OK)
            return status;
        work->report.rms = rms > work->report.rms ? rms : work->report.rms;
        ended = rms <= AT_REST;
    }
    if (evolution->watched[label]) {
        evolution->watched[label] = false;
        ended |= same_signs(evolution, label);
    }
    if (restless && !ended) {
        bool same = evolution->before[label].data && same_signs(evolution, label);
        evolution->quiet[label] = same ? evolution->quiet[label] + 1 : 0;
        ended = evolution->quiet[label] == QUIET;
        if (!same) {
            ro_status status = copy_phi(evolution, label);
            if (status != RO_OK)
                return status;
        }
    }
    if (!evolution->moved[label] && !ended) {
        if (report->rescalings == most_rescalings(work->number)) {
            ended = true;
        } else {
            ro_status status = copy_phi(evolution, label);
            if (status != RO_OK)
                return status;
            report->rescaled_at[report->rescalings] = step;
            report->speed_scale[report->rescalings] = rescale(work, label);
            report->fastest *= report->speed_scale[report->rescalings++];
            evolution->watched[label] = true;
            evolution->schedule->wake(evolution, label);
        }
    }
    if (ended) {
        uint64_t beside = 0;
        if (!level->real && !restless)
            report->held = level_held(&work->front[label], &beside);
        report->stalled = report->held > beside / STALLED;
        report->ended = !report->stalled;
        evolution->running[label] = false;
    }
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

static double factor_of(const ro_segment_label *report)
{
    double factor = 1;
    for (int i = 0; i < report->rescalings; i++)
        factor *= report->speed_scale[i];
    return factor;
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
            report->time += (next - step) * work->time_step * factor_of(report);
            if (look)
                status = look_at(evolution, i, next);
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

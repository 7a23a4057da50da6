/* SPDX-License-Identifier: MIT */
#include "cli/common/session.h"

#include "cli/common/pictures.h"
#include "cli/common/signals.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <signal.h>
#include <string.h>

static int open_failed(ro_status status, const struct common *common)
{
    switch (status) {
    case RO_E_UNSUPPORTED:
        if (common->cpu)
            return fail("--cpu %s: %s", ro_cpu_name((ro_cpu)common->cpu), ro_context_message(NULL));
        break;
    case RO_E_DEVICE:
        return fail("--device %s: %s", ro_device_name((ro_device)common->device),
                    ro_context_message(NULL));
    case RO_E_MEMORY:
        if (common->threads)
            return fail("--threads %d: not enough memory or threads", common->threads);
        return fail("not enough memory to start");
    default:
        break;
    }
    return fail("cannot start: %s", ro_status_name(status));
}

ro_limits limits_given(const struct common *common)
{
    return (ro_limits){.memory = (uint64_t)(common->limit_memory * (1 << 20)),
                       .pixels = (uint64_t)common->limit_pixels};
}

int work_begin(struct work *work, const struct common *common)
{
    *work = (struct work){0};
    pictures_begin(common->strict);
    progress_begin(&work->progress, common->quiet);
    ro_context_options options = {
        RO_CONTEXT_DEFAULTS,
        .device = (ro_device)common->device,
        .cpu = (ro_cpu)common->cpu,
        .threads = common->threads,
        .progress = progress_step,
        .user = &work->progress,
        .limits = limits_given(common),
    };
    ro_status status = ro_context_open(&options, &work->context);
    if (status != RO_OK)
        return open_failed(status, common);
    if ((status = ro_commit_begin(work->context)) != RO_OK) {
        ro_context_close(work->context);
        return open_failed(status, common);
    }
    signals_watch(work->context);
    work->progress.start = seconds_now();
    return 0;
}

ro_status work_commit(struct work *work, ro_status status)
{
    if (status == RO_OK)
        return ro_commit_all(work->context);
    ro_commit_drop(work->context);
    return status;
}

void work_end(struct work *work)
{
    work->seconds = seconds_now() - work->progress.start;
    progress_end(&work->progress);
}

ro_status work_cpu_open(ro_context *first, ro_context **cpu)
{
    const ro_status status =
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU}, cpu);
    if (status != RO_OK)
        return ro_context_fail(first, status, "not enough memory or threads");
    signals_watch(*cpu);
    return RO_OK;
}

void work_cpu_close(ro_context *first, ro_context *cpu)
{
    if (cpu)
        signals_watch(first);
    ro_context_close(cpu);
}

int work_failed(const struct work *work, ro_status status, const char *out)
{
    int number = signals_caught();
    if (status == RO_E_CANCELLED && number) {
        const char *what = number == SIGINT ? "interrupted" : "terminated";
        if (strcmp(out, "-") == 0)
            fail("%s", what);
        else
            fail("%s, %s was not written", what, out);
        return 128 + number;
    }
    const char *message = ro_context_message(work->context);
    return fail("%s", *message ? message : ro_status_name(status));
}

void work_close(struct work *work)
{
    signals_watch(NULL);
    ro_context_close(work->context);
    work->context = NULL;
}

bool can_write(const char *path)
{
    ro_context *context;
    bool can = true;
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context) !=
        RO_OK)
        return true; /* the work will tell */
    if (ro_bytes_accepts(context, path) != RO_OK) {
        fail("%s", ro_context_message(context));
        can = false;
    }
    ro_context_close(context);
    return can;
}

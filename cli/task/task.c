/* SPDX-License-Identifier: MIT */
#include "cli/task/task.h"

#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/session.h"

#include <string.h>

static int print_result(const struct task *task)
{
    const struct common *common = task->values;
    if (common->json) {
        task->json(task, task->out && strcmp(task->out, "-") == 0 ? stderr : stdout);
    } else if (!common->quiet && !task->refused) {
        task->say(task);
        pictures_tell();
    }
    return finish_stdout_after(task->out);
}

int task_run(struct task *task)
{
    struct work work;
    int result = certificate_wanted(task->command, task->values, task->files);
    if (result == 0)
        result = work_begin(&work, task->values);
    if (result)
        return result;
    task->context = work.context;
    task->progress = &work.progress;
    ro_status status = task->work(task);
    task->seconds = seconds_now() - work.progress.start;
    if (task->ended) {
        work_commit(&work, RO_E_ARGUMENT);
        work_end(&work);
        work_close(&work);
        return task->ended;
    }
    if (!task->ran.method)
        task->ran = *ro_context_report(work.context);
    if (status == RO_OK && !task->refused)
        status = certificate_write(task->command, work.context, task->values, task->files,
                                   task->states_run ? &task->ran : NULL);
    status = work_commit(&work, status);
    work_end(&work);
    result = status == RO_OK ? print_result(task)
                             : work_failed(&work, status, task->out ? task->out : "-");
    if (status == RO_OK && task->refused && result == 0)
        result = task->refuse(task);
    work_close(&work);
    return result;
}

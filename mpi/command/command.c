/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "cli/common/progress.h"
#include "cli/common/signals.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 16, MOST_ROWS = 1 << 24 };

#define MEMBER(member) RO_MEMBER(struct ranks_values, member)

static const ro_option rows[] = {
    {MEMBER(rows), "N", "rows of a band", .min = 1, .max = MOST_ROWS,
     .derived = "as many as run at a time, or 256"},
    {MEMBER(checkpoint), "FILE", "keep how far it is, to go on after a failure", .writes = 1},
    {MEMBER(resume), NULL, "go on from the checkpoint, with any number of ranks"},
    {MEMBER(threads), ROW_RANK_THREADS},
    {0},
};

static const struct ranks_values unset;

static const ro_option_table of_ranks = {
    .name = "ranks", .rows = rows, .unset = &unset, .size = sizeof unset};

static size_t place_of_ranks(const struct command *base)
{
    return (base->values_size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* ---- A rank's context ------------------------------------------------------------------------ */

static struct progress progress;

/* A device for each rank of a machine, as far as they go. */
static int device_of_rank(void)
{
    MPI_Comm machine;
    int number = 0, devices = 0;
    ro_device_info info = {.size = sizeof info};
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &number);
    MPI_Comm_free(&machine);
    for (int i = 0; ro_device_at(i, &info) == RO_OK; i++)
        devices += info.device == RO_DEVICE_CUDA;
    return devices ? number % devices : RO_DEFAULT;
}

ro_context *ranks_context(const struct common *common)
{
    ro_context *context = NULL;
    int rank = 0, all = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    progress_begin(&progress, common->quiet || rank > 0);
    const int number = device_of_rank();
    ro_context_options options = {RO_CONTEXT_DEFAULTS,
                                  .device = (ro_device)common->device,
                                  .cpu = (ro_cpu)common->cpu,
                                  .threads = common->threads ? common->threads : 1,
                                  .progress = rank == 0 ? progress_step : NULL,
                                  .user = &progress,
                                  .device_number = number};
    if (ro_context_open(&options, &context) != RO_OK) {
        speak(true);
        fail("rank %d: %s", rank, ro_context_message(NULL));
        all = 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) {
        ro_context_close(context);
        return NULL;
    }
    signals_at_once(ro_mpi_abandon);
    signals_watch(context);
    return context;
}

int ranks_end(const ro_context *context, ro_status status, const ro_mpi_report *report,
              const char *out)
{
    int rank = 0;
    const int number = signals_caught();
    progress_end(&progress);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (status == RO_OK)
        return 0;
    speak(rank == 0 || (report->alone && !number));
    if (status == RO_E_CANCELLED && number)
        fail("%s, %s was not written", number == SIGINT ? "interrupted" : "terminated",
             out ? out : "nothing");
    else
        fail("%s", ro_context_message(context));
    fflush(stderr);
    if (report->alone)
        MPI_Abort(MPI_COMM_WORLD, number ? 128 + number : EXIT_FAILURE);
    return number ? 128 + number : EXIT_FAILURE;
}

ro_status ranks_ready(struct ranks_task *task, ro_status status)
{
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == RO_OK || status != RO_OK)
        return status;
    return ro_context_fail(task->context, (ro_status)worst,
                           "a rank cannot read a file that an option names");
}

/* ---- A run ----------------------------------------------------------------------------------- */

void ranks_say(const struct ranks_task *task)
{
    const ro_mpi_report *report = &task->report;
    const ro_report *run = &report->run;
    const double pixels = (double)run->width * (double)run->height;
    const double whole = report->seconds * report->ranks;
    fprintf(stderr, "%s: %s, %u x %u, %d rank%s", task->command->name, run->method, run->width,
            run->height, report->ranks, report->ranks == 1 ? "" : "s");
    if (run->threads > 1)
        fprintf(stderr, " of %d threads", run->threads);
    fprintf(stderr, ", %u bands of %u rows, %.2f s, %.1f Mpixel/s\n", report->bands, report->rows,
            report->seconds, pixels / report->seconds * 1e-6);
    fprintf(stderr,
            "%s: efficiency %.0f %%, fill %.0f %%, reading %.0f %%, writing %.0f %%, waiting "
            "%.0f %%\n",
            task->command->name, 100 * report->efficiency, 100 * report->fill / report->seconds,
            100 * report->reading / whole, 100 * report->writing / whole,
            100 * report->waiting / whole);
    if (report->first)
        fprintf(stderr, "%s: went on from band %u\n", task->command->name, report->first);
    if (report->idle)
        fprintf(stderr, "%s: %d rank%s had no band; --rows makes more of them\n",
                task->command->name, report->idle, report->idle == 1 ? "" : "s");
    if (report->dropped.what)
        tell("%s: dropped: %s", task->files->path[0], report->dropped.text);
}

static void put_json(const struct ranks_task *task)
{
    const ro_mpi_report *report = &task->report;
    json_put(stdout,
             "{command %s, output %s, method %s, width %u, height %u, ranks %d, idle %d, threads "
             "%d, bands %u, rows %u, first %u, columns %u, seconds %.6f, fill %.6f, computing "
             "%.6f, reading %.6f, writing %.6f, waiting %.6f, efficiency %.4f, sent %llu}\n",
             task->command->name, task->out ? task->out : "",
             report->run.method ? report->run.method : "", report->run.width, report->run.height,
             report->ranks, report->idle, report->run.threads, report->bands, report->rows,
             report->first, report->columns, report->seconds, report->fill, report->computing,
             report->reading, report->writing, report->waiting, report->efficiency,
             (unsigned long long)report->sent);
}

/* What must be the same to go on from a checkpoint: all words but those that say so. */
static char *join_words(int argc, char **argv)
{
    size_t size = 1;
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *words = calloc(1, size);
    for (int i = 0; words && i < argc; i++) {
        const char *const value[] = {"--rows", "--threads", "--checkpoint", NULL};
        if (is_among(argv[i], value))
            i++;
        else if (strncmp(argv[i], "--resume", 8) != 0 && strncmp(argv[i], "--rows=", 7) != 0 &&
                 strncmp(argv[i], "--threads=", 10) != 0 &&
                 strncmp(argv[i], "--checkpoint=", 13) != 0)
            strcat(strcat(words, argv[i]), "\n");
    }
    return words;
}

static int run_with(const struct ranks_command *what, const struct command *command, int argc,
                    char **argv, char *values)
{
    const struct ranks_values *ranks = (const struct ranks_values *)(values + command->more_offset);
    struct common *common = (struct common *)values;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, values, &files, &ended))
        return ended;
    if (files.count != what->operands)
        return usage_error(command, "%s", what->needs);
    if (ranks->resume && !ranks->checkpoint)
        return usage_error(command, "--resume needs --checkpoint");
    common->threads = ranks->threads;
    const int wrong = what->check ? what->check(command, values, &files) : 0;
    if (wrong)
        return wrong;
    char *words = join_words(argc, argv);
    struct ranks_task task = {.command = command,
                              .values = values,
                              .files = &files,
                              .out = files.path[files.count - 1],
                              .context = ranks_context(common),
                              .how = {RO_MPI_DEFAULTS, .rows = (uint32_t)ranks->rows,
                                      .checkpoint = ranks->checkpoint, .resume = ranks->resume,
                                      .words = words}};
    if (!task.context) {
        free(words);
        return EXIT_FAILURE;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &task.rank);
    const ro_status status = what->work(&task);
    int result = ranks_end(task.context, status, &task.report, task.out);
    if (result == 0 && task.rank == 0 && common->json)
        put_json(&task);
    else if (result == 0 && task.rank == 0 && !common->quiet)
        (what->say ? what->say : ranks_say)(&task);
    if (result == 0)
        result = finish_stdout_after(task.out);
    signals_watch(NULL);
    ro_context_close(task.context);
    free(words);
    return result;
}

int ranks_run(const struct ranks_command *what, int argc, char **argv)
{
    const struct command *base = what->base;
    struct command command = *base;
    command.more = &of_ranks;
    command.more_offset = place_of_ranks(base);
    command.with = what->with;
    command.without = what->without;
    command.words = what->of;
    command.examples = what->examples;
    command.summary = what->summary;
    command.operands = what->words ? what->words : base->operands;
    command.common &= ~(unsigned)(COMMON_THREADS | COMMON_CERTIFICATE);
    if (what->with)
        command.common &= ~(unsigned)(COMMON_SEED | COMMON_STRICT);
    char *values = calloc(1, place_of_ranks(base) + sizeof(struct ranks_values));
    if (!values)
        return fail("not enough memory to start");
    memcpy(values, base->defaults, base->values_size);
    const int result = run_with(what, &command, argc, argv, values);
    free(values);
    return result;
}

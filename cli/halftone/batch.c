/* SPDX-License-Identifier: MIT */
/* roundoff halftone IN... --out-dir FOLDER: many pictures at a time, one line each and a summary.
 */
#include "cli/common/pictures.h"
#include "cli/common/session.h"
#include "cli/halftone/halftone.h"
#include "roundoff_io_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct batch {
    const struct common *common;
    ro_file_job *jobs;
    size_t count;
    char *names; /* of the results, one behind the other */
    size_t failed;
    double pixels;
    struct progress *progress;
    const struct halftone_request *request;
};

/* "photos/a.jpg" becomes "FOLDER/a.png". */
static size_t result_name(char *to, size_t size, const char *folder, const char *in,
                          const char *type)
{
    const char *slash = strrchr(in, '/'), *name = slash ? slash + 1 : in;
    const char *dot = strrchr(name, '.');
    const int stem = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    const size_t length = strlen(folder);
    const char *between = length && folder[length - 1] == '/' ? "" : "/";
    return (size_t)snprintf(to, size, "%s%s%.*s.%s", folder, between, stem, name, type) + 1;
}

static int name_results(struct batch *batch, const struct operands *files, const char *folder,
                        const char *type)
{
    size_t room = 0;
    batch->count = (size_t)files->count;
    batch->jobs = calloc(batch->count, sizeof *batch->jobs);
    for (int i = 0; i < files->count; i++)
        room += result_name(NULL, 0, folder, files->path[i], type);
    batch->names = malloc(room);
    if (!batch->jobs || !batch->names)
        return fail("not enough memory for %d files", files->count);
    char *to = batch->names;
    for (int i = 0; i < files->count; i++) {
        batch->jobs[i].in = files->path[i];
        batch->jobs[i].out = to;
        to += result_name(to, room, folder, files->path[i], type);
    }
    return 0;
}

/* What must not happen is found before anything is done. */
static int check(const struct command *command, const struct batch *batch,
                 const struct halftone_given *values)
{
    const char *folder = values->out_dir;
    struct stat about;
    for (size_t i = 0; i < batch->count; i++) {
        if (strcmp(batch->jobs[i].in, "-") == 0)
            return usage_error(command, "out-dir: standard input has no name for a result");
        if (same_file(batch->jobs[i].in, batch->jobs[i].out))
            return fail("%s would be overwritten by its own result", batch->jobs[i].in);
        const char *read = halftone_read_twice(values, batch->jobs[i].in, batch->jobs[i].out);
        if (read)
            return fail("%s is read for an option and would be overwritten", read);
    }
    if (stat(folder, &about) == 0)
        return S_ISDIR(about.st_mode) ? 0 : fail("out-dir %s: is a file, not a folder", folder);
    if (errno != ENOENT)
        return fail("out-dir %s: %s", folder, strerror(errno));
    return 0;
}

static void put_json(const struct batch *batch, ro_context *context, const ro_file_job *job,
                     bool first)
{
    const bool plates = batch->request->write.split_inks;
    printf("%s\n  {\"input\": ", first ? "" : ",");
    json_string(stdout, job->in);
    if (!plates) { /* else the inks have files of their own */
        json_put(stdout, ", output %s", job->out);
    }
    if (job->status != RO_OK) {
        json_put(stdout, ", error %s", job->message);
    } else {
        json_put(stdout, ", width %u, height %u, seconds %.6f, dropped %s", job->report.width,
                 job->report.height, job->seconds, job->dropped.text);
        if (plates)
            halftone_json_inks(stdout, context, batch->request, job->out);
    }
    putchar('}');
}

static void on_job(void *data, const ro_file_job *job)
{
    struct batch *batch = data;
    const bool quiet = batch->common->quiet || batch->common->json;
    progress_end(batch->progress);
    if (job->status != RO_OK) {
        batch->failed++;
        if (job->status != RO_E_CANCELLED)
            fail("%s", job->message);
        return;
    }
    batch->pixels += (double)job->report.width * job->report.height;
    if (quiet)
        return;
    char plate[4096] = "", more[32] = "";
    if (batch->request->write.split_inks)
        (void)ro_plate_path(job->out, &batch->request->options, 0, plate, sizeof plate);
    if (*plate && batch->request->inks.count > 1)
        snprintf(more, sizeof more, " and %d more", batch->request->inks.count - 1);
    tell("%s%s: %u x %u, %.1f ms", *plate ? plate : job->out, more, job->report.width,
         job->report.height, 1e3 * job->seconds);
    if (*job->dropped.text)
        note("%s: dropped %s", job->in, job->dropped.text);
}

static ro_status run_batch(struct batch *batch, struct work *work,
                           const struct halftone_given *values, struct halftone_request *request)
{
    const char *folder = values->out_dir;
    ro_status status = halftone_prepare(work->context, values, NULL, request);
    if (status == RO_OK)
        status = halftone_take_driver(work->context, values, NULL, request);
    request->read.strict = values->common.strict;
    batch->request = request;
    for (size_t i = 0; i < batch->count && status == RO_OK; i++)
        status = halftone_check_plates(work->context, values, request, batch->jobs[i].out);
    const ro_context_options workers = {
        RO_CONTEXT_DEFAULTS, .device = (ro_device)values->common.device,
        .cpu = (ro_cpu)values->common.cpu, .threads = values->common.threads,
        .limits = limits_given(&values->common)};
    const bool made = status == RO_OK && mkdir(folder, 0777) == 0;
    if (status == RO_OK && !made && errno != EEXIST)
        status = ro_context_fail(work->context, RO_E_IO, "out-dir %s: cannot be made: %s", folder,
                                 strerror(errno));
    if (status == RO_OK)
        status = ro_halftone_files(work->context, batch->jobs, batch->count, &request->options,
                                   &request->read, &request->write, &workers, on_job, batch);
    if (made && (status != RO_OK || batch->failed == batch->count))
        (void)rmdir(folder); /* if nothing came into it */
    halftone_release(request);
    return status;
}

static int summary(const struct batch *batch, ro_context *context, double seconds)
{
    const size_t good = batch->count - batch->failed;
    if (batch->common->json)
        json_put(stdout, "{command %s, results [", "halftone");
    for (size_t i = 0; i < batch->count && batch->common->json; i++)
        put_json(batch, context, &batch->jobs[i], i == 0);
    if (batch->common->json)
        json_put(stdout, "\n], files %zu, failed %zu, seconds %.6f, mpixel_per_second %.3f}\n",
                 batch->count, batch->failed, seconds, batch->pixels / seconds * 1e-6);
    else if (!batch->common->quiet)
        tell("halftone: %zu of %zu files, %.2f s, %.1f Mpixel/s", good, batch->count, seconds,
             batch->pixels / seconds * 1e-6);
    const int result = finish_stdout_after(good ? batch->jobs->out : NULL);
    return result ? result : batch->failed > 0;
}

int halftone_batch(const struct command *command, const struct halftone_given *given,
                   const struct operands *files)
{
    const struct halftone_given values = *given;
    static struct halftone_request request;
    struct batch batch = {.common = &values.common};
    struct work work;
    int result = name_results(&batch, files, values.out_dir, values.write.type);
    if (result == 0)
        result = check(command, &batch, &values);
    if (result == 0 && (result = work_begin(&work, &values.common)) == 0) {
        batch.progress = &work.progress;
        const ro_status status = run_batch(&batch, &work, &values, &request);
        work_commit(&work, status);
        work_end(&work);
        result = status == RO_OK ? summary(&batch, work.context, work.seconds)
                                 : work_failed(&work, status, "-");
        inks_free(&request.inks);
        work_close(&work);
    }
    free(batch.jobs);
    free(batch.names);
    return result;
}

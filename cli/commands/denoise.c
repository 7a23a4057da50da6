/* SPDX-License-Identifier: MIT */
/* roundoff denoise: diffusion filters in few bits, for whole files or from pipe to pipe. */
#include "cli/certificate/certificate.h"
#include "cli/commands/denoise_files.h"
#include "cli/commands/task.h"
#include "cli/frame/pictures.h"
#include "cli/frame/stacks.h"
#include "cli/frame/vectors.h"
#include "cli/frame/work.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct common common;
    const char *model, *scheme, *number, *rounding, *round, *white, *schedule, *vectors, *page,
        *stop, *diffusivity;
    int iterations, steps_at_once, bits;
    double kappa, sigma, time_step;
    bool independent, until_converged, floats, raw, impulse;
};

#define PLACE(member) .offset = offsetof(struct values, member)

static const char *const depths[] = {"8", "16", NULL};

static const struct option options[] = {
    {"model", "M", "anisotropic (default), edge-enhancing, perona-malik, linear", OPTION_TEXT,
     PLACE(model)},
    {"diffusivity", "D", "perona-malik (default), exponential, decay or lines", OPTION_TEXT,
     PLACE(diffusivity), .topic = "numbers"},
    {"iterations", "N", "time steps (default: as many as --stop says)", OPTION_WHOLE,
     PLACE(iterations), .min = 1, .max = 1 << 30},
    {"stop", "S", "by estimated error: auto (default but with --kappa); usual", OPTION_TEXT,
     PLACE(stop)},
    {"kappa", "K", "gradient of an edge in 1/255 (default: half the noise)", OPTION_NUMBER,
     PLACE(kappa), .min = 0, .max = 1000000},
    {"white", "N", "sample value of white, or maxval (default: from IN)", OPTION_TEXT, PLACE(white),
     .topic = "numbers"},
    {STACK_PAGES, PLACE(page)},
    {"bits", "N", "of OUT: 8 or 16, tones from black to white (default: as IN)", OPTION_CHOICE,
     PLACE(bits), .choices = depths, .topic = "numbers"},
    {"float", NULL, "OUT holds floats, in the units of IN", OPTION_FLAG, PLACE(floats),
     .topic = "numbers"},
    {"raw", NULL, "OUT holds the numbers that the method works in", OPTION_FLAG, PLACE(raw),
     .topic = "numbers"},
    {"sigma", "S", "smoothing of the gradient in pixels (default 0)", OPTION_NUMBER, PLACE(sigma),
     .min = 0, .max = 1000000},
    {"time-step", "T", "tau/h^2 per step (default: the largest stable one)", OPTION_NUMBER,
     PLACE(time_step), .min = 0, .max = 1000000},
    {"scheme", "S", "explicit, implicit (of u8, s9), conjugate, naive, xpp24", OPTION_TEXT,
     PLACE(scheme), .topic = "numbers"},
    {"number", "Q", "u8, s9, s12, s16, s17, s24, s10e5, s16e7, s23e8", OPTION_TEXT, PLACE(number),
     .topic = "numbers"},
    {"rounding", "R", "rounding of fluxes: zero (default) or nearest", OPTION_TEXT, PLACE(rounding),
     .topic = "numbers"},
    {"round", "R", "rounding to OUT's levels: sum (default, keeps it), nearest", OPTION_TEXT,
     PLACE(round), .topic = "numbers"},
    {"vectors", "FILE", "numbers before and after, for a circuit's test bench", OPTION_TEXT,
     PLACE(vectors), .topic = "numbers", .writes = true},
    {"independent", NULL, "colour channels do not share the gradient", OPTION_FLAG,
     PLACE(independent)},
    {"impulse", NULL, "mend salt and pepper before, by medians", OPTION_FLAG, PLACE(impulse),
     .topic = "numbers"},
    {"until-converged", NULL, "stop when no pixel changes, or after 10000 (N) steps", OPTION_FLAG,
     PLACE(until_converged)},
    {"schedule", "S", "auto (default), reference, passes or stream: same bits", OPTION_TEXT,
     PLACE(schedule), .topic = "numbers"},
    {"steps-at-once", "T", "of schedule stream in one pass (default: 8 at most)", OPTION_WHOLE,
     PLACE(steps_at_once), .min = 1, .max = 64, .topic = "numbers"},
    {0},
};

static const struct values defaults = {
    .iterations = RO_DEFAULT, .bits = -1, .kappa = NAN, .sigma = NAN, .time_step = NAN};

static const char *const examples[] = {
    "roundoff denoise night.png clean.png",
    "roundoff denoise - - --schedule stream --kappa 8 < huge.pgm > clean.pgm",
    NULL,
};

ro_denoise_options denoise_options(const void *given)
{
    const struct values *values = given;
    return (ro_denoise_options){RO_DENOISE_DEFAULTS,
                                .model = values->model,
                                .scheme = values->scheme,
                                .number = values->number,
                                .rounding = values->rounding,
                                .round = values->round,
                                .schedule = values->schedule,
                                .iterations = (uint32_t)values->iterations,
                                .steps_at_once = (uint32_t)values->steps_at_once,
                                .kappa = isnan(values->kappa) ? 0 : values->kappa,
                                .sigma = isnan(values->sigma) ? RO_DEFAULT : values->sigma,
                                .time_step = isnan(values->time_step) ? 0 : values->time_step,
                                .independent = values->independent,
                                .until_converged = values->until_converged,
                                .stop = values->stop,
                                .impulse = values->impulse,
                                .diffusivity = values->diffusivity};
}

static enum denoise_form form_of(const struct values *values)
{
    return values->raw        ? WORKING
           : values->floats   ? FLOATS
           : values->bits < 0 ? AS_IN
           : values->bits     ? BITS_16
                              : BITS_8;
}

static struct denoise_files files_of(const struct values *values, const struct operands *files,
                                     ro_denoise_report *report)
{
    return (struct denoise_files){.in = files->path[0],
                                  .out = files->path[1],
                                  .page = values->page,
                                  .form = form_of(values),
                                  .white = values->white,
                                  .denoise = denoise_options(values),
                                  .report = report};
}

/* The numbers before the first step and after the last: floats have room for 24 bits of them. */
static ro_status save_vectors(struct denoise_files *job, const char *path)
{
    ro_context *context = job->context;
    struct denoise_files numbers = *job;
    ro_denoise_report report;
    ro_image in = {0}, out = {0};
    ro_read_options read = pictures_read(job->in);
    numbers.form = WORKING;
    stack_pages(job->page, &read);
    read.pages = 1; /* a list is of one picture */
    ro_status status = vectors_load(context, job->in, &read, &in);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GRAYF, in.width, in.height, 0, &out);
    const ro_file_info info = {.format = in.format, .maxval = in.maxval};
    if (status == RO_OK)
        status = denoise_page(&numbers, &info, &in, &out, &report);
    if (status == RO_OK && !ro_name_equal(report.number, "s9") &&
        !ro_name_equal(report.number, "s12") && !ro_name_equal(report.number, "s16") &&
        !ro_name_equal(report.number, "s17") && !ro_name_equal(report.number, "s24"))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "--vectors needs number s9, s12, s16, s17 or s24, not %s",
                                 report.number);
    if (status == RO_OK) {
        char title[160];
        snprintf(title, sizeof title,
                 "%s in %s, %u x %u pixels row by row: %u steps of %.0f/16384, white %.0f",
                 ro_context_report(context)->method, report.number, in.width, in.height,
                 report.steps, 16384 * report.time_step, report.white);
        const struct vector_column columns[2] = {
            {"before", &in, report.white / report.sample_white}, {"after", &out, 1}};
        status = vectors_save(context, path, title, columns);
    }
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* ---- What is said at the end ---------------------------------------------------------------- */

static const double MANY_IMPULSES = 0.02;
enum { LONG_STEP = 8 }; /* of the implicit schemes */

static void put_line(const ro_report *ran, const struct denoise_files *files, const char *scheme,
                     bool nearest, const struct values *values, double seconds)
{
    const ro_denoise_report *r = files->report;
    char kappa[80] = "", white[48] = "", pages[32] = "", time[32], where[64];
    if (files->kappa_least < files->kappa_most)
        snprintf(kappa, sizeof kappa, ", kappa %.2f to %.2f", files->kappa_least,
                 files->kappa_most);
    else if (r->noise > 0)
        snprintf(kappa, sizeof kappa, ", kappa %.2f for noise of %.1f/255", r->kappa, r->noise);
    else if (r->kappa > 0)
        snprintf(kappa, sizeof kappa, ", kappa %g", r->kappa);
    if (seconds < 1)
        snprintf(time, sizeof time, "%.1f ms", 1e3 * seconds);
    else
        snprintf(time, sizeof time, "%.2f s", seconds);
    if (ran->device == RO_DEVICE_CUDA)
        snprintf(where, sizeof where, "cuda, %llu launches", (unsigned long long)ran->launches);
    else
        snprintf(where, sizeof where, "%s, %d thread%s", ro_cpu_name(ran->cpu), ran->threads,
                 ran->threads == 1 ? "" : "s");
    if (files->sample != RO_SAMPLE_PLAIN && r->sample_white > 0 && r->white != 1)
        snprintf(white, sizeof white, ", from %lld to %lld", (long long)files->zero,
                 (long long)files->zero + r->sample_white);
    else if (r->sample_white > 255 && r->sample_white != 65535)
        snprintf(white, sizeof white, ", white is %u", r->sample_white);
    if (files->pages > 1)
        snprintf(pages, sizeof pages, "%u pages of ", files->pages);
    fprintf(stderr, "denoise: %s %s in %s%s%s, %u step%s of %.4g%s, %s%u x %u, %s/%s, %s\n", scheme,
            ran->method, r->number, white, kappa, r->steps, r->steps == 1 ? "" : "s", r->time_step,
            r->converged ? " to the fixed point" : "", pages, ran->width, ran->height,
            ran->schedule, where, time);
    if (files->form == WORKING)
        fprintf(stderr, "denoise: OUT holds numbers of %s; white is %.0f\n", r->number, r->white);
    if (values->until_converged && !r->converged)
        fprintf(stderr,
                "denoise: pixels were still changing after %u steps, so this is not a fixed point; "
                "--iterations N allows more\n",
                r->steps);
    if (values->impulse)
        fprintf(stderr, "denoise: %.2f %% of the samples were impulses and took a median before\n",
                100 * r->impulses);
    else if (r->impulses > MANY_IMPULSES)
        fprintf(stderr,
                "denoise: %.1f %% of the samples look like salt and pepper, which diffusion keeps; "
                "--impulse mends it\n",
                100 * r->impulses);
    if (r->saturating)
        fprintf(stderr,
                "denoise: time steps of %g are too long to be stable: neither sum nor "
                "extrema are kept, and tones end at black and white\n",
                r->time_step);
    if (r->time_step > LONG_STEP && !ro_name_equal(scheme, "xpp24"))
        fprintf(
            stderr,
            "denoise: time steps above %d leave more to be solved than the solver does; shorter "
            "ones are closer to the model\n",
            LONG_STEP);
    double change = r->sum_after - r->sum_before;
    if (change != 0)
        fprintf(stderr, "denoise: the sum changed by %+.6g of %.6g (%.2g %% of it)\n", change,
                r->sum_before, r->sum_before != 0 ? fabs(100 * change / r->sum_before) : 100);
    if (nearest && r->drift != 0)
        fprintf(stderr, "denoise: rounding to the levels of OUT changed the sum by %+.6g levels\n",
                r->drift);
    else if (r->difference != 0)
        fprintf(stderr, "denoise: the sum of OUT differs from that of IN by %+.6g levels of OUT\n",
                r->difference);
}

/* JSON knows no infinities: an empty range is left out before it comes to that. */
static void put_json(FILE *file, const ro_report *ran, const struct denoise_files *files,
                     const char *scheme, double seconds)
{
    const ro_denoise_report *r = files->report;
    fputs("{\"command\": \"denoise\", \"input\": ", file);
    json_string(file, files->in);
    fputs(", \"output\": ", file);
    json_string(file, files->out);
    fprintf(file, ", \"model\": \"%s\", \"scheme\": \"%s\", \"number\": \"%s\"", ran->method,
            scheme, r->number);
    fprintf(file, ", \"schedule\": \"%s\", \"device\": \"%s\", \"cpu\": \"%s\", \"threads\": %d",
            ran->schedule, ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads);
    fprintf(file, ", \"width\": %u, \"height\": %u, \"pages\": %u", ran->width, ran->height,
            files->pages);
    fprintf(file, ", \"sample_zero\": %lld, \"steps\": %u, \"converged\": %s",
            (long long)files->zero, r->steps, r->converged ? "true" : "false");
    fprintf(file, ", \"saturating\": %s", r->saturating ? "true" : "false");
    const struct {
        const char *name;
        double value;
    } fields[] = {
        {"white", r->white},
        {"sample_white", r->sample_white},
        {"kappa", r->kappa},
        {"noise", r->noise},
        {"time_step", r->time_step},
        {"sum_before", r->sum_before},
        {"sum_after", r->sum_after},
        {"min_before", r->min_before},
        {"min_after", r->min_after},
        {"max_before", r->max_before},
        {"max_after", r->max_after},
        {"energy_before", r->energy_before},
        {"energy_after", r->energy_after},
        {"drift", r->drift},
        {"difference", r->difference},
        {"impulses", r->impulses},
        {"device_seconds", r->device_seconds},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fprintf(file, ", \"%s\": %.17g", fields[i].name, fields[i].value);
    pictures_json(file);
    fprintf(file, ", \"seconds\": %.6f}\n", seconds);
}

/* ---- The certificate ------------------------------------------------------------------------ */

/* Figures of every step, as they come. */
struct steps {
    size_t count, room;
    ro_denoise_step *list;
    bool no_memory;
};

static void remember(void *data, const ro_denoise_step *step)
{
    struct steps *steps = data;
    if (steps->count == steps->room) {
        const size_t room = 2 * steps->room + 64;
        ro_denoise_step *more = realloc(steps->list, room * sizeof *more);
        if (!more) {
            steps->no_memory = true;
            return;
        }
        steps->list = more;
        steps->room = room;
    }
    steps->list[steps->count++] = *step;
}

static void state_steps(struct certificate *to, const struct steps *steps)
{
    __int128 *values = malloc((steps->count + 1) * sizeof *values);
    if (!values || steps->no_memory) {
        to->status = ro_context_fail(to->context, RO_E_MEMORY, "no memory for a certificate");
        goto done;
    }
    if (!steps->list[0].exact) {
        const ro_denoise_step *ends[2] = {&steps->list[0], &steps->list[steps->count - 1]};
        static const char *const names[2][4] = {
            {"mass_before", "min_before", "max_before", "energy_before"},
            {"mass_after", "min_after", "max_after", "energy_after"}};
        for (int i = 0; i < 2; i++) {
            certificate_real(to, names[i][0], ends[i]->real_sum);
            certificate_real(to, names[i][1], ends[i]->real_min);
            certificate_real(to, names[i][2], ends[i]->real_max);
            certificate_real(to, names[i][3], ends[i]->real_energy);
        }
        goto done;
    }
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].sum;
    certificate_integers(to, "mass", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].min;
    certificate_integers(to, "min", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].max;
    certificate_integers(to, "max", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = (__int128)steps->list[i].energy_high << 64 | steps->list[i].energy_low;
    certificate_integers(to, "energy", values, steps->count);
done:
    free(values);
}

/* The filter once more, watched step by step, into what OUT is like. */
static ro_status watch(ro_context *context, const struct values *given,
                       const struct operands *files, const ro_file_info *info, ro_image *in,
                       ro_image *again, struct steps *steps, ro_denoise_report *report)
{
    struct values values = *given;
    values.schedule = NULL; /* changes no bits */
    values.steps_at_once = 0;
    struct denoise_files job = files_of(&values, files, report);
    job.context = context;
    job.denoise.on_step = remember;
    job.denoise.on_step_data = steps;
    return denoise_page(&job, info, in, again, report);
}

/* OUT holds what the method gives where it can be read back as it was: plain samples of one page.
 */
static ro_status check_certified(ro_context *context, const struct values *values,
                                 const ro_file_info *info)
{
    if (stack_count(info) > 1)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a certificate is of one page; --page N picks it");
    const bool whole = info->sample == RO_SAMPLE_PLAIN || info->sample == RO_SAMPLE_INT8 ||
                       info->sample == RO_SAMPLE_INT16 || info->sample == RO_SAMPLE_UINT16;
    if (values->raw || values->floats || !whole)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a certificate needs samples of 8 or 16 bits or float32, in and out "
                               "of one kind");
    return RO_OK;
}

/* IN and its info. */
static ro_status load_certified(ro_context *context, const struct values *values, const char *path,
                                ro_image *in, ro_file_info *info)
{
    ro_read_options read = RO_READ_OPTIONS;
    stack_pages(values->page, &read);
    ro_status status = ro_image_load(context, path, &read, in, info, NULL);
    return status == RO_OK ? check_certified(context, values, info) : status;
}

/* Steps are watched on the CPU, so with a context of its own. */
static ro_status certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct steps steps = {0};
    ro_denoise_report report = {0};
    ro_image in = {0}, out = {0}, again = {0};
    ro_file_info info;
    ro_context *cpu = NULL;
    ro_status status = load_certified(to->context, given, files->path[0], &in, &info);
    if (status == RO_OK)
        status = ro_image_load(to->context, files->path[1], NULL, &out, NULL, NULL);
    if (status == RO_OK)
        status = ro_image_alloc(to->context, out.format, out.width, out.height, out.maxval, &again);
    if (status == RO_OK)
        status = work_cpu_open(to->context, &cpu);
    if (status == RO_OK) {
        status = watch(cpu, given, files, &info, &in, &again, &steps, &report);
        if (status != RO_OK)
            ro_context_fail(to->context, status, "%s", ro_context_message(cpu));
    }
    if (status == RO_OK) {
        certificate_picture(to, "input", &in);
        certificate_picture(to, "output", &out);
        certificate_text(to, "method", ro_context_report(cpu)->method);
        certificate_text(to, "number", report.number);
        certificate_real(to, "white", report.white);
        certificate_real(to, "kappa", report.kappa);
        certificate_real(to, "time_step", report.time_step);
        certificate_natural(to, "steps", report.steps);
        state_steps(to, &steps);
        certificate_unlike(to, &again, &out);
    }
    free(steps.list);
    work_cpu_close(to->context, cpu);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&again);
    return status;
}

/* The definition, where it has a schedule of its own. */
static const char *const *reference(const void *given)
{
    static const char *const plain[] = {"--cpu", "scalar", "--threads", "1", "!vectors", NULL};
    static const char *const defined[] = {"--schedule",     "reference", "--cpu",
                                          "scalar",         "--threads", "1",
                                          "!steps-at-once", "!vectors",  NULL};
    const struct values *values = given;
    const char *scheme = values->scheme;
    return ro_name_equal(scheme, "naive") || ro_name_equal(scheme, "xpp24") ? plain : defined;
}

static ro_status work(struct task *task)
{
    const struct values *values = task->values;
    struct denoise_files *job = task->data;
    job->context = task->context;
    if (values->until_converged && !values->common.quiet)
        task->progress->notice = "denoise: running until no pixel changes, which can take a while; "
                                 "--iterations N sets a limit";
    bool linear = values->model && ro_name_equal(values->model, "linear");
    bool known =
        values->iterations != RO_DEFAULT || (values->stop && ro_name_equal(values->stop, "usual"));
    bool rows = values->schedule && ro_name_equal(values->schedule, "stream") &&
                !values->steps_at_once && !values->impulse &&
                (linear ? known : !isnan(values->kappa)) &&
                ro_name_equal(values->scheme, "explicit") && job->form == AS_IN &&
                values->common.device != RO_DEVICE_CUDA;
    ro_status status = rows ? denoise_rows(job) : denoise_pages(job);
    task->ran = *ro_context_report(task->context);
    if (status == RO_OK && values->vectors)
        status = save_vectors(job, values->vectors);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    put_json(file, &task->ran, task->data, ((const struct values *)task->values)->scheme, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct values *values = task->values;
    put_line(&task->ran, task->data, values->scheme,
             values->round && ro_name_equal(values->round, "nearest"), values, task->seconds);
}

static void choose_scheme(struct values *values)
{
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .number = values->number,
                                        .scheme = values->scheme,
                                        .until_converged = values->until_converged};
    values->scheme = ro_denoise_scheme(&options);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 2)
        return usage_error(command, "denoise needs IN and OUT");
    choose_scheme(&values);
    if (!isnan(values.kappa) && values.kappa <= 0)
        return usage_error(command, "--kappa %g: must be positive", values.kappa);
    if (values.white && denoise_white(values.white) == INT64_MIN)
        return usage_error(command, "--white %s: must be a whole number, or maxval", values.white);
    if (stack_check(command, values.page) != 0)
        return EXIT_BAD_USAGE;
    if ((values.bits >= 0) + values.floats + values.raw > 1)
        return usage_error(command, "--bits, --float and --raw exclude each other");
    if (!isnan(values.time_step) && values.time_step <= 0)
        return usage_error(command, "--time-step %g: must be positive", values.time_step);

    ro_denoise_report report = {0};
    struct denoise_files job = files_of(&values, &files, &report);
    return task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[1],
        .data = &job,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
}

const struct command command_denoise = {
    .name = "denoise",
    .operands = "IN OUT",
    .summary = "removes noise by diffusion that keeps edges, and the sum exactly",
    .options = options,
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_QUIET | COMMON_JSON |
              COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify,
    .reference = reference,
};

/* SPDX-License-Identifier: MIT */
/* roundoff denoise: diffusion filters in few bits, for whole files or from pipe to pipe. */
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/session.h"
#include "cli/common/stacks.h"
#include "cli/common/vectors.h"
#include "cli/denoise/evolution.h"
#include "cli/denoise/files.h"
#include "cli/denoise/smallest.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct common common;
    const char *white, *page;
    int bits, floats, raw;
    const char *vectors;
    const char *evolution, *history;
    uint32_t every;
    ro_denoise_options denoise;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

/* What files need; the library has the other options. */
static const ro_option rows[] = {
    {MEMBER(white), "N", "the sample value of white as IN counts, or maxval", .topic = "output",
     .derived = "the maxval, or the bits in use",
     .more = "Where `kappa` is estimated and samples have 16 bits, white is the smallest 2^n - 1 "
             "that no sample exceeds, so that 10 and 12 bits in 16-bit files are treated as such. "
             "It counts as IN does: of int16 it may be negative."},
    {RO_MEMBER_AS(struct values, denoise.number, "number"), ROW_NUMBER, .topic = "numbers",
     .derived = "by the bits of IN", .excludes = "model=trained",
     .more = "The default is `s16` for 8-bit images, `s17` for 16-bit images and `s23e8` for float "
             "images, whose white is 1; it is `s24` with the schemes `conjugate` and `xpp24`. "
             "`smallest:0.1dB` tries all fixed-point systems on IN with the same steps, prints how "
             "far each is from floats (10 log10 of 1 + e/r, e the squared difference of the "
             "results and r that of IN and the result), and takes the smallest within 0.1 dB."},
    {MEMBER(page), ROW_PAGE, .topic = "output", .more = PAGES_OF_OUT},
    {MEMBER(bits), ROW_BITS, .topic = "output", .derived = "as IN"},
    {RO_MEMBER_AS(struct values, floats, "float"), NULL, "OUT holds floats, in the units of IN",
     .topic = "output"},
    {MEMBER(raw), NULL, "OUT holds the numbers that the method works in", .topic = "output",
     .more = "They are int32 or float32; a line reports what white is among them."},
    {MEMBER(vectors), ROW_VECTORS, .topic = "output",
     .more = "The file has one pixel per line. IN must be an 8-bit or 16-bit grey file, not a "
             "pipe, and the number system s9, s12, s16, s17 or s24."},
    {MEMBER(evolution), "FILE", "time steps as .gif, .y4m, or a series FILE-0000.png",
     .topic = "output", .excludes = "model=trained", .writes = 1,
     .more = "It begins with IN and ends with OUT. A GIF is grey."},
    {MEMBER(every), "N", "steps between two pictures of the evolution", .topic = "output", .min = 1,
     .max = UINT32_MAX, .preset = "1", .needs = "evolution"},
    {MEMBER(history), "FILE", "figures of every time step, as a table .csv or plots .svg",
     .topic = "output", .excludes = "model=trained", .writes = 1,
     .more =
         "They are of the numbers that the method works in: sum, smallest, largest, energy (the "
         "sum of squares), and the root mean square of what the step changed."},
    {0},
};

static const struct values defaults = {.denoise = RO_DENOISE_OPTIONS};

static const ro_option_table own = {
    .name = "denoise", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff denoise night.png clean.png",
    "roundoff denoise - - --schedule stream --noise-level 8 < huge.pgm > clean.pgm",
    NULL,
};

const ro_denoise_options *denoise_options(const void *values)
{
    return &((const struct values *)values)->denoise;
}

static enum denoise_form form_of(const struct values *values)
{
    return values->raw          ? WORKING
           : values->floats     ? FLOATS
           : values->bits == 8  ? BITS_8
           : values->bits == 16 ? BITS_16
                                : AS_IN;
}

static struct denoise_files files_of(const struct values *values, const struct operands *files,
                                     ro_denoise_report *report)
{
    return (struct denoise_files){.in = files->path[0],
                                  .out = files->path[1],
                                  .page = values->page,
                                  .form = form_of(values),
                                  .white = values->white,
                                  .denoise = values->denoise,
                                  .report = report};
}

/* The numbers before the first step and after the last: floats have room for 24 bits of them. */
static ro_status save_vectors(struct denoise_files *job, const char *path)
{
    ro_context *context = job->context;
    struct denoise_files numbers = *job;
    ro_denoise_report report = {.size = sizeof report};
    ro_image in = {0}, out = {0};
    ro_read_options read = pictures_read(job->in);
    numbers.form = WORKING;
    stack_pages(job->page, &read);
    read.pages = 1; /* a list is of one picture */
    ro_status status = vectors_load(context, job->in, &read, &in);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, in.width, in.height, 0, &out);
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
static const double CLIPPED_NOISE = 15; /* in 1/255, from which on cutting it off shows */
enum { LONG_STEP = 8 };                 /* of the implicit schemes */

static void put_line(const ro_report *ran, const struct denoise_files *files, const char *scheme,
                     bool nearest, const struct values *values, double seconds)
{
    const ro_denoise_report *r = files->report;
    char what[64], kappa[80] = "", steps[48] = "", white[48] = "", pages[32] = "", time[32],
                   where[64];
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
    if (r->quality) {
        snprintf(what, sizeof what, "%s %s", ran->method, r->quality);
        const bool kept = r->sample_white > 0 && r->difference == 0 && files->form == AS_IN;
        char noise[64];
        if (r->noise_dark == r->noise)
            snprintf(noise, sizeof noise, "noise of %.4g/255", r->noise);
        else
            snprintf(noise, sizeof noise, "noise that grows from %.4g to %.4g/255", r->noise_dark,
                     r->noise);
        snprintf(kappa, sizeof kappa, ", %s%s", noise, kept ? ", sum kept" : "");
    } else {
        snprintf(what, sizeof what, "%s %s in %s", scheme, ran->method, r->number);
        snprintf(steps, sizeof steps, ", %u step%s of %.4g%s", r->steps, r->steps == 1 ? "" : "s",
                 r->time_step, r->converged ? " to the fixed point" : "");
    }
    fprintf(stderr, "denoise: %s%s%s%s, %s%u x %u, %s/%s, %s\n", what, white, kappa, steps, pages,
            ran->width, ran->height, ran->schedule, where, time);
    if (files->form == WORKING)
        fprintf(stderr, "denoise: OUT holds numbers of %s; white is %.0f\n", r->number, r->white);
    if (r->quality && r->noise >= CLIPPED_NOISE && r->sample_white > 0 && r->difference != 0 &&
        !values->denoise.unclip)
        fprintf(stderr, "denoise: noise was cut off at black or white; --unclip undoes the bias of "
                        "that, which changes the sum\n");
    if (values->denoise.until_converged && !r->converged)
        fprintf(stderr,
                "denoise: pixels were still changing after %u steps, so this is not a fixed point; "
                "--iterations N allows more\n",
                r->steps);
    if (values->denoise.impulse)
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
    if (r->time_step > LONG_STEP && ro_name_equal(scheme, "implicit") &&
        !(values->denoise.tolerance > 0))
        fprintf(
            stderr,
            "denoise: time steps above %d leave more to be solved than 8 sweeps do; shorter ones "
            "are closer to the model, or --tolerance 0.5\n",
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
    json_put(file,
             "{command %s, input %s, output %s, model %s, %s: %s, number %s, schedule %s, "
             "device %s, cpu %s, threads %d, width %u, height %u, pages %u, sample_zero %lld, "
             "steps %u, converged %hhd, saturating %hhd",
             "denoise", files->in, files->out, ran->method, r->quality ? "quality" : "scheme",
             r->quality ? r->quality : scheme, r->number, ran->schedule,
             ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads, ran->width,
             ran->height, files->pages, (long long)files->zero, r->steps, r->converged,
             r->saturating);
    const struct {
        const char *name;
        double value;
    } fields[] = {
        {"white", r->white},
        {"sample_white", r->sample_white},
        {"kappa", r->kappa},
        {"noise", r->noise},
        {"noise_dark", r->noise_dark},
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
        json_put(file, ", %s: %.17g", fields[i].name, fields[i].value);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", seconds);
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
    values.denoise.schedule = NULL; /* changes no bits */
    values.denoise.steps_at_once = 0;
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
    if (values->denoise.unclip)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a certificate says that the sum is kept, which --unclip changes");
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
    ro_denoise_report report = {.size = sizeof report};
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
    static const char *const plain[] = {"--cpu",      "scalar", "--threads", "1", "!vectors",
                                        "!evolution", "!every", "!history",  NULL};
    static const char *const defined[] = {"--schedule", "reference", "--cpu",          "scalar",
                                          "--threads",  "1",         "!steps-at-once", "!vectors",
                                          "!evolution", "!every",    "!history",       NULL};
    const struct values *values = given;
    const char *scheme = values->denoise.scheme;
    return ro_name_equal(scheme, "naive") || ro_name_equal(scheme, "xpp24") ? plain : defined;
}

static bool is_word(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

static ro_status work(struct task *task)
{
    const struct values *values = task->values;
    struct denoise_files *job = task->data;
    job->context = task->context;
    if (values->denoise.until_converged && !values->common.quiet)
        task->progress->notice = "denoise: running until no pixel changes, which can take a while; "
                                 "--iterations N sets a limit";
    const ro_denoise_options *o = &values->denoise;
    const bool linear = is_word(o->model, "linear");
    const bool known = o->iterations != (uint32_t)RO_DEFAULT || is_word(o->stop, "usual");
    const bool trained = !o->scheme;
    const bool rows = is_word(o->schedule, "stream") && !o->steps_at_once && !o->impulse &&
                      (trained  ? o->noise_level != RO_DEFAULT
                       : linear ? known
                                : o->kappa > 0) &&
                      (trained || is_word(o->scheme, "explicit")) && job->form == AS_IN &&
                      values->common.device != RO_DEVICE_CUDA;
    struct evolution evolution;
    if (job->distance > 0) {
        const ro_status found = smallest_number(job, values->common.quiet, &job->denoise.number);
        if (found != RO_OK)
            return found;
    }
    ro_status status =
        evolution_open(&evolution, task->context, values->evolution,
                       values->every ? values->every : 1, values->history, &job->denoise);
    if (status == RO_OK)
        status = rows ? denoise_rows(job) : denoise_pages(job);
    task->ran = *ro_context_report(task->context);
    status = evolution_end(&evolution, status);
    evolution_close(&evolution);
    job->denoise.frame_every = 0; /* vectors are of a run of their own */
    job->denoise.on_step = NULL;
    if (status == RO_OK && values->vectors)
        status = save_vectors(job, values->vectors);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const char *scheme = ((const struct values *)task->values)->denoise.scheme;
    put_json(file, &task->ran, task->data, scheme, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct values *values = task->values;
    put_line(&task->ran, task->data, values->denoise.scheme,
             is_word(values->denoise.round, "nearest"), values, task->seconds);
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
    const double distance = smallest_distance(values.denoise.number);
    if (distance < 0)
        return usage_error(command, "--number %s: must look like smallest:0.1dB",
                           values.denoise.number);
    if (distance > 0)
        values.denoise.number = "s16"; /* until it is found */
    char message[RO_OPTION_MESSAGE];
    const ro_option_table *table = ro_options_of("denoise");
    if (values.denoise.number &&
        ro_option_set(table, ro_option_find(table, "number"), &values.denoise,
                      values.denoise.number, message) != RO_OK)
        return usage_error(command, "--%s", message);
    values.denoise.scheme = ro_denoise_scheme(&values.denoise);
    if (!values.denoise.scheme && !values.denoise.model && (values.raw || values.vectors)) {
        values.denoise.model = "anisotropic"; /* which works in the numbers that are wanted */
        values.denoise.scheme = ro_denoise_scheme(&values.denoise);
    }
    if (values.white && denoise_white(values.white) == INT64_MIN)
        return usage_error(command, "--white %s: must be a whole number, or maxval", values.white);
    if (stack_check(command, values.page) != 0)
        return EXIT_BAD_USAGE;
    if (!values.denoise.scheme && !values.denoise.model && (values.evolution || values.history)) {
        values.denoise.model = "anisotropic"; /* which has time steps */
        values.denoise.scheme = ro_denoise_scheme(&values.denoise);
    }
    if (values.raw && !values.denoise.scheme)
        return usage_error(command, "--raw does not apply to model trained");
    if ((values.bits > 0) + values.floats + values.raw > 1)
        return usage_error(command, "--bits, --float and --raw exclude each other");

    ro_denoise_report report = {.size = sizeof report};
    struct denoise_files job = files_of(&values, &files, &report);
    job.distance = distance;
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
    .summary = "removes noise and keeps the sum, by trained filters or diffusion",
    .own = &own,
    .families = {{"denoise", offsetof(struct values, denoise)}},
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

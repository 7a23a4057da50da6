/* SPDX-License-Identifier: MIT */
/* roundoff hologram quantize: rounds a field to a modulator's levels; reports and certificates. */
#include "cli/common/session.h"
#include "cli/common/string_buffer.h"
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What goes with --refine and with --frames only. */
static int check_modes(const struct command *command, const struct hologram_values *values)
{
    const ro_option_table *table = ro_options_of("hologram-refine");
    const char *given = values->target ? "target" : NULL;
    for (const char *const *name = (const char *const[]){"region", "light", "edges", NULL}; *name;
         name++)
        if (ro_option_is_set(table, ro_option_find(table, *name), &values->refinement))
            given = *name;
    if (values->drive == DRIVE_PACKED && !values->frames.count)
        return usage_error(command, "--drive packed needs --frames");
    if (values->source.count && (!values->refine || values->frames.count))
        return usage_error(command, "--source needs --refine");
    if (given && values->frames.count)
        return usage_error(command, "--%s does not apply to --frames", given);
    if (given && !values->refine)
        return usage_error(command, "--%s needs --refine", given);
    if (values->phase && !values->frames.count)
        return usage_error(command, "--phase needs --frames");
    if (values->distance != 0 && !values->refine && !values->frames.count)
        return usage_error(command, "--distance needs --refine or --frames");
    if (values->refine && !values->frames.count && (!values->target || values->distance == 0))
        return usage_error(command, "--refine needs --target and --distance: what is to be seen, "
                                    "and how far from the modulator");
    if (values->spectrum && (values->refine || values->frames.count))
        return usage_error(command, "--spectrum does not apply to --%s",
                           values->refine ? "refine" : "frames");
    return 0;
}

int hologram_take_quantize(const struct command *command, const struct hologram_values *values,
                           struct quantize *q)
{
    q->options = values->quantize;
    q->refinement = values->refinement;
    q->refinement.refine = values->refine ? values->refine : RO_DEFAULT;
    q->refinement.distance = values->distance;
    if (hologram_is_list(q->options.levels))
        q->options.levels = NULL;
    if (!hologram_is_list(values->weights))
        q->options.weights = values->weights;
    q->options.measure = values->report != NULL || q->options.gain == RO_GAIN_AUTO;
    const int wrong = check_modes(command, values);
    return wrong ? wrong : hologram_optics(command, values, &q->options.optics);
}

ro_status hologram_check_physics(ro_context *context, const ro_hologram_options *o, const char *in)
{
    bool windowed = !o->algorithm || (!ro_name_equal(o->algorithm, "truncate") &&
                                      !ro_name_equal(o->algorithm, "floyd-steinberg") &&
                                      !ro_name_equal(o->algorithm, "fs"));
    if (!windowed || o->window.width > 0)
        return RO_OK;
    if (o->optics.wavelength == 0 && o->optics.pitch == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%s has no sidecar with its wavelength, pitch and viewer: give "
                               "--window, or --wavelength, --pitch, --viewer and --viewing-area",
                               in);
    const struct {
        const char *key, *option;
        double value;
    } needed[] = {{"wavelength", "wavelength", o->optics.wavelength},
                  {"pitch", "pitch", o->optics.pitch},
                  {"viewer", "viewer", o->optics.viewer[2]},
                  {"viewing_area", "viewing-area", o->optics.viewing_area[0]}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i].value == 0)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "%s is missing: no sidecar of %s has it; give --%s",
                                   needed[i].key, in, needed[i].option);
    return RO_OK;
}

static void write_hogel(FILE *file, const ro_hogel_report *h, bool measured)
{
    json_put(file,
             "{x %u, y %u, width %u, height %u, window [%.6g, %.6g, %.6g, %.6g], taps %d, p %d, "
             "rho %.6g, weight_sum %.6g, rejection_db %.4g, clips %llu",
             h->x, h->y, h->width, h->height, h->window.xi, h->window.eta, h->window.width,
             h->window.height, h->taps, h->p, h->rho, h->weight_sum,
             h->rejection > 0 ? 10 * log10(h->rejection) : 0, (unsigned long long)h->clips);
    if (measured)
        json_put(file,
                 ", predicted_snr_db %.5g, reached_snr_db %.5g, noise_inside_db %.5g, "
                 "noise_outside_db %.5g, efficiency %.5g, in_window %.5g, outgoing %.5g",
                 h->predicted_snr, h->reached_snr, h->noise_inside, h->noise_outside, h->efficiency,
                 h->in_window, h->outgoing);
    fputc('}', file);
}

static void write_report(FILE *file, const struct quantize *q, const ro_report *ran,
                         const char *const *path, double seconds, bool hogels)
{
    const ro_hologram_report *r = &q->report;
    json_put(file,
             "{command %s, input %s, output %s, algorithm %s, schedule %s, device %s, cpu %s, "
             "threads %d, width %u, height %u, levels %d, gain %.9g, level %.9g, rho %.6g, "
             "hogels %u, windows_over_their_mirror %u, clips %llu",
             "hologram quantize", path[0], path[1], ran->method, ran->schedule,
             ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads, ran->width,
             ran->height, r->levels, r->gain, r->level, r->rho, r->hogels, r->mirrored,
             (unsigned long long)r->clips);
    if (r->weights)
        json_put(file, ", weights %s", r->weights);
    if (q->refinement.distance != 0)
        hologram_write_refined(file, &q->refined);
    if (r->measured)
        json_put(file,
                 ", predicted_snr_db %.5g, reached_snr_db %.5g, efficiency %.5g, in_window %.5g, "
                 "outgoing %.5g, field_in_window %.5g, field_beyond_levels %.5g",
                 r->predicted_snr, r->reached_snr, r->efficiency, r->in_window, r->outgoing,
                 r->field_in_window, r->field_beyond_levels);
    if (r->kernel_ms > 0)
        json_put(file, ", kernel_ms %.4f", r->kernel_ms);
    json_put(file, ", seconds %.6f", seconds);
    for (uint32_t i = 0; i < r->hogels && hogels; i++) {
        fputs(i ? ",\n  " : ", \"hogel\": [\n  ", file);
        write_hogel(file, &r->hogel[i], r->measured);
    }
    fputs(hogels && r->hogels ? "]}\n" : "}\n", file);
}

/* Real levels send the twin image and the zero order where the viewer looks. */
static void say_mirrored(const ro_hologram_report *r)
{
    char which[64] = "the window";
    if (r->mirrored == 0)
        return;
    if (r->hogels > 1)
        snprintf(which, sizeof which, "the window of %u of %u hogels", r->mirrored, r->hogels);
    fprintf(stderr,
            "hologram: %s overlaps its mirror image, where real levels show the twin image%s too: "
            "move it off the axis by half its width or height\n",
            which, r->amplitude_device ? " and the zero order" : "");
}

static void print_quantize(const struct quantize *q, const ro_report *ran, double seconds)
{
    const ro_hologram_report *r = &q->report;
    char snr[96] = "", clips[64] = "", weights[64] = "";
    double rho = 0;
    for (uint32_t i = 0; i < r->hogels; i++)
        rho = fmax(rho, r->hogel[i].rho);
    if (r->weights)
        snprintf(weights, sizeof weights, " of %s", r->weights);
    if (r->measured)
        snprintf(snr, sizeof snr, ", %.1f dB and %.3g %% of the light in %s", r->reached_snr,
                 100 * r->efficiency, r->hogels > 1 ? "the hogels' windows" : "the window");
    if (r->clips)
        snprintf(clips, sizeof clips, ", %llu errors cut off", (unsigned long long)r->clips);
    fprintf(
        stderr,
        "hologram: %s to %d levels, %u x %u in %u hogel%s, %d taps%s, p %d, gain %.4g%s%s, %s/%s, "
        "%d thread%s, %.1f ms\n",
        ran->method, r->levels, ran->width, ran->height, r->hogels, r->hogels == 1 ? "" : "s",
        r->hogel[0].taps, weights, r->hogel[0].p,
        q->options.gain == RO_GAIN_AUTO ? r->level : r->gain, snr, clips, ran->schedule,
        ran->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(ran->cpu), ran->threads,
        ran->threads == 1 ? "" : "s", 1e3 * seconds);
    say_mirrored(r);
    if (rho > 1.5 * r->rho)
        fprintf(stderr, "hologram: rho was raised to %g where too many errors were cut off\n", rho);
}

/* Prints into memory and leaves it to the library to write: nothing half-done is left behind. */
static ro_status save_report(ro_context *context, const struct quantize *q, const ro_report *ran,
                             const char *const *path, const char *name, double seconds)
{
    struct printed text;
    ro_status status = printed_open(context, &text);
    if (status != RO_OK)
        return status;
    write_report(text.file, q, ran, path, seconds, true);
    return printed_save(context, &text, name);
}

/* The noise of the hogel in the middle, dark where it is weak. */
static ro_status save_spectrum(ro_context *context, const struct quantize *q, const ro_field *field,
                               const ro_image *numbers, const char *path)
{
    uint32_t middle = 0;
    while (middle + 1 < q->report.hogels &&
           (q->report.hogel[middle].x + q->report.hogel[middle].width < field->width / 2 ||
            q->report.hogel[middle].y + q->report.hogel[middle].height < field->height / 2))
        middle++;
    const ro_hogel_report *r = &q->report.hogel[middle];
    /* As they are rounded: amplitudes of 0 to 1 as -1 to 1. */
    float table[2 * RO_HOLOGRAM_LEVELS];
    for (int i = 0; i < 2 * q->device.count; i++)
        table[i] = q->report.amplitude_device && i % 2 == 0 ? 2 * q->device.table[i] - 1
                                                            : q->device.table[i];
    ro_image noise = {0}, grey = {0};
    ro_status status = RO_OK;
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, r->width, r->height, 0, &noise);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, r->width, r->height, 255, &grey);
    if (status == RO_OK)
        status = ro_hologram_noise(context, field, numbers, table, &q->report, middle, &noise);
    for (uint32_t y = 0; status == RO_OK && y < r->height; y++) {
        const float *from = (const float *)((const char *)noise.data + (ptrdiff_t)y * noise.stride);
        uint8_t *to = (uint8_t *)grey.data + (ptrdiff_t)y * grey.stride;
        for (uint32_t x = 0; x < r->width; x++)
            to[x] = (uint8_t)lrint(255 * fmin(fmax((from[x] + 50) / 60, 0), 1));
    }
    if (status == RO_OK)
        status = ro_image_save(context, path, &grey, NULL);
    ro_image_free(&noise);
    ro_image_free(&grey);
    return status;
}

ro_status hologram_prepare_quantize(ro_context *context, const struct hologram_values *values,
                                    struct quantize *q, const char *out)
{
    ro_status status = hologram_device(context, values, &q->device);
    if (status == RO_OK)
        status = hologram_accepts(context, values, &q->device, out);
    if (hologram_is_list(values->quantize.levels)) {
        q->options.table = q->device.table;
        q->options.table_count = q->device.count;
    }
    if (status == RO_OK && hologram_is_list(values->weights)) {
        q->options.own = &q->taps;
        status = ro_taps_load(context, values->weights, &q->taps);
    }
    return status;
}

static ro_status run_quantize(ro_context *context, const struct hologram_values *values,
                              struct quantize *q, const char *const *path, ro_field *field,
                              ro_image *numbers)
{
    ro_status status = hologram_prepare_quantize(context, values, q, path[1]);
    if (status == RO_OK)
        status = ro_hologram_load(context, path[0], values->sidecar, field, &q->options.optics);
    if (status == RO_OK && !values->refine)
        status = hologram_check_physics(context, &q->options, path[0]);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_INDEX8, field->width, field->height, 255, numbers);
    q->report.size = sizeof q->report;
    q->refined.size = sizeof q->refined;
    if (status == RO_OK)
        status = values->refine
                     ? hologram_refine(context, values, &q->options, &q->refinement, field, numbers,
                                       &q->refined)
                     : ro_hologram_quantize(context, field, numbers, &q->options, &q->report);
    if (status == RO_OK && values->spectrum)
        status = save_spectrum(context, q, field, numbers, values->spectrum);
    return status;
}

/* The optics of IN lie beside it under its name, and nothing may be written over them. */
static int spares_sidecar(const struct command *command, const struct hologram_values *values,
                          const char *in)
{
    const char *written[] = {values->report, values->common.certificate};
    const char *dot = strrchr(in, '.');
    const size_t stem = dot ? (size_t)(dot - in) : strlen(in);
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (written[i] && strncmp(written[i], in, stem) == 0 &&
            strcmp(written[i] + stem, ".json") == 0)
            return usage_error(command, "%s holds the optics of %s and cannot be overwritten",
                               written[i], in);
    return 0;
}

static ro_status work(struct task *task)
{
    const struct hologram_values *values = task->values;
    struct quantize *q = task->data;
    const char *const *path = task->files->path;
    ro_field field = {0};
    ro_image numbers = {0};
    ro_status status = run_quantize(task->context, values, q, path, &field, &numbers);
    const double seconds = seconds_now() - task->progress->start;
    task->ran = *ro_context_report(task->context);
    if (status == RO_OK)
        status = hologram_save_numbers(task->context, values, &q->device, path[1], &numbers);
    if (status == RO_OK && values->report)
        status = save_report(task->context, q, &task->ran, path, values->report, seconds);
    ro_image_free(&numbers);
    ro_field_free(&field);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    write_report(file, task->data, &task->ran, task->files->path, task->seconds, false);
}

static void print_line(const struct task *task)
{
    const struct hologram_values *values = task->values;
    const struct quantize *q = task->data;
    if (values->refine)
        hologram_say_refined(&q->refined, &task->ran, task->seconds);
    else
        print_quantize(q, &task->ran, task->seconds);
}

int hologram_quantize(const struct command *command, const struct hologram_values *values,
                      const struct operands *files)
{
    struct quantize q = {0};
    if (strcmp(files->path[1], "-") != 0 && same_file(files->path[0], files->path[1]))
        return usage_error(command, "%s is IN and OUT: the field would be lost", files->path[1]);
    int result = hologram_take_quantize(command, values, &q);
    if (!result && values->frames.count)
        return hologram_frames(command, values, files);
    if (!result)
        result = spares_sidecar(command, values, files->path[0]);
    if (!result)
        result = task_run(&(struct task){
            .command = command,
            .values = values,
            .files = files,
            .out = files->path[1],
            .data = &q,
            .states_run = true,
            .work = work,
            .json = print_json,
            .say = print_line,
        });
    ro_free(q.report.hogel);
    return result;
}

/* ---- The certificate ------------------------------------------------------------------------ */

/* Figures of all hogels as whole numbers, so that they can be compared. */
static void state_hogels(struct certificate *to, const ro_hologram_report *r)
{
    enum { COLUMNS = 6 };
    static const char *const names[COLUMNS] = {
        "hogel_p",
        "hogel_taps",
        "hogel_clips",
        "hogel_weight_sum_thousandths",
        "hogel_reached_snr_tenths_of_db",
        "hogel_efficiency_thousandths",
    };
    __int128 *column = malloc(r->hogels * sizeof *column);
    if (!column) {
        to->status = ro_context_fail(to->context, RO_E_MEMORY, "no memory for a certificate");
        return;
    }
    for (int k = 0; k < (r->measured ? COLUMNS : COLUMNS - 2); k++) {
        for (uint32_t i = 0; i < r->hogels; i++) {
            const ro_hogel_report *h = &r->hogel[i];
            const double figures[COLUMNS] = {h->p,
                                             h->taps,
                                             (double)h->clips,
                                             1000 * h->weight_sum,
                                             10 * h->reached_snr,
                                             1000 * h->efficiency};
            column[i] = (__int128)rint(figures[k]);
        }
        certificate_integers(to, names[k], column, r->hogels);
    }
    free(column);
}

static void state_rounded(struct certificate *to, const ro_hologram_report *r)
{
    certificate_real(to, "gain", r->gain);
    certificate_natural(to, "hogels", r->hogels);
    certificate_natural(to, "clips", r->clips);
    state_hogels(to, r);
}

static void state_refined(struct certificate *to, const ro_refinement_report *r)
{
    certificate_text(to, "edges", r->edges);
    certificate_natural(to, "iterations", (uint64_t)r->iterations);
    certificate_natural(to, "passes", (uint64_t)r->passes);
    certificate_natural(to, "psnr_tenths_of_db", (uint64_t)rint(10 * fmax(r->psnr, 0)));
    certificate_natural(to, "efficiency_thousandths", (uint64_t)rint(1000 * r->efficiency));
}

uint64_t hologram_unlike(const ro_image *a, const ro_image *b)
{
    uint64_t count = 0;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < a->width; x++)
            count += ((const uint8_t *)a->data)[(ptrdiff_t)y * a->stride + x] !=
                     ((const uint8_t *)b->data)[(ptrdiff_t)y * b->stride + x];
    return count;
}

/* The rounding once more, on the CPU, so with a context of its own. */
ro_status hologram_certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct hologram_values values = *(const struct hologram_values *)given;
    struct quantize q = {0};
    ro_field field = {0};
    ro_image again = {0}, out = {0};
    ro_context *cpu = NULL;
    values.quantize.schedule = NULL; /* changes no bits */
    values.spectrum = NULL;
    if (values.frames.count)
        return hologram_certify_frames(to, &values, files);
    if (hologram_take_quantize(&command_hologram, &values, &q))
        return ro_context_fail(to->context, RO_E_ARGUMENT, "the options cannot be read");
    ro_status status = hologram_device(to->context, &values, &q.device);
    if (status == RO_OK)
        status = hologram_load_numbers(to->context, &values, &q.device, files->path[1], &out);
    if (status == RO_OK)
        status = work_cpu_open(to->context, &cpu);
    if (status == RO_OK) {
        q.options.measure = 1;
        status = run_quantize(cpu, &values, &q, files->path, &field, &again);
        if (status != RO_OK)
            ro_context_fail(to->context, status, "%s", ro_context_message(cpu));
    }
    if (status == RO_OK &&
        (out.format != RO_GREY8 || out.width != field.width || out.height != field.height))
        status = ro_context_fail(to->context, RO_E_FORMAT, "%s does not hold level numbers of %s",
                                 files->path[1], files->path[0]);
    if (status == RO_OK) {
        const ro_image light = {.format = RO_GREYF,
                                .width = 2 * field.width,
                                .height = field.height,
                                .maxval = 0,
                                .stride = field.stride,
                                .data = field.data};
        certificate_picture(to, "input", &light);
        certificate_picture(to, "output", &out);
        certificate_text(to, "algorithm", ro_context_report(cpu)->method);
        certificate_natural(to, "levels", (uint64_t)q.device.count);
        if (values.refine)
            state_refined(to, &q.refined);
        else
            state_rounded(to, &q.report);
        certificate_natural(to, "pixels_unlike_the_method", hologram_unlike(&again, &out));
    }
    ro_free(q.report.hogel);
    ro_image_free(&again);
    ro_image_free(&out);
    ro_field_free(&field);
    work_cpu_close(to->context, cpu);
    return status;
}

const char *const *hologram_reference(const void *values)
{
    static const char *const plain[] = {"--schedule", "reference", "--cpu",
                                        "scalar",     "--threads", "1",
                                        "!report",    "!spectrum", NULL};
    static const char *const refined[] = {"--cpu", "scalar", "--threads", "1", "!report", NULL};
    const struct hologram_values *v = values;
    return v->refine || v->frames.count ? refined : plain;
}

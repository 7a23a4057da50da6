/* SPDX-License-Identifier: MIT */
/* What roundoff segment says at the end: lines for people, JSON for programs. */
#include "cli/common/pictures.h"
#include "cli/segment/segment.h"

#include <string.h>

static const char *finer(const char *number)
{
    return strcmp(number, "u8") == 0 ? "s12 or s16" : strcmp(number, "s12") == 0 ? "s16" : "s23e8";
}

static int rescalings_kept(const ro_segment_label *label)
{
    return label->rescalings < RO_RESCALINGS ? label->rescalings : RO_RESCALINGS;
}

int segment_useless(const ro_segment_report *r, const struct segment_faults *faults,
                    const char *out)
{
    const unsigned which = faults->useless   ? faults->useless
                           : faults->stalled ? faults->stalled
                                             : faults->border;
    int i = 0;
    while (!(which >> i & 1))
        i++;
    const ro_segment_label *label = &r->label[i];
    char window[64] = "";
    if (label->low < label->high)
        snprintf(window, sizeof window, " (its window is %.1f to %.1f)", label->low, label->high);
    if (label->useless & RO_LABEL_EVERYTHING)
        fail(
            "label %d filled the whole picture%s, so %s was not written: try seeds that lie inside "
            "the object, a narrower --window, --edge for objects with soft tones, or --force",
            i + 1, window, out);
    else if (!faults->useless)
        fail("label %d %s, so %s was not written: leave out --strict, or add --force", i + 1,
             faults->stalled ? "stalled, its numbers being too coarse"
                             : "reached the border of the picture",
             out);
    else
        fail("label %d vanished%s, so %s was not written: try a --window that includes the tones "
             "under the seeds, larger seeds, or --force",
             i + 1, window, out);
    return EXIT_USELESS;
}

void segment_lines(const ro_report *ran, const ro_segment_report *r, double seconds)
{
    char time[32];
    if (seconds < 1)
        snprintf(time, sizeof time, "%.1f ms", 1e3 * seconds);
    else
        snprintf(time, sizeof time, "%.2f s", seconds);
    fprintf(stderr, "segment: %s, norm %s, %u step%s of %.4g, %u x %u, %s/%s, %d thread%s, %s\n",
            r->number, r->norm, r->steps, r->steps == 1 ? "" : "s", r->time_step, ran->width,
            ran->height, ran->schedule,
            ran->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(ran->cpu), ran->threads,
            ran->threads == 1 ? "" : "s", time);
    for (int i = 0; i < RO_LABELS; i++) {
        const ro_segment_label *label = &r->label[i];
        if (!label->used)
            continue;
        fprintf(stderr, "segment: label %d: area %llu, perimeter %.1f, %s after %u step%s", i + 1,
                (unsigned long long)label->area, label->perimeter,
                label->ended     ? "ended"
                : label->stalled ? "stalled"
                                 : "stopped",
                label->steps, label->steps == 1 ? "" : "s");
        if (label->low < label->high)
            fprintf(stderr, ", window %.1f to %.1f", label->low, label->high);
        const int kept = rescalings_kept(label);
        for (int k = 0; k < kept; k++)
            fprintf(stderr, "%s %u%s", k ? "," : ", rescaled at", label->rescaled_at[k],
                    label->speed_scale[k] > 1 ? " (speed)" : "");
        if (kept < label->rescalings)
            fprintf(stderr, " and %d more times", label->rescalings - kept);
        fputc('\n', stderr);
        if (label->stalled)
            fprintf(stderr,
                    "segment: warning: label %d stopped although its speed would carry it across "
                    "%llu more pixels: the smallest speed of %s is %.3g here; use --number %s\n",
                    i + 1, (unsigned long long)label->held, r->number, label->slowest,
                    finer(r->number));
        if (label->useless)
            fprintf(stderr, "segment: warning: label %d %s\n", i + 1,
                    label->useless & RO_LABEL_EVERYTHING ? "filled the whole picture" : "vanished");
    }
}

void segment_json(FILE *file, const ro_report *ran, const ro_segment_report *r,
                  const struct operands *files, double seconds)
{
    json_put(file,
             "{command %s, input %s, output %s, number %s, norm %s, schedule %s, device %s, cpu "
             "%s, threads %d, width %u, height %u, steps %u, time_step %.17g",
             "segment", files->path[0], files->path[1], r->number, r->norm, ran->schedule,
             ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads, ran->width,
             ran->height, r->steps, r->time_step);
    if (r->rms < 0)
        json_put(file, ", rms null, labels [");
    else
        json_put(file, ", rms %.17g, labels [", r->rms);
    int listed = 0;
    for (int i = 0; i < RO_LABELS; i++) {
        const ro_segment_label *label = &r->label[i];
        if (!label->used)
            continue;
        json_put(file,
                 "%c{label %d, area %llu, perimeter %.6f, steps %u, ended %hhd, stalled %hhd, "
                 "useless %hhd, held %llu, slowest %.17g, time %.17g, fastest %.17g",
                 listed++, i + 1, (unsigned long long)label->area, label->perimeter, label->steps,
                 label->ended, label->stalled, label->useless, (unsigned long long)label->held,
                 label->slowest, label->time, label->fastest);
        if (label->low < label->high)
            json_put(file, ", window [%.6f, %.6f]", label->low, label->high);
        json_put(file, ", rescalings [");
        for (int k = 0; k < rescalings_kept(label); k++)
            json_put(file, "%c{step %u, phi %d, speed %d}", k, label->rescaled_at[k],
                     label->speed_scale[k] > 1 ? 1 : 2, label->speed_scale[k]);
        fputs("]}", file);
    }
    fputc(']', file);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", seconds);
}

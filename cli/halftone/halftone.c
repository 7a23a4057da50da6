/* SPDX-License-Identifier: MIT */
/* roundoff halftone: a picture file to one of a few levels, streamed from file to file. */
#include "cli/halftone/halftone.h"
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/task/task.h"

#include <stdlib.h>
#include <string.h>

static const struct halftone_values defaults = {.levels = 2,
                                                .threshold = RO_DEFAULT,
                                                .strength = RO_DEFAULT,
                                                .black = 100,
                                                .sigma = -1,
                                                .lpi = -1,
                                                .ink_limit = -1,
                                                .rounds = RO_DEFAULT};

static const char *const channels_names[] = {"grey", "rgb", NULL};
static const char *const separate_names[] = {"none", "cmyk",      "cmyk-tiff",
                                             "inks", "inks-tiff", NULL};

/* Before there was --aim, only the halftone was blurred. */

static const char *const profile_names[] = {"apply", "ignore", NULL};
static const char *const alpha_names[] = {"auto", "over", "keep", "drop", NULL};
static const char *const order_names[] = {"msb", "lsb", NULL};
static const char *const ones_names[] = {"white", "black", NULL};
static const char *const compression_names[] = {"auto", "none", "g4", "packbits",
                                                "zip",  "lzw",  NULL};

static const char *const intent_names[] = {"perceptual", "relative", "saturation", "absolute",
                                           NULL};
static const char *const fit_names[] = {"auto", "none", "full", NULL};

static const char *const resample_names[] = {"auto", "light", "values", NULL};

static const struct option options[] = {
    {"method", "M", "how to round (default floyd-steinberg; -panel: fan)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, method)},
    {"list", NULL, "list the methods and stop", OPTION_FLAG,
     .offset = offsetof(struct halftone_values, list)},
    {"levels", "N", "levels of the output, 2 to 65536 (default 2)", OPTION_WHOLE,
     .offset = offsetof(struct halftone_values, levels), .min = 2, .max = 65536},
    {"threshold", "P%", "where white begins, 1% to 99% (default 50%), or balanced", OPTION_PERCENT,
     .offset = offsetof(struct halftone_values, threshold), .min = 1, .max = 99,
     .choices = (const char *const[]){"balanced", NULL}},
    {"schedule", "S", "auto (default), wave, ed or ec; all give the same bits", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, schedule), .topic = "diffusion"},
    {"type", "T", "pbm, png, tiff, bmp, bits, c, ... (default: OUT's name)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, type)},
    {"vectors", "FILE", "samples and levels as text, for a circuit's test bench", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, vectors), .topic = "files", .writes = true},
    {"out-dir", "D", "many pictures: IN ... into folder D, as --type (png)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, out_dir), .topic = "files", .writes = true},
    {STACK_PAGES, .offset = offsetof(struct halftone_values, page), .topic = "files"},
    {"dpi", "D", "resolution of OUT, or 600x300 (default: as in IN)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, dpi), .topic = "files"},
    {"profile", "P", "ICC profile, gamma: apply (default), or ignore: all is sRGB", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, profile), .choices = profile_names,
     .topic = "files"},
    {"alpha", "A", "over the background, keep (in .png, .tif) or drop it", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, alpha), .choices = alpha_names, .topic = "files"},
    {"background", "C", "colour that is seen through alpha (default white)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, background), .topic = "files"},
    {"compression", "C", "of TIFF: none, g4, packbits, zip or lzw (default g4 or zip)",
     OPTION_CHOICE, .offset = offsetof(struct halftone_values, compression),
     .choices = compression_names, .topic = "files"},
    {"bit-order", "O", "bits, packed, c: first pixel in msb (default) or lsb", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, bit_order), .choices = order_names,
     .topic = "files"},
    {"ones", "C", "these types, two levels: ones are white (default) or black", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, ones), .choices = ones_names, .topic = "files"},
    {"pixel-bits", "N", "these types: 1, 2, 4 or 8 bits a pixel (default: the fewest)",
     OPTION_WHOLE, .offset = offsetof(struct halftone_values, pixel_bits), .min = 1, .max = 8,
     .topic = "files"},
    {"numbers", "LIST", "these types: a number for each colour: \"0,1,2,3,5,6\"", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, numbers), .topic = "files"},
    {"resize", "WxH", "WxH; in proportion Wx, xH, P%, fit:WxH, fill:WxH; up:N", OPTION_SCALE,
     .offset = offsetof(struct halftone_values, resize), .min = 1, .max = 1 << 30},
    {"resample", "R", "resize in light, values or auto (default): as rounded", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, resample), .choices = resample_names,
     .topic = "tone"},
    {"strength", "P%", "share of each error that is passed on (default 100%)", OPTION_PERCENT,
     .offset = offsetof(struct halftone_values, strength), .min = 1, .max = 100,
     .topic = "diffusion"},
    {"noise", "P%", "noise added to the threshold; 100% is half a step", OPTION_PERCENT,
     .offset = offsetof(struct halftone_values, noise), .min = 1, .max = 100, .topic = "diffusion"},
    {"serpentine", NULL, "odd rows run right to left, all on one thread", OPTION_FLAG,
     .offset = offsetof(struct halftone_values, serpentine), .topic = "diffusion"},
    {"kernel", "FILE", "your own kernel, as JSON (see the man page)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, kernel), .topic = "diffusion"},
    {"like", "PROGRAM", "match pillow, netpbm or zimg byte for byte", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, like), .topic = "diffusion"},
    {"cell", "N", "cells per side of the screen (default: the method's own)", OPTION_WHOLE,
     .offset = offsetof(struct halftone_values, cell), .min = 1, .max = 1 << 20,
     .topic = "screens"},
    {"lpi", "L", "am: lines of dots per inch, at --dpi or that of IN", OPTION_NUMBER,
     .offset = offsetof(struct halftone_values, lpi), .min = 0, .max = 1000000, .topic = "screens"},
    {"angle", "A", "angle of dots in degrees (default 0); clustered dots 0 or 45", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, angle), .topic = "screens"},
    {"shape", "S", "of dots: round (default), line, diamond; see the man page", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, shape), .topic = "screens"},
    {"spot", "FILE", "am: a dot of your own, as a picture; dark prints first", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, spot), .topic = "screens"},
    {"dot", "N", "pixels of the smallest dot (default: am 1, green-noise 4)", OPTION_WHOLE,
     .offset = offsetof(struct halftone_values, dot), .min = 1, .max = 1000000, .topic = "screens"},
    {"screen", "FILE", "a threshold image for ordered dithering", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, screen), .topic = "screens"},
    {"range", "R", "full, limited (video), data, or the samples \"black,white\"", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, range), .topic = "tone"},
    {"linear", NULL, "treat IN as sRGB and round linear light", OPTION_FLAG,
     .offset = offsetof(struct halftone_values, linear), .topic = "tone"},
    {"gamma", "G", "raise tones to the power 1/G, 0.1 to 10; above 1: lighter", OPTION_NUMBER,
     .offset = offsetof(struct halftone_values, gamma), .min = 0, .max = 10, .topic = "tone"},
    {"curve", "FILE", "tone curve: lines \"tone in, tone out\", 0 to 1 or per cent", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, curve), .topic = "tone"},
    {"invert", NULL, "swap black and white", OPTION_FLAG,
     .offset = offsetof(struct halftone_values, invert), .topic = "tone"},
    {"brightness", "P%", "lighter, or darker below 0; -100 to 100", OPTION_SHARE,
     .offset = offsetof(struct halftone_values, brightness), .min = -100, .max = 100,
     .topic = "tone"},
    {"contrast", "P%", "steeper, or flatter below 0; -100 to 100", OPTION_SHARE,
     .offset = offsetof(struct halftone_values, contrast), .min = -100, .max = 100,
     .topic = "tone"},
    {"channels", "C", "grey (default), or rgb: each channel separately", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, channels), .choices = channels_names,
     .topic = "colour"},
    {"palette", "P", "\"black white #c00\", a name, a file, auto:N, or list", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, palette), .also = "colour"},
    {"fit", "F", "palettes: auto (default: of a -panel), full or none", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, fit), .choices = fit_names, .topic = "colour"},
    {"recolour", "C", "colours for levels of grey, black first: \"navy #c60 ivory\"", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, recolour), .topic = "colour"},
    {"separate", "S", "cmyk: OUT-c, -m, -y, -k; or cmyk-tiff, inks, inks-tiff", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, separate), .choices = separate_names,
     .topic = "colour"},
    {"inks", "LIST", "inks of your own, 1 to 8 colours: \"#e30613,black\"", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, inks), .topic = "colour"},
    {"ink", "I", "an ink's screen: cyan:lpi=133,angle=15,shape=S,curve=FILE", OPTION_LIST,
     .offset = offsetof(struct halftone_values, ink), .topic = "colour"},
    {"angles", "A", "of inks: auto (little moiré), or degrees, \"15,75,0,45\"", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, angles), .topic = "colour"},
    {"ink-limit", "P%", "of --inks: ink at most, all together, up to 800", OPTION_SHARE,
     .offset = offsetof(struct halftone_values, ink_limit), .min = 0, .max = 800,
     .topic = "colour"},
    {"profile-out", "FILE", "CMYK by an ICC output profile (.icc)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, profile_out), .topic = "colour"},
    {"intent", "I", "of it: perceptual (default), relative, saturation, absolute", OPTION_CHOICE,
     .offset = offsetof(struct halftone_values, intent), .choices = intent_names,
     .topic = "colour"},
    {"proof", "FILE", "a file per ink: all of them on each other, as RGB", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, proof), .topic = "colour", .writes = true},
    {"gain", "D", "of --proof: ink pixels print as discs D pixels wide, 1 to 3", OPTION_NUMBER,
     .offset = offsetof(struct halftone_values, gain), .min = 1, .max = 3, .topic = "colour"},
    {"yule-nielsen", "N", "of --proof: light spreads in the paper, N 1 to 10", OPTION_NUMBER,
     .offset = offsetof(struct halftone_values, yule_nielsen), .min = 1, .max = 10,
     .topic = "colour"},
    {"black", "P%", "share of grey that black ink replaces (default 100)", OPTION_SHARE,
     .offset = offsetof(struct halftone_values, black), .min = 0, .max = 100, .topic = "colour"},
    {"view", "D,M", "resolution and viewing distance (default 300dpi,300mm)", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, view), .topic = "search"},
    {"sigma", "S", "use a Gaussian eye of S pixels instead", OPTION_NUMBER,
     .offset = offsetof(struct halftone_values, sigma), .min = 0, .max = 1000, .topic = "search"},
    {"aim", "A", "seen (default), or picture, which sharpens", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, aim), .topic = "search"},
    {"start", "S", "acuity (default), a method, random, or a halftone in a file", OPTION_TEXT,
     .offset = offsetof(struct halftone_values, start), .topic = "search"},
    {"rounds", "N", "stop after N rounds (default: when nothing changes)", OPTION_WHOLE,
     .offset = offsetof(struct halftone_values, rounds), .min = 1, .max = 1000000,
     .topic = "search"},
    {0},
};

static const char *const examples[] = {
    "roundoff halftone photo.jpg photo.tif --resize 4960x --dpi 600",
    "zcat scan.pgm.gz | roundoff halftone - - --levels 4 > scan.pgm",
    NULL,
};

static int list_methods(bool json)
{
    const ro_method *method;
    if (json)
        puts("[");
    for (int i = 0; (method = ro_halftone_method_at(i)); i++) {
        if (!json) {
            printf("%-24s%s\n", method->name, method->summary);
            if (method->paper)
                printf("%-24s%s\n", "", method->paper);
            continue;
        }
        const char *const fields[][2] = {{"name", method->name},
                                         {"family", method->family},
                                         {"summary", method->summary},
                                         {"paper", method->paper}};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            printf("%s\"%s\": ", k ? ", " : i ? ",\n  {" : "  {", fields[k][0]);
            json_string(stdout, fields[k][1] ? fields[k][1] : "");
        }
        putchar('}');
    }
    if (json)
        puts("\n]");
    return finish_stdout();
}

/* What the output is made of: "2 levels", "7 colours". */
static void say_output(const ro_halftone_options *options, char *text, size_t size)
{
    if (options->palette)
        snprintf(text, size, "%d colours%s", options->palette->count,
                 options->fit ? ", fitted" : "");
    else if (options->recolour)
        snprintf(text, size, "%d levels in colour", options->recolour->count);
    else if (options->ink_count)
        snprintf(text, size, "%d ink%s", options->ink_count, options->ink_count > 1 ? "s" : "");
    else
        snprintf(text, size, "%s%d levels", options->channels ? "RGB, " : "", options->levels);
}

static const char *where(const ro_report *report)
{
    return report->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(report->cpu);
}

static void put_line(const ro_report *report, const char *output, bool plates, double seconds)
{
    double pixels = (double)report->width * (double)report->height;
    char time[32], threads[32] = "";
    if (seconds < 1)
        snprintf(time, sizeof time, "%.1f ms", 1e3 * seconds);
    else
        snprintf(time, sizeof time, "%.2f s", seconds);
    if (report->device != RO_DEVICE_CUDA)
        snprintf(threads, sizeof threads, "%d thread%s, ", report->threads,
                 report->threads == 1 ? "" : "s");
    double speed = pixels / seconds * 1e-6;
    fprintf(stderr, "halftone: %s, %s, %u x %u, %s/%s, %s%s, %.*f Mpixel/s\n", report->method,
            output, report->width, report->height, report->schedule, where(report), threads, time,
            speed < 10 ? 1 : 0, speed);
    if (report->detail[0] && !plates)
        fprintf(stderr, "halftone: %s\n", report->detail);
}

static void put_json(FILE *file, ro_context *context, const ro_report *report,
                     const struct operands *files, const struct halftone_request *request,
                     double seconds)
{
    const ro_halftone_options *options = &request->options;
    const ro_video_report *video = &request->video;
    double pixels = (double)report->width * (double)report->height;
    fputs("{\"command\": \"halftone\", \"input\": ", file);
    json_string(file, files->path[0]);
    if (!request->write.split_inks) { /* else the inks have files of their own */
        fputs(", \"output\": ", file);
        json_string(file, files->path[1]);
    }
    fputs(", \"method\": ", file);
    json_string(file, report->method);
    fputs(", \"schedule\": ", file);
    json_string(file, report->schedule);
    fprintf(file, ", \"device\": \"%s\", \"cpu\": \"%s\", \"threads\": %d",
            ro_device_name(report->device), ro_cpu_name(report->cpu), report->threads);
    if (options->palette)
        fprintf(file, ", \"colours\": %d", options->palette->count);
    else
        fprintf(file, ", \"levels\": %d, \"channels\": %d", options->levels,
                options->ink_count  ? options->ink_count
                : options->channels ? 3
                                    : 1);
    fprintf(file, ", \"width\": %u, \"height\": %u", report->width, report->height);
    fprintf(file, ", \"steps\": %llu, \"launches\": %llu", (unsigned long long)report->steps,
            (unsigned long long)report->launches);
    if (report->detail[0] && !options->ink_count) {
        fputs(", \"detail\": ", file);
        json_string(file, report->detail);
    }
    if (request->own_dpi > 0)
        fprintf(file, ", \"dpi\": %.6g", request->own_dpi);
    halftone_json_inks(file, context, request, files->path[1]);
    if (video->width > 0) {
        pixels *= (double)video->frames;
        fprintf(file,
                ", \"frames\": %llu, \"layout\": \"%s\", \"bits_in\": %d, \"bits_out\": %d, "
                "\"frames_per_second\": %.3f",
                (unsigned long long)video->frames, video->layout, video->bits_in, video->bits_out,
                (double)video->frames / seconds);
    }
    pictures_json(file);
    fprintf(file, ", \"seconds\": %.6f, \"mpixel_per_second\": %.3f}\n", seconds,
            pixels / seconds * 1e-6);
}

/* What a video was run by; it has neither certificates nor vectors. */
static ro_status ran_video(struct task *task)
{
    const struct halftone_values *values = task->values;
    const ro_video_report *video = &((const struct halftone_request *)task->data)->video;
    if (values->common.certificate || values->vectors)
        return ro_context_fail(task->context, RO_E_UNSUPPORTED,
                               "a video has neither a certificate nor vectors");
    task->ran = (ro_report){.method = video->method,
                            .schedule = video->schedule,
                            .width = video->width,
                            .height = video->height,
                            .device = RO_DEVICE_CPU,
                            .cpu = video->cpu,
                            .threads = video->threads};
    return RO_OK;
}

static ro_status work(struct task *task)
{
    const struct halftone_values *values = task->values;
    struct halftone_request *request = task->data;
    ro_status status = halftone_prepare(task->context, values, task->files->path[0], request);
    const ro_read_options picture = pictures_read(task->files->path[0]);
    request->read.strict = picture.strict;
    if (status == RO_OK)
        status = halftone_check_plates(task->context, values, request, task->out);
    if (status == RO_OK) {
        ro_dropped *dropped = pictures_dropped(task->files->path[0]);
        ro_file_report report = {.size = sizeof report};
        status = ro_halftone_file(task->context, task->files->path[0], task->out, &request->options,
                                  &request->read, &request->write, &report);
        request->video = report.video;
        if (dropped)
            *dropped = report.dropped;
    }
    task->ran = *ro_context_report(task->context);
    if (status == RO_OK && request->read.colours)
        request->options.palette = &request->palette;
    if (status == RO_OK && request->video.width > 0)
        status = ran_video(task);
    if (status == RO_OK && values->proof)
        status = ro_proof_file(task->context, task->out, &request->options,
                               &(ro_proof_options){RO_PROOF_DEFAULTS, .diameter = values->gain,
                                                   .yule_nielsen = values->yule_nielsen},
                               values->proof);
    if (status == RO_OK && values->vectors)
        status = halftone_vectors(task->context, task->files->path[0], values->vectors, request);
    halftone_release(request);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct halftone_request *request = task->data;
    put_json(file, task->context, &task->ran, task->files, request, task->seconds);
}

static void put_video(const ro_report *report, const char *output, const ro_video_report *video,
                      double seconds)
{
    fprintf(stderr,
            "halftone: %s, %s, %u x %u, %s, %d to %d bits, %s/%s, %d thread%s, %llu frame%s, "
            "%.2f s, %.1f frames/s\n",
            report->method, output, video->width, video->height, video->layout, video->bits_in,
            video->bits_out, report->schedule, where(report), video->threads,
            video->threads == 1 ? "" : "s", (unsigned long long)video->frames,
            video->frames == 1 ? "" : "s", seconds, (double)video->frames / seconds);
}

static void print_line(const struct task *task)
{
    const struct halftone_request *request = task->data;
    char output[64];
    say_output(&request->options, output, sizeof output);
    if (request->video.width > 0)
        put_video(&task->ran, output, &request->video, task->seconds);
    else
        put_line(&task->ran, output, request->options.ink_count > 0, task->seconds);
    halftone_say_inks(task->context, request);
    if (request->own_dpi > 0)
        tell("halftone: dots are those of %g dpi, by what %s states", request->own_dpi,
             task->files->path[0]);
}

int halftone_check(const struct command *command, const struct halftone_values *values,
                   const char *in, const char *out)
{
    if (values->vectors && values->levels > 256)
        return usage_error(command, "--vectors holds 256 levels at most");
    const bool own = values->separate == SEPARATE_INKS || values->separate == SEPARATE_INKS_TIFF;
    if (values->channels && (values->separate || values->inks))
        return usage_error(command, "--channels rgb and --separate cannot be combined");
    if (values->inks && values->separate && !own)
        return usage_error(command, "--inks: --separate must be inks or inks-tiff");
    if (own && !values->inks)
        return usage_error(command, "--separate %s needs --inks", separate_names[values->separate]);
    if (values->ink_limit > 0 && !values->inks)
        return usage_error(command, "--ink-limit needs --inks");
    if (values->ink.count && !values->separate && !values->inks)
        return usage_error(command, "--ink needs --separate or --inks");
    if (values->angles && !values->separate && !values->inks)
        return usage_error(command, "--angles needs --separate or --inks");
    if (values->angle && (values->separate || values->inks))
        return usage_error(command,
                           "--angle: inks have angles of their own, see --ink and --angles");
    const bool plates = values->separate == SEPARATE_CMYK || values->separate == SEPARATE_INKS ||
                        (values->inks && !values->separate);
    if (values->proof && values->out_dir)
        return usage_error(command, "--proof shows one picture: --out-dir has many");
    if (values->proof && !plates)
        return usage_error(command, "--proof needs a file per ink: --separate cmyk or --inks");
    if (values->gain > 0 && !values->proof)
        return usage_error(command, "--gain needs --proof");
    if (values->yule_nielsen > 0 && !values->proof)
        return usage_error(command, "--yule-nielsen needs --proof");
    if (values->profile_out && values->separate != SEPARATE_CMYK &&
        values->separate != SEPARATE_CMYK_TIFF)
        return usage_error(command, "--profile-out needs --separate cmyk or cmyk-tiff");
    if (values->profile_out && values->black != defaults.black)
        return usage_error(command, "--black: the profile of --profile-out has its own black");
    if (values->intent && !values->profile_out)
        return usage_error(command, "--intent needs --profile-out");
    if (values->common.certificate && values->separate == SEPARATE_INKS_TIFF)
        return usage_error(command, "--certificate: a file of several inks is not read back; use "
                                    "--separate inks");

    if (values->palette && (values->separate || values->inks))
        return usage_error(command,
                           "--palette and %s exclude each other: both say which colours "
                           "there are",
                           values->inks ? "--inks" : "--separate");
    if (values->fit != defaults.fit && !values->palette)
        return usage_error(command, "--fit needs --palette");
    if (values->resample && !values->resize.width && !values->resize.height &&
        !(values->resize.percent > 0))
        return usage_error(command, "--resample needs --resize%s",
                           values->resize.up ? " to a size, not up" : "");
    if (values->ink_limit == 0)
        return usage_error(command, "--ink-limit 0: must be above 0");
    const char *taken = halftone_read_twice(values, in, out);
    if (taken)
        return usage_error(command, "%s is read for an option and cannot be %s too", taken,
                           strcmp(taken, "-") ? "OUT" : "IN");
    double degrees;
    if (values->angle && !read_degrees(values->angle, &degrees))
        return usage_error(command, "--angle %s: must be degrees, -360 to 360", values->angle);
    if (values->lpi == 0)
        return usage_error(command, "--lpi 0: must be above 0");
    double dpi[2];
    if (!read_dpi(values->dpi, dpi))
        return usage_error(command,
                           "--dpi %s: must be a number from 1 to 1000000, or two such as "
                           "600x300",
                           values->dpi);
    if (values->dpi && !(values->lpi > 0) && !values->ink.count &&
        !ro_writer_holds_resolution(out, values->type))
        return usage_error(command, "--dpi: only .png, .tif and .bmp files hold a resolution");

    if (values->common.certificate && values->alpha == RO_ALPHA_KEEP)
        return usage_error(command, "--certificate: alpha that is kept cannot be stated");
    if (values->alpha == RO_ALPHA_DROP && values->background)
        return usage_error(command, "--background: nothing is seen of it with --alpha drop");
    if (values->common.certificate && !ro_writer_reads_back(out, values->type))
        return usage_error(command, "--certificate: %s: such files cannot be read back", out);

    double view[2];
    if (values->sigma == 0)
        return usage_error(command, "--sigma 0: must be above 0");
    if (values->view && !halftone_view(values->view, view))
        return usage_error(command, "--view %s: must look like 600dpi,300mm", values->view);
    return stack_check(command, values->page) != 0 ? EXIT_BAD_USAGE : 0;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct halftone_values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (values.list && files.count)
        return usage_error(command, "--list takes no file; %s was given", files.path[0]);
    if (values.list)
        return list_methods(values.common.json);
    if (values.palette && strcmp(values.palette, "list") == 0)
        return halftone_list_palettes(values.common.json);
    const char *out = values.out_dir ? "" : files.count == 2 ? files.path[1] : NULL;
    if (files.count > 2 && !values.out_dir)
        return usage_error(command, "%s is one name too many; --out-dir takes many pictures",
                           files.path[2]);
    if (!out || files.count == 0)
        return usage_error(command, "halftone needs IN and OUT, or IN ... and --out-dir");
    if (values.out_dir && !values.type)
        values.type = "png";
    if (values.out_dir && values.common.certificate)
        return usage_error(command, "--certificate states one picture: --out-dir has many");
    if (values.out_dir && values.vectors)
        return usage_error(command, "--vectors holds one picture: --out-dir has many");
    const int wrong = halftone_check(command, &values, files.path[0], out);
    if (wrong)
        return wrong;
    if (values.out_dir)
        return halftone_batch(command, &values, &files);
    static struct halftone_request request;
    const int result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[1],
        .data = &request,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
    inks_free(&request.inks);
    return result;
}

/* Plain code: no vectors, one thread. */
static const char *const *reference(const void *values)
{
    static const char *const arguments[] = {"--cpu",    "scalar", "--threads",     "1",
                                            "!vectors", "!gain",  "!yule-nielsen", NULL};
    (void)values;
    return arguments;
}

const struct command command_halftone = {
    .name = "halftone",
    .operands = "IN ... OUT",
    .summary = "rounds a picture to a few levels; every small area keeps its tone",
    .options = options,
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_SEED | COMMON_QUIET |
              COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = halftone_certify,
    .reference = reference,
};

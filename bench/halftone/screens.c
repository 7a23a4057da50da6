/* SPDX-License-Identifier: MIT */
/*
 * Screens of dots: an A3 page of 2400 dpi in four inks from file to files, with its memory, and a
 * grey page beside Ghostscript's halftoning of the same file, with the lines per inch and the angle
 * that both come to, measured in what they write.
 */
#define _XOPEN_SOURCE 700
#include "bench/bench.h"
#include "bench/peers/peer_process.h"
#include "bench/timing.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE_WIDTH = 28000, PAGE_HEIGHT = 40000, TIMES = 10, GREY = 12000 };
static const double lpi = 133, dpi = 2400, tau = 6.283185307179586;

/* ---- The page ------------------------------------------------------------------------------- */

/* Colours that change everywhere, small: every pixel is repeated TIMES times each way. */
static bool write_page(ro_context *context, const char *path, uint32_t width, uint32_t height)
{
    ro_image page;
    if (ro_image_alloc(context, RO_RGB8, width, height, 255, &page) != RO_OK)
        return false;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *p = (uint8_t *)page.data + (ptrdiff_t)y * page.stride + 3 * (ptrdiff_t)x;
            p[0] = (uint8_t)(x * 255 / width);
            p[1] = (uint8_t)(y * 255 / height);
            p[2] = (uint8_t)((x / 16 + y / 16) * 37 % 256);
        }
    const bool done = ro_image_save(context, path, &page, NULL) == RO_OK;
    ro_image_free(&page);
    return done;
}

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static bool run_page(const char *folder, const struct bench_options *asked)
{
    const uint32_t width = (asked->size ? (uint32_t)asked->size : PAGE_WIDTH) / TIMES + 1;
    const uint32_t height = asked->size ? width * 10 / 7 : PAGE_HEIGHT / TIMES;
    char in[512], out[512];
    snprintf(in, sizeof in, "%s/page.ppm", folder);
    snprintf(out, sizeof out, "%s/page.tif", folder);
    ro_context *context = NULL;
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "am",
                                         .levels = 2,          .lpi = lpi,
                                         .dpi = dpi,           .channels = RO_CHANNELS_CMYK};
    const ro_read_options read = {RO_READ_DEFAULTS, .enlarge = TIMES};
    const ro_write_options write = {RO_WRITE_DEFAULTS, .split_inks = 1, .dpi_x = dpi};
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 2};
    bool done = ro_context_open(&how, &context) == RO_OK && write_page(context, in, width, height);
    const double start = bench_seconds(), cpu = cpu_seconds();
    if (done)
        done = ro_halftone_file(context, in, out, &options, &read, &write, NULL) == RO_OK;
    const double took = bench_seconds() - start, used = cpu_seconds() - cpu;
    struct rusage memory;
    getrusage(RUSAGE_SELF, &memory);
    if (!done)
        fprintf(stderr, "roundoff: %s\n", context ? ro_context_message(context) : "no context");
    else if (asked->json)
        printf("{\"page\": [%u, %u], \"inks\": 4, \"seconds\": %.2f, \"cpu_seconds\": %.2f, "
               "\"megabytes\": %.1f}",
               width * TIMES, height * TIMES, took, used, (double)memory.ru_maxrss / 1024);
    else
        printf("Four plates (G4) of %u x %u pixels, %g lpi, two threads: %.1f s, %.1f s of the "
               "processor, %.0f MB in all.\n",
               width * TIMES, height * TIMES, lpi, took, used, (double)memory.ru_maxrss / 1024);
    for (int i = 0; i < 4; i++) {
        char plate[600];
        if (ro_plate_path(out, &options, i, plate, sizeof plate) == RO_OK)
            remove(plate);
    }
    remove(in);
    ro_context_close(context);
    return done;
}

/* ---- What rows come to ---------------------------------------------------------------------- */

/* The wave (fx, fy) in a window with a soft edge. */
static double complex wave_in(const ro_image *image, uint32_t x0, uint32_t y0, double fx, double fy)
{
    enum { SIDE = 256 };
    double complex sum = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const uint8_t *row = (const uint8_t *)image->data + (ptrdiff_t)(y0 + y) * image->stride;
            const double soft =
                pow(sin(tau / 2 * (x + 0.5) / SIDE) * sin(tau / 2 * (y + 0.5) / SIDE), 2);
            sum += (row[x0 + x] ? soft : -soft) * cexp(-I * tau * (fx * (x0 + x) + fy * (y0 + y)));
        }
    return sum;
}

/* By how much waves turn between windows that lie further and further apart. */
static void find_rows(const ro_image *image, double angle, double *lpi_off, double *angle_off)
{
    static const uint32_t strides[] = {60, 300, 1500, 6000};
    *lpi_off = *angle_off = 0;
    for (int k = 0; k < 2; k++) {
        const double turn = (angle + 90 * k) * tau / 360;
        double f[2] = {lpi * cos(turn) / dpi, -lpi * sin(turn) / dpi}, found[2];
        const double complex here = wave_in(image, 0, 0, f[0], f[1]);
        for (int axis = 0; axis < 2; axis++) {
            double off = 0;
            for (int s = 0; s < 4 && strides[s] + 256 < image->width; s++) {
                const uint32_t far = strides[s];
                double phase =
                    carg(wave_in(image, axis ? 0 : far, axis ? far : 0, f[0], f[1]) * conj(here)) /
                    tau;
                phase += rint(off * far - phase);
                off = phase / far;
            }
            found[axis] = (f[axis] + off) * dpi;
        }
        const double reached = hypot(found[0], found[1]);
        double turned = atan2(-found[1], found[0]) * 360 / tau - angle - 90 * k;
        turned -= 360 * rint(turned / 360);
        *lpi_off = fmax(*lpi_off, fabs(reached - lpi));
        *angle_off = fmax(*angle_off, fabs(turned));
    }
}

/* ---- Ghostscript ---------------------------------------------------------------------------- */

static bool write_script(const char *path, const char *in, int size, double angle)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file,
            "<< /HalftoneType 1 /Frequency %g /Angle %g /AccurateScreens true\n"
            "   /SpotFunction { dup mul exch dup mul add 1 exch sub } >>\n"
            "sethalftone\n"
            "/in (%s) (r) file def in 128 string readline pop pop in 128 string readline pop pop\n"
            "in 128 string readline pop pop\n"
            "%g %g scale %d %d 8 [%d 0 0 -%d 0 %d] in image showpage\n",
            lpi, angle, in, size * 72 / dpi, size * 72 / dpi, size, size, size, size, size);
    return fclose(file) == 0;
}

static void print_row(const char *name, int size, double angle, double seconds, const char *path,
                      ro_context *context, bool json)
{
    ro_image image = {0};
    double lpi_off = 0, angle_off = 0;
    if (ro_image_load(context, path, NULL, &image, NULL, NULL) == RO_OK)
        find_rows(&image, angle, &lpi_off, &angle_off);
    ro_image_free(&image);
    if (json)
        printf(", {\"program\": \"%s\", \"angle\": %g, \"seconds\": %.3f, \"lpi_off\": %.4f, "
               "\"angle_off\": %.5f}",
               name, angle, seconds, lpi_off, angle_off);
    else
        printf("| %-11s | %4g | %7.2f | %8.0f | %7.4f | %8.5f |\n", name, angle, seconds,
               (double)size * size / seconds / 1e6, lpi_off, angle_off);
}

static bool beside_ghostscript(const char *folder, const struct bench_options *asked)
{
    static const double angles[] = {0, 15, 45, 75};
    const int size = asked->size ? (asked->size < 2048 ? 2048 : asked->size) : GREY;
    char in[512], out[512], script[512], command[2048], version[64];
    double number;
    ro_context *context = NULL;
    ro_image page = {0};
    snprintf(in, sizeof in, "%s/grey.pgm", folder);
    snprintf(out, sizeof out, "%s/grey.pbm", folder);
    snprintf(script, sizeof script, "%s/grey.ps", folder);
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    const bool there = peer_run("gs --version 2>/dev/null", &number, 1) == 1;
    bool done =
        ro_context_open(&how, &context) == RO_OK &&
        ro_image_alloc(context, RO_GREY8, (uint32_t)size, (uint32_t)size, 255, &page) == RO_OK;
    for (uint32_t y = 0; y < page.height && done;
         y++) /* near the middle, so that rows have waves */
        for (uint32_t x = 0; x < page.width; x++)
            ((uint8_t *)page.data)[(ptrdiff_t)y * page.stride + x] =
                (uint8_t)(112 + (x / 64 + y / 64) % 32);
    done = done && ro_image_save(context, in, &page, NULL) == RO_OK;
    snprintf(version, sizeof version, there ? "%.2f" : "not installed", there ? number : 0);
    if (!asked->json)
        printf("\nA grey page of %d x %d pixels, PGM to PBM, one thread, %g lpi at %g dpi; "
               "Ghostscript: "
               "%s.\n\n| program     | angle | s | Mpixel/s | lpi off | degrees off |\n"
               "| ----------- | ---: | ---: | ---: | ---: | ---: |\n",
               size, size, lpi, dpi, version);
    for (int i = 0; i < 4 && done; i++) {
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "am", .lpi = lpi,
                                             .angle = angles[i], .dpi = dpi};
        double start = bench_seconds();
        done = ro_halftone_file(context, in, out, &options, NULL, NULL, NULL) == RO_OK;
        if (done)
            print_row("Roundoff", size, angles[i], bench_seconds() - start, out, context,
                      asked->json);
        snprintf(
            command, sizeof command,
            "gs -q -dBATCH -dNOPAUSE -dNOSAFER -sDEVICE=pbmraw -r%g -g%dx%d -sOutputFile=%s %s "
            ">/dev/null 2>&1 && echo 1",
            dpi, size, size, out, script);
        if (!done || !there || !write_script(script, in, size, angles[i]))
            continue;
        start = bench_seconds();
        if (peer_run(command, &number, 1) == 1)
            print_row("Ghostscript", size, angles[i], bench_seconds() - start, out, context,
                      asked->json);
    }
    ro_image_free(&page);
    ro_context_close(context);
    remove(in);
    remove(out);
    remove(script);
    return done;
}

static int run(const struct bench_options *options)
{
    const char *place = getenv("TMPDIR");
    char folder[400];
    snprintf(folder, sizeof folder, "%s/roundoff-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "roundoff: %s: cannot make a folder\n", folder);
        return 1;
    }
    if (options->json)
        printf("[");
    else
        print_machine();
    const bool done = run_page(folder, options) && beside_ghostscript(folder, options);
    if (options->json)
        printf("]\n");
    rmdir(folder);
    return done ? 0 : 1;
}

const struct bench bench_screens = {
    .name = "screens",
    .summary = "plates of a large page, and dots in rows beside Ghostscript's",
    .run = run,
    .alone = true,
};

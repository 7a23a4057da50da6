/* SPDX-License-Identifier: MIT */
/*
 * Every halftoning method on one thread, beside the programs found on this machine. zimg and Pillow
 * are timed round the call alone; Netpbm is timed as a process, less the same process on one pixel,
 * so its reading and writing of files counts.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/peers/peer_process.h"
#include "bench/peers/peer_zimg.h"
#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, SIZE = 4096 };
static const double BUDGET = 2; /* seconds for one method */

/* Files that other programs read: the picture, and one pixel. */
struct files {
    char picture[64], pixel[64];
};

static bool write_pgm(char *path, const ro_image *image, uint32_t width, uint32_t height)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 64, "%.40s/roundoff-XXXXXX", folder && *folder ? folder : "/tmp");
    int number = mkstemp(path);
    FILE *file = number >= 0 ? fdopen(number, "wb") : NULL;
    if (!file)
        return false;
    fprintf(file, "P5\n%u %u\n255\n", width, height);
    for (uint32_t y = 0; y < height; y++)
        fwrite((const char *)image->data + (ptrdiff_t)y * image->stride, 1, width, file);
    return fclose(file) == 0;
}

static double run_pgmtopbm(const char *path)
{
    char command[128];
    snprintf(command, sizeof command, "pgmtopbm -fs -randomseed=1 %s >/dev/null 2>&1", path);
    double start = bench_seconds();
    return system(command) == 0 ? bench_seconds() - start : 0;
}

static double time_netpbm(const struct files *files)
{
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double all = run_pgmtopbm(files->picture), start = run_pgmtopbm(files->pixel);
        if (all > 0 && start > 0 && (best == 0 || all - start < best))
            best = all - start;
    }
    return best;
}

static double time_pillow(const struct files *files)
{
    static const char script[] = "import sys, time\n"
                                 "from PIL import Image\n"
                                 "Image.MAX_IMAGE_PIXELS = None\n"
                                 "picture = Image.open(sys.argv[1]).convert(\"L\")\n"
                                 "best = None\n"
                                 "for i in range(int(sys.argv[2])):\n"
                                 "    start = time.perf_counter()\n"
                                 "    picture.convert(\"1\")\n"
                                 "    took = time.perf_counter() - start\n"
                                 "    best = took if best is None else min(best, took)\n"
                                 "print(best)\n";
    char arguments[256];
    double best;
    snprintf(arguments, sizeof arguments, "%s %d", files->picture, ROUNDS);
    return peer_python(script, arguments, 1, &best, 1) == 1 ? best : 0;
}

static void print_row(const char *name, const char *how, double seconds, double pixels, bool json,
                      bool *first)
{
    if (seconds <= 0)
        return;
    if (json)
        printf("%s\n  {\"name\": \"%s\", \"how\": \"%s\", \"ms\": %.4f, \"mpixels_per_s\": %.1f}",
               *first ? "" : ",", name, how, seconds * 1e3, pixels / seconds / 1e6);
    else
        printf("| %-28s | %-14s | %9.3f | %8.0f |\n", name, how, seconds * 1e3,
               pixels / seconds / 1e6);
    *first = false;
    fflush(stdout);
}

static void print_peers(const ro_image *in, void *bytes, bool json, bool *first)
{
    double pixels = (double)in->width * in->height;
    struct files files = {{0}, {0}};
    struct peer_zimg *zimg = peer_zimg_open(in, bytes, true);
    struct contender peer = {.run = peer_zimg_run, .data = zimg};
    if (zimg) {
        time_in_turns(&peer, 1, ROUNDS, BUDGET);
        if (!peer.failed)
            print_row("zimg, Floyd-Steinberg", "best simd", peer.best, pixels, json, first);
    }
    peer_zimg_close(zimg);
    if (write_pgm(files.picture, in, in->width, in->height) && write_pgm(files.pixel, in, 1, 1)) {
        print_row("Pillow, convert('1')", "its call", time_pillow(&files), pixels, json, first);
        print_row("Netpbm, pgmtopbm -fs", "less its start", time_netpbm(&files), pixels, json,
                  first);
    }
    if (*files.picture)
        unlink(files.picture);
    if (*files.pixel)
        unlink(files.pixel);
}

static int run(const struct bench_options *options)
{
    uint32_t size = options->size ? (uint32_t)options->size : SIZE;
    double pixels = (double)size * size;
    ro_context *context = NULL;
    ro_image in = {0}, out = {0}, bytes = {0};
    bool first = true;
    ro_context_options one = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    if (ro_context_open(&one, &context) != RO_OK)
        return 1;
    int result = 1;
    if (ro_image_alloc(context, RO_GREY8, size, size, 0, &in) != RO_OK ||
        ro_image_alloc(context, RO_BITS, size, size, 0, &out) != RO_OK ||
        ro_image_alloc(context, RO_INDEX8, size, size, 0, &bytes) != RO_OK ||
        ro_testcard(context, &in) != RO_OK) {
        fprintf(stderr, "roundoff: no memory to measure %u x %u\n", size, size);
        goto done;
    }
    if (options->json) {
        printf("[");
    } else {
        printf("Halftoning, %u x %u test card to packed bits, one thread. ", size, size);
        print_machine();
        printf("Best of %d; a method that takes over %.0f s in all gets fewer.\n\n", ROUNDS,
               BUDGET);
        printf("| method                       | how            |        ms | Mpixel/s |\n"
               "| ---------------------------- | -------------- | --------: | -------: |\n");
    }
    for (int i = 0; ro_halftone_method_at(i); i++)
        for (int serpentine = 0; serpentine < 2; serpentine++) {
            const char *name = ro_halftone_method_at(i)->name;
            struct halftoning ours = {
                context,
                &in,
                &out,
                {RO_HALFTONE_DEFAULTS, .method = name, .serpentine = serpentine}};
            struct contender method = {.run = run_halftoning, .data = &ours};
            time_in_turns(&method, 1, ROUNDS, BUDGET);
            if (method.failed) /* it needs an option, or has no such rows */
                continue;
            const ro_report *report = ro_context_report(context);
            char how[32];
            snprintf(how, sizeof how, "%s, %s", report->schedule, ro_cpu_name(report->cpu));
            print_row(name, serpentine ? "serpentine" : how, method.best, pixels, options->json,
                      &first);
        }
    print_peers(&in, bytes.data, options->json, &first);
    if (options->json)
        printf("\n]\n");
    result = 0;
done:
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&bytes);
    ro_context_close(context);
    return result;
}

const struct bench bench_halftone = {
    .name = "halftone",
    .summary = "every halftoning method on one thread, zimg, Pillow and Netpbm",
    .run = run,
};

/* SPDX-License-Identifier: MIT */
/*
 * The tables of times in the papers, ours beside theirs: pixels in memory to bits in memory, one
 * column a program. What is not measured is left empty; holograms have a bench of their own, whose
 * table is theirs.
 */
#include "bench/bench.h"
#include "bench/timing.h"

#include "roundoff.h"
#include "tests/phantoms/moved_pair.h"

#include <stdio.h>
#include <string.h>

static const char EMPTY[] = "";

/* ---- Error diffusion ------------------------------------------------------------------------ */

/* Table I, ms. */
static const struct {
    int size;
    double pwed, pwec, bwed, bwec; /* GeForce GTX 780 Ti */
    double ed, ec;                 /* Core i7-3770K */
} diffusion[] = {
    {1024, 20.89, 20.10, 1.89, 1.85, 14.24, 8.29},
    {2048, 42.22, 40.36, 3.94, 3.92, 56.82, 32.79},
    {3072, 63.69, 62.01, 6.05, 6.01, 127.1, 73.77},
    {4096, 85.53, 90.27, 7.99, 8.10, 222.1, 130.8},
    {5120, 108.64, 119.84, 10.16, 9.85, 354.2, 203.2},
    {6144, 129.52, 145.58, 12.19, 12.01, 500.8, 294.2},
    {7168, 153.74, 155.76, 14.30, 14.25, 682.8, 397.5},
    {8192, 189.16, 187.6, 16.45, 16.63, 892.1, 526.5},
    {9216, 231.57, 218.08, 18.92, 18.77, 1129, 659.2},
    {10240, 281.58, 251.91, 24.26, 21.07, 1396, 821.9},
    {12288, 381.31, 356.98, 29.59, 26.33, 2020, 1175},
    {14336, 554.83, 472.74, 35.05, 31.32, 2728, 1598},
    {16384, 737.34, 650.28, 55.77, 46.75, 3555, 2092},
};
enum { SIZES = sizeof diffusion / sizeof *diffusion, RUNS = 3 };

/* The card repeated: drawing it at 16K x 16K would take longer than all the runs. */
static bool fill(ro_context *context, const ro_image *image)
{
    enum { CARD = 1024 };
    ro_image card;
    if (ro_image_alloc(context, RO_GREY8, CARD, CARD, 0, &card) != RO_OK)
        return false;
    bool done = ro_testcard(context, &card) == RO_OK;
    for (uint32_t y = 0; y < image->height && done; y++)
        for (uint32_t x = 0; x < image->width; x += CARD)
            memcpy((char *)image->data + (ptrdiff_t)y * image->stride + x,
                   (const char *)card.data + (ptrdiff_t)(y % CARD) * card.stride,
                   image->width - x < CARD ? image->width - x : CARD);
    ro_image_free(&card);
    return done;
}

/* The best of some runs, ms; 0 when it failed. */
static double time_halftone(ro_context *context, const ro_image *in, ro_image *out,
                            const ro_halftone_options *options)
{
    double best = 0, spent = 0;
    for (int i = -1; i < RUNS && (i < 1 || spent < 2); i++) {
        const double start = bench_seconds();
        if (ro_halftone(context, in, out, options) != RO_OK)
            return 0;
        const double took = bench_seconds() - start;
        spent += took;
        if (i >= 0 && (best == 0 || took < best))
            best = took;
    }
    return 1e3 * best;
}

static void print_ms(double ms)
{
    if (ms > 0)
        printf(" %.4g |", ms);
    else
        printf(" %s |", EMPTY);
}

static bool print_diffusion(int largest)
{
    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return false;
    const ro_halftone_options ed = {RO_HALFTONE_DEFAULTS, .schedule = "ed"},
                              ec = {RO_HALFTONE_DEFAULTS, .schedule = "ec"};
    printf("### Error diffusion, Table I of Kasagi, Nakano and Ito, ms\n\n"
           "Theirs: Core i7-3770K and GeForce GTX 780 Ti, kernel time. Ours: the CPU above; `wave` "
           "with all threads.\n\n"
           "| size | ED theirs | ED ours | EC theirs | EC ours | PWED theirs | PWEC theirs | BWED "
           "theirs | BWEC theirs | wave ours |\n"
           "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    bool done = true;
    for (int i = 0; i < SIZES && done; i++) {
        const uint32_t size = (uint32_t)diffusion[i].size;
        double ours[3] = {0};
        if (!largest || diffusion[i].size <= largest) {
            ro_image in = {0}, out = {0};
            done = ro_image_alloc(context, RO_GREY8, size, size, 0, &in) == RO_OK &&
                   ro_image_alloc(context, RO_BITS, size, size, 0, &out) == RO_OK &&
                   fill(context, &in);
            if (done) {
                ours[0] = time_halftone(context, &in, &out, &ed);
                ours[1] = time_halftone(context, &in, &out, &ec);
                ours[2] = time_halftone(context, &in, &out, NULL);
            }
            ro_image_free(&in);
            ro_image_free(&out);
        }
        printf("| %u\302\262 | %.4g |", size, diffusion[i].ed);
        print_ms(ours[0]);
        printf(" %.4g |", diffusion[i].ec);
        print_ms(ours[1]);
        printf(" %.5g | %.5g | %.4g | %.4g |", diffusion[i].pwed, diffusion[i].pwec,
               diffusion[i].bwed, diffusion[i].bwec);
        print_ms(ours[2]);
        printf("\n");
        fflush(stdout);
    }
    printf("\n");
    ro_context_close(context);
    return done;
}

/* ---- Direct binary search ------------------------------------------------------------------- */

static bool print_search(int largest)
{
    static const struct {
        uint32_t width, height;
        double cpu, gpu;
    } theirs[] = {{512, 512, 8351, 213.8}, {2048, 2560, 113300, 3158}, {4096, 3072, 346600, 7248}};
    const ro_halftone_options paper = {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free",
                                       .aim = "picture", .start = "random"};
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free",
                                         .aim = "picture"};
    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return false;
    printf("### Clipping-free direct binary search, Table 1 of Koge, Ito and Nakano, ms\n\n"
           "Theirs: Xeon X7460, and GeForce GTX 780 Ti with transfers, photographs. Ours: the CPU "
           "above, all threads, the test card.\n\n"
           "| size | CPU theirs | GPU theirs | CPU ours, from a random start as theirs | CPU ours, "
           "from "
           "our start (acuity) |\n| ---: | ---: | ---: | ---: | ---: |\n");
    bool done = true;
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs && done; i++) {
        double random = 0, ours = 0;
        if (!largest || (int)theirs[i].width <= largest) {
            ro_image in = {0}, out = {0};
            done = ro_image_alloc(context, RO_GREY8, theirs[i].width, theirs[i].height, 0, &in) ==
                       RO_OK &&
                   ro_image_alloc(context, RO_BITS, theirs[i].width, theirs[i].height, 0, &out) ==
                       RO_OK &&
                   ro_testcard(context, &in) == RO_OK;
            if (done) {
                random = time_halftone(context, &in, &out, &paper);
                ours = time_halftone(context, &in, &out, &options);
            }
            ro_image_free(&in);
            ro_image_free(&out);
        }
        printf("| %u x %u | %.0f | %.4g |", theirs[i].width, theirs[i].height, theirs[i].cpu,
               theirs[i].gpu);
        print_ms(random);
        print_ms(ours);
        printf("\n");
        fflush(stdout);
    }
    printf("\n");
    ro_context_close(context);
    return done;
}

/* ---- Quantized solvers ---------------------------------------------------------------------- */

/* One step, from a run of many. */
static double time_denoise(ro_context *context, int side, ro_denoise_options options, int parts)
{
    ro_image in = {0}, out = {0};
    double best = 0;
    bool done =
        ro_image_alloc(context, RO_GREY8, (uint32_t)side, (uint32_t)side, 0, &in) == RO_OK &&
        ro_image_alloc(context, RO_GREY8, (uint32_t)side, (uint32_t)side, 0, &out) == RO_OK &&
        ro_testcard(context, &in) == RO_OK;
    options.kappa = 8;
    for (int i = 0; i < RUNS + 1 && done; i++) {
        const double start = bench_seconds();
        done = ro_denoise(context, &in, &out, &options, NULL) == RO_OK;
        const double took = bench_seconds() - start;
        best = i == 0 || took < best ? took : best;
    }
    ro_image_free(&in);
    ro_image_free(&out);
    return done ? 1e3 * best / (options.iterations * (double)parts) : 0;
}

/* A smooth random displacement of up to 8 pixels, as bench register has it. */
static double time_register(ro_context *context, int width, int height)
{
    const struct moved_pair pair = {
        (uint32_t)width, (uint32_t)height, RO_MOTION_SMOOTH, 8, 1, 0, 100};
    ro_image fixed = {0}, moving = {0}, field = {0};
    bool done = ro_image_alloc(context, RO_GREY8, pair.width, pair.height, 255, &fixed) == RO_OK &&
                ro_image_alloc(context, RO_GREY8, pair.width, pair.height, 255, &moving) == RO_OK &&
                ro_image_alloc(context, RO_GREYF, 2 * pair.width, pair.height, 0, &field) == RO_OK;
    double best = 0;
    if (done)
        draw_pair(&pair, &fixed, &moving);
    for (int i = 0; i < RUNS && done; i++) {
        const double start = bench_seconds();
        done = ro_register(context, &fixed, &moving, &field, NULL, NULL) == RO_OK;
        const double took = bench_seconds() - start;
        best = i == 0 || took < best ? took : best;
    }
    ro_image_free(&fixed);
    ro_image_free(&moving);
    ro_image_free(&field);
    return done ? 1e3 * best : 0;
}

static double time_step(ro_context *context, int width, int height)
{
    (void)height;
    return time_denoise(context, width,
                        (ro_denoise_options){RO_DENOISE_DEFAULTS, .scheme = "explicit",
                                             .number = "s9", .iterations = 64},
                        1);
}

/* A step of the profile smooths 4 times and solves 8 times. */
static double time_jacobi(ro_context *context, int width, int height)
{
    (void)height;
    return time_denoise(
        context, width,
        (ro_denoise_options){RO_DENOISE_DEFAULTS, .scheme = "xpp24", .iterations = 8}, 12);
}

/* A front that grows from the middle, in the numbers of the circuit; time of a step. */
static double time_level_set(ro_context *context, int width, int height)
{
    const ro_seed seed = {.x = width / 2.0, .y = height / 2.0, .radius = 5};
    ro_segment_report report = {.size = sizeof report};
    const ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = "s12",
                                        .iterations = 100,   .speed = {{.constant = 1}},
                                        .seeds = &seed,      .seed_count = 1};
    ro_image in = {0};
    double best = 0;
    bool done =
        ro_image_alloc(context, RO_GREY8, (uint32_t)width, (uint32_t)height, 255, &in) == RO_OK &&
        ro_testcard(context, &in) == RO_OK;
    for (int i = 0; i < RUNS && done; i++) {
        ro_segmentation *result = NULL;
        const double start = bench_seconds();
        done = ro_segment(context, &in, &options, &result, &report) == RO_OK;
        const double took = bench_seconds() - start;
        best = i == 0 || took < best ? took : best;
        ro_segmentation_free(result);
    }
    ro_image_free(&in);
    return done && report.steps ? 1e3 * best / report.steps : 0;
}

static bool print_solvers(int largest)
{
    static const struct {
        const char *what, *machine;
        int width, height;
        double theirs;
        double (*ours)(ro_context *context, int width, int height);
    } rows[] = {
        {"explicit anisotropic step in s9", "GeForce2 Ultra", 256, 256, 20, time_step},
        {"explicit anisotropic step in s9", "GeForce3", 256, 256, 8, time_step},
        {"Jacobi iteration of xpp24, with its share of the weights", "XPP, simulated at 40 MHz",
         256, 256, 0.41, time_jacobi},
        {"level-set step in s12, one label", "graphics hardware (DX7)", 128, 128, 2,
         time_level_set},
        {"level-set step in s12, one label", "FPGA", 256, 256, 0.5, time_level_set},
        {"registration, our default scheme", "GeForceFX 5800 Ultra", 257, 257, 3000, time_register},
        {"registration, our default scheme", "GeForceFX 5800 Ultra", 513, 513, 9800, time_register},
        {"registration, our default scheme", "GeForceFX 5800 Ultra", 513, 769, 8500, time_register},
    };
    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return false;
    printf("### Solvers of Strzodka's thesis, ms\n\n"
           "Ours: the CPU above; the step in 9 bits, Jacobi iterations of the profile xpp24, level "
           "sets of fpga12, registration of drawings.\n\n"
           "| what | size | theirs on | theirs | ours |\n| --- | ---: | --- | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool measured = !largest || rows[i].width <= largest;
        printf("| %s | %d x %d | %s | %.4g |", rows[i].what, rows[i].width, rows[i].height,
               rows[i].machine, rows[i].theirs);
        print_ms(measured ? rows[i].ours(context, rows[i].width, rows[i].height) : 0);
        printf("\n");
        fflush(stdout);
    }
    printf("\n");
    ro_context_close(context);
    return true;
}

static int run(const struct bench_options *options)
{
    if (options->json) {
        fprintf(stderr, "roundoff: bench papers prints tables, not JSON\n");
        return 1;
    }
    printf("The papers' tables of times. ");
    print_machine();
    printf("Best of %d after one to warm up. An empty column is not measured here.\n\n", RUNS);
    if (!print_diffusion(options->size) || !print_search(options->size) ||
        !print_solvers(options->size)) {
        fprintf(stderr, "roundoff: not enough memory to measure\n");
        return 1;
    }
    printf(
        "Table 3 of Lagrange, Gilles, Heggarty and Fracasso, on holograms, is what `roundoff bench "
        "hologram` prints.\n");
    return 0;
}

const struct bench bench_papers = {
    .name = "papers",
    .summary = "the tables of times in the papers, ours beside theirs",
    .run = run,
};

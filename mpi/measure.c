/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a halftone cost here. First all ranks halftone a short picture together, as new
 * processes do. Then every rank halftones two pictures for itself, a short one and a longer one,
 * cut as the real one would be, and all of them at the same time, so that they share the machine as
 * they would. What the longer one takes more is that of pixels and bytes; what these do not explain
 * of the first run is that of any run.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "halftone.h"
#include "model.h"
#include "ranks.h"
#include "roundoff_io_pieces.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDEST = 1 << 16, TALLEST = 1 << 16, MOST_BYTES = 96 << 20, LEAST_BANDS = 4, TRIES = 5 };
enum { FILE_BYTES = 32 << 20, MESSAGES = 64, PATH = 4200 };

static const double usual_message = 2e-6, usual_message_byte = 1e-10, run_seconds = 0.25;

struct bench {
    struct ranks ranks;
    ro_context *context;
    const ro_halftone_options *options;
    ro_mpi_costs *costs;
    ro_image shape;   /* of the picture in mind */
    struct pace pace; /* of its bands */
    bool hands_on;    /* whether ranks wait for each other */
    uint32_t width;   /* of the pictures measured */
    int threads;
    char in[PATH], out[PATH];
};

/* ---- Runs ----------------------------------------------------------------------------------- */

static void draw_noise(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)((i * 2654435761u) >> 13);
}

/* A disk that is still busy with the input would be measured with the run. */
static ro_status settle(const struct bench *bench)
{
    const int fd = open(bench->in, O_RDONLY | O_CLOEXEC);
    const bool done = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return done ? RO_OK
                : ro_context_fail(bench->context, RO_E_IO, "%s cannot be written", bench->in);
}

static ro_status make_picture(const struct bench *bench, uint32_t rows)
{
    ro_image image;
    ro_status status = ro_image_alloc(bench->context, bench->shape.format, bench->width, rows,
                                      bench->shape.maxval, &image);
    if (status != RO_OK)
        return status;
    for (uint32_t y = 0; y < rows; y++)
        draw_noise((uint8_t *)image.data + (ptrdiff_t)y * image.stride,
                   ro_format_row_bytes(image.format, image.width));
    status = ro_image_save(bench->context, bench->in, &image, NULL);
    ro_image_free(&image);
    return status == RO_OK ? settle(bench) : status;
}

static int by_seconds(const void *a, const void *b)
{
    const ro_mpi_report *first = a, *second = b;
    return (first->seconds > second->seconds) - (first->seconds < second->seconds);
}

static ro_status run_once(const struct bench *bench, MPI_Comm comm, ro_mpi_report *report)
{
    return halftone_by(comm, bench->context, bench->in, bench->out, bench->options, NULL, NULL,
                       NULL, bench->hands_on ? &bench->pace : NULL, report);
}

/* The median of some runs of a picture. */
static ro_status measure_run(const struct bench *bench, uint32_t rows, ro_mpi_report *usual)
{
    ro_mpi_report reports[TRIES];
    ro_status status = make_picture(bench, rows);
    for (int i = 0; i < TRIES && status == RO_OK; i++)
        status = run_once(bench, MPI_COMM_SELF, &reports[i]);
    if (status == RO_OK) {
        qsort(reports, TRIES, sizeof *reports, by_seconds);
        *usual = reports[TRIES / 2];
    }
    return status;
}

/* As many rows as take some time, but no great memory. */
static uint32_t more_rows(const struct bench *bench, uint32_t rows, double seconds)
{
    const size_t row = ro_format_row_bytes(bench->shape.format, bench->width);
    double wanted = rows * run_seconds / (seconds > 1e-6 ? seconds : 1e-6);
    const double fit = (double)MOST_BYTES / (double)row, least = LEAST_BANDS * (double)rows;
    wanted = wanted < fit ? wanted : fit;
    wanted = wanted < TALLEST ? wanted : TALLEST;
    return (uint32_t)(wanted > least ? wanted : least);
}

/* What one more pixel takes. */
static double slope(double less, double more, double pixels_less, double pixels_more)
{
    const double by = (more - less) / (pixels_more - pixels_less);
    return by > 0 ? by : more / pixels_more;
}

static ro_status measure_runs(struct bench *bench)
{
    ro_mpi_costs *costs = bench->costs;
    ro_mpi_report few, many;
    const uint32_t rows = 2 * bench->pace.rows;
    ro_status status = ranks_agree(&bench->ranks, measure_run(bench, rows, &few));
    if (status != RO_OK)
        return status;
    const uint32_t tall = more_rows(bench, rows, few.seconds);
    status = measure_run(bench, tall, &many);
    if (status != RO_OK)
        return status;
    const double less = (double)rows * bench->width, more = (double)tall * bench->width;
    costs->pixel = slope(few.computing, many.computing, less, more);
    costs->read_byte = slope(few.reading, many.reading, less, more) * 8 / costs->in_bits;
    costs->write_byte = slope(few.writing, many.writing, less, more) * 8 / costs->out_bits;
    costs->clock = many.computing > 0 && many.waiting > 0
                       ? 1 + many.waiting * bench->threads / many.computing
                       : 1;
    return RO_OK;
}

static uint32_t rows_of_start(const struct bench *bench)
{
    return 2 * bench->pace.rows * (uint32_t)bench->ranks.count;
}

/* The first run of all ranks, with the files of rank 0. */
static ro_status measure_start(const struct bench *bench, ro_mpi_report *report)
{
    struct bench all = *bench;
    ro_status status = bench->ranks.rank == 0 ? make_picture(bench, rows_of_start(bench)) : RO_OK;
    status = ranks_agree(&bench->ranks, status);
    MPI_Bcast(all.in, PATH, MPI_CHAR, 0, bench->ranks.comm);
    MPI_Bcast(all.out, PATH, MPI_CHAR, 0, bench->ranks.comm);
    return status == RO_OK ? run_once(&all, bench->ranks.comm, report) : status;
}

/* What it took beyond its bands: files opened and closed by all, memory taken, ranks that do not
 * begin at the same time. */
static void find_fixed(struct bench *bench, const ro_mpi_report *start)
{
    ro_mpi_costs *costs = bench->costs;
    ro_mpi_prediction expected;
    model_predict(costs, bench->width, rows_of_start(bench), bench->ranks.count, bench->threads,
                  &bench->pace, &expected);
    costs->fixed = start->seconds > expected.seconds ? start->seconds - expected.seconds : 0;
    costs->fixed_processor = start->computing > expected.computing
                                 ? (start->computing - expected.computing) / bench->ranks.count
                                 : 0;
}

/* ---- The disk ------------------------------------------------------------------------------- */

/* Until bytes are on it, and those of an older file are given back. */
static ro_status measure_sync(struct bench *bench)
{
    enum { BLOCK = 1 << 20 };
    static uint8_t block[BLOCK];
    bool whole = true;
    for (int turn = 0; turn < 2 && whole; turn++) {
        FILE *file = fopen(bench->in, "w+b");
        if (!file)
            return ro_context_fail(bench->context, RO_E_IO, "no file can be made at %s", bench->in);
        for (int i = 0; i < FILE_BYTES / BLOCK; i++)
            whole = fwrite(block, 1, BLOCK, file) == BLOCK && whole;
        whole = fflush(file) == 0 && whole;
        const double start = MPI_Wtime();
        whole = fsync(fileno(file)) == 0 && whole;
        fclose(file);
        whole = whole && rename(bench->in, bench->out) == 0;
        bench->costs->sync_byte = (MPI_Wtime() - start) / FILE_BYTES;
    }
    return whole ? RO_OK
                 : ro_context_fail(bench->context, RO_E_IO, "%s cannot be written", bench->in);
}

static void find_names(struct bench *bench, const char *folder)
{
    const bool bits = ro_halftone_result(bench->options).format == RO_BITS;
    snprintf(bench->in, PATH, "%s/roundoff-bench.%d.%ld.pgm", folder, bench->ranks.rank,
             (long)getpid());
    snprintf(bench->out, PATH, "%s/roundoff-bench.%d.%ld-2.%s", folder, bench->ranks.rank,
             (long)getpid(), bits ? "pbm" : "npy");
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* As bands wait for each other. */
static void receive(const struct ranks *ranks, void *bytes, int size, int from)
{
    MPI_Request request;
    MPI_Irecv(bytes, size, MPI_BYTE, from, 0, ranks->comm, &request);
    if (ranks_wait(ranks, &request) != RO_OK)
        MPI_Abort(ranks->comm, 1);
}

/* There and back between ranks 0 and 1, half of it a message: the best of some. */
static double seconds_of(const struct ranks *ranks, void *bytes, int size)
{
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = MPI_Wtime();
        for (int k = 0; k < 2 * MESSAGES; k++)
            if (ranks->rank == k % 2)
                MPI_Send(bytes, size, MPI_BYTE, 1 - k % 2, 0, ranks->comm);
            else if (ranks->rank < 2)
                receive(ranks, bytes, size, k % 2);
        const double taken = (MPI_Wtime() - start) / (2 * MESSAGES);
        best = i == 0 || taken < best ? taken : best;
    }
    return best;
}

static void measure_messages(const struct ranks *ranks, ro_mpi_costs *costs)
{
    enum { LARGE = 1 << 18 };
    char *bytes = calloc(1, LARGE);
    costs->message = usual_message;
    costs->message_byte = usual_message_byte;
    if (ranks->count > 1 && bytes) {
        costs->message = seconds_of(ranks, bytes, 8);
        const double large = seconds_of(ranks, bytes, LARGE);
        costs->message_byte = large > costs->message ? (large - costs->message) / LARGE : 0;
    }
    free(bytes);
}

/* ---- All of it ------------------------------------------------------------------------------ */

/* How the picture would be cut. */
static ro_status find_cut(struct bench *bench, int ranks)
{
    ro_mpi_costs *costs = bench->costs;
    const ro_format format = ro_halftone_result(bench->options).format;
    ro_plan_info info = {.size = sizeof info};
    ro_plan *plan = NULL;
    ro_status status =
        ro_halftone_plan(bench->context, &bench->shape, format, bench->options, &plan);
    if (status == RO_OK)
        status = ro_plan_query(plan, &info);
    if (status == RO_OK && info.carried < 0)
        status = ro_context_fail(bench->context, RO_E_UNSUPPORTED,
                                 "%s needs the whole image and cannot be spread over ranks",
                                 info.method);
    if (status == RO_OK) {
        bench->width = bench->shape.width < WIDEST ? bench->shape.width : WIDEST;
        costs->rows = info.rows;
        costs->lines = info.carried;
        costs->in_bits = bench->shape.format == RO_GREY16 ? 16 : 8;
        costs->out_bits = format == RO_BITS ? 1 : 8;
        bench->threads = info.threads > 0 ? info.threads : 1;
        bench->pace =
            model_cut(costs, bench->shape.width, bench->shape.height, ranks, bench->threads);
        bench->hands_on = costs->lines > 0 && ranks > 1;
        costs->band_rows = bench->pace.rows;
    }
    ro_plan_free(plan);
    return status;
}

/* Means of all ranks. */
static void share(const struct ranks *ranks, ro_mpi_costs *costs)
{
    double *const members[] = {&costs->pixel, &costs->read_byte, &costs->write_byte, &costs->clock};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        MPI_Allreduce(MPI_IN_PLACE, members[i], 1, MPI_DOUBLE, MPI_SUM, ranks->comm);
        *members[i] /= ranks->count;
    }
    MPI_Bcast(&costs->sync_byte, 1, MPI_DOUBLE, 0, ranks->comm);
    MPI_Bcast(&costs->message, 1, MPI_DOUBLE, 0, ranks->comm);
    MPI_Bcast(&costs->message_byte, 1, MPI_DOUBLE, 0, ranks->comm);
}

ro_status ro_mpi_bench(MPI_Comm comm, ro_context *context, const char *folder,
                       const ro_halftone_options *given, const ro_image *shape, int ranks,
                       ro_mpi_costs *costs)
{
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    struct bench bench = {.context = context, .options = &options, .costs = costs};
    ro_mpi_report start;
    if (costs)
        *costs = (ro_mpi_costs){0};
    ro_status status = ranks_open(&bench.ranks, comm, context);
    if (status != RO_OK)
        return status;
    bench.shape = shape ? (ro_image){.format = shape->format,
                                     .width = shape->width,
                                     .height = shape->height,
                                     .maxval = shape->maxval,
                                     .stride = 0,
                                     .data = NULL}
                        : (ro_image){.format = RO_GREY8,
                                     .width = 30000,
                                     .height = 30000,
                                     .maxval = 255,
                                     .stride = 0,
                                     .data = NULL};
    status = MISSING(context, folder, costs)
                 ? RO_E_ARGUMENT
                 : take_options(context, given, &options, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK && bench.shape.format != RO_GREY8 && bench.shape.format != RO_GREY16)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "grey pictures of 8 or 16 bits are measured");
    if (status == RO_OK)
        status = find_cut(&bench, ranks > 0 ? ranks : bench.ranks.count);
    status = ranks_agree(&bench.ranks, status);
    if (status == RO_OK)
        find_names(&bench, folder);
    if (status == RO_OK)
        status = measure_start(&bench, &start);
    if (status == RO_OK) {
        if (bench.ranks.rank == 0)
            status = measure_sync(&bench);
        status = ranks_agree(&bench.ranks, status);
    }
    if (status == RO_OK)
        status = ranks_agree(&bench.ranks, measure_runs(&bench));
    if (*bench.in) {
        unlink(bench.in);
        unlink(bench.out);
    }
    if (status == RO_OK) {
        measure_messages(&bench.ranks, costs);
        share(&bench.ranks, costs);
        find_fixed(&bench, &start);
    }
    ranks_close(&bench.ranks);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* How long a halftone takes on many ranks: measured parts, and how they fit together. docs/scale.md
 * has the formulas. */
#include "core/options.h"
#include "pace.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 8192, HEIGHT = 1024, RUN_HEIGHT = 16384, FILE_BYTES = 32 << 20, MESSAGES = 64 };

static const double usual_message = 2e-6, usual_message_byte = 1e-10;

/* ---- Parts ---------------------------------------------------------------------------------- */

static void draw_noise(uint8_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = (uint8_t)((i * 2654435761u) >> 13);
}

/* Seconds of a processor for a pixel: the best of some runs through a plan. */
static ro_status measure_plan(ro_context *context, ro_halftone_options options, int abreast,
                              const ro_image *in, ro_image *out, double *pixel, ro_plan_info *info)
{
    ro_plan *plan = NULL;
    double best = 1e9;
    options.abreast = abreast;
    ro_status status = ro_halftone_plan(context, in, out->format, &options, &plan);
    if (status == RO_OK)
        status = ro_plan_query(plan, info);
    if (status == RO_OK && info->carried < 0)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s needs the whole image and cannot be spread over ranks",
                                 info->method);
    for (int i = 0; i < 4 && status == RO_OK; i++) { /* the first fills caches */
        const double start = process_seconds();
        status = ro_plan_run(plan, in, out, NULL);
        const double taken = process_seconds() - start;
        best = i > 0 && taken < best ? taken : best;
    }
    *pixel = best / ((double)in->width * in->height);
    ro_plan_free(plan);
    return status;
}

static ro_status measure_pixels(ro_context *context, const ro_halftone_options *options,
                                ro_mpi_costs *costs)
{
    ro_image in = {0}, out = {0};
    ro_plan_info info = {0};
    ro_status status = ro_image_alloc(context, RO_GRAY8, WIDTH, HEIGHT, 255, &in);
    if (status == RO_OK)
        status = ro_image_alloc(context, ro_halftone_result(options).format, WIDTH, HEIGHT, 0, &out);
    for (uint32_t y = 0; status == RO_OK && y < HEIGHT; y++)
        draw_noise((uint8_t *)in.data + (ptrdiff_t)y * in.stride, WIDTH);
    if (status == RO_OK)
        status = measure_plan(context, *options, 0, &in, &out, &costs->pixel, &info);
    costs->pixel_abreast = costs->pixel;
    if (status == RO_OK && info.carried > 0)
        status = measure_plan(context, *options, PACE_MOST_ABREAST, &in, &out,
                              &costs->pixel_abreast, &info);
    costs->rows = info.rows;
    costs->lines = info.carried;
    costs->in_bits = 8;
    costs->out_bits = (int)(8 * ro_format_row_bytes(out.format, WIDTH) / WIDTH);
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* A short run of one rank, from a file to a file: what reading and writing take in it, and by how much
 * the clock is slower than the processor. */
static ro_status measure_run(ro_context *context, const char *in, const char *out,
                             const ro_halftone_options *options, ro_mpi_costs *costs)
{
    enum { RUNS = 2 };
    const double pixels = (double)RUNS * WIDTH * RUN_HEIGHT;
    double computing = 0, waiting = 0, reading = 0, writing = 0, seconds = 0;
    ro_image image;
    ro_status status = ro_image_alloc(context, RO_GRAY8, WIDTH, RUN_HEIGHT, 255, &image);
    if (status != RO_OK)
        return status;
    for (uint32_t y = 0; y < RUN_HEIGHT; y++)
        draw_noise((uint8_t *)image.data + (ptrdiff_t)y * image.stride, WIDTH);
    status = ro_image_save(context, in, &image, NULL);
    ro_image_free(&image);
    for (int i = 0; i < RUNS && status == RO_OK; i++) {
        ro_mpi_report report;
        status = ro_mpi_halftone(MPI_COMM_SELF, context, in, out, options, NULL, NULL, NULL, &report);
        computing += report.computing;
        waiting += report.waiting;
        reading += report.reading;
        writing += report.writing;
        seconds += report.seconds;
    }
    if (status != RO_OK)
        return status;
    const double written = pixels * costs->out_bits / 8;
    const double rest = seconds - computing - waiting - reading - writing - written * costs->sync_byte;
    costs->read_byte = reading / (pixels * costs->in_bits / 8);
    costs->write_byte = writing / written;
    costs->clock = computing > 0 && waiting > 0 ? (computing + waiting) / computing : 1;
    costs->fixed = rest > 0 ? rest / RUNS : 0;
    /* Pixels from a file are not in the nearest cache. */
    costs->pixel_abreast *= computing / pixels / costs->pixel;
    costs->pixel = computing / pixels;
    return RO_OK;
}

/* How long bytes take to the disk. */
static ro_status measure_sync(ro_context *context, const char *path, ro_mpi_costs *costs)
{
    enum { BLOCK = 1 << 20 };
    static uint8_t block[BLOCK];
    FILE *file = fopen(path, "w+b");
    if (!file)
        return ro_context_fail(context, RO_E_IO, "no file can be made at %s", path);
    bool whole = true;
    for (int i = 0; i < FILE_BYTES / BLOCK; i++)
        whole = fwrite(block, 1, BLOCK, file) == BLOCK && whole;
    whole = fflush(file) == 0 && whole;
    const double start = MPI_Wtime();
    whole = fsync(fileno(file)) == 0 && whole;
    costs->sync_byte = (MPI_Wtime() - start) / FILE_BYTES;
    fclose(file);
    return whole ? RO_OK : ro_context_fail(context, RO_E_IO, "%s cannot be written", path);
}

static ro_status measure_files(ro_context *context, const char *folder,
                               const ro_halftone_options *options, ro_mpi_costs *costs)
{
    char in[4200], out[4200];
    const bool bits = ro_halftone_result(options).format == RO_BITS;
    snprintf(in, sizeof in, "%s/roundoff-bench.%ld.pgm", folder, (long)getpid());
    snprintf(out, sizeof out, "%s/roundoff-bench.%ld-2.%s", folder, (long)getpid(),
             bits ? "pbm" : "npy");
    ro_status status = measure_sync(context, in, costs);
    if (status == RO_OK)
        status = measure_run(context, in, out, options, costs);
    unlink(in);
    unlink(out);
    return status;
}

/* As bands wait for each other. */
static void receive(const struct ranks *ranks, void *bytes, int size, int from)
{
    MPI_Request request;
    MPI_Irecv(bytes, size, MPI_BYTE, from, 0, ranks->comm, &request);
    if (ranks_wait(ranks, &request) != RO_OK)
        MPI_Abort(ranks->comm, 1);
}

/* There and back between ranks 0 and 1, half of it a message. */
static double seconds_of(const struct ranks *ranks, void *bytes, int size)
{
    const double start = MPI_Wtime();
    for (int i = 0; i < MESSAGES; i++)
        for (int turn = 0; turn < 2; turn++)
            if (ranks->rank == turn)
                MPI_Send(bytes, size, MPI_BYTE, 1 - turn, 0, ranks->comm);
            else if (ranks->rank < 2)
                receive(ranks, bytes, size, turn);
    return (MPI_Wtime() - start) / (2 * MESSAGES);
}

static void measure_messages(const struct ranks *ranks, ro_mpi_costs *costs)
{
    enum { LARGE = 1 << 18 };
    char *bytes = calloc(1, LARGE);
    costs->message = usual_message;
    costs->message_byte = usual_message_byte;
    if (ranks->count > 1 && bytes) {
        seconds_of(ranks, bytes, 8);
        costs->message = seconds_of(ranks, bytes, 8);
        const double large = seconds_of(ranks, bytes, LARGE);
        costs->message_byte = large > costs->message ? (large - costs->message) / LARGE : 0;
    }
    free(bytes);
}

ro_status ro_mpi_bench(MPI_Comm comm, ro_context *context, const char *folder,
                       const ro_halftone_options *given, ro_mpi_costs *costs)
{
    struct ranks ranks;
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    *costs = (ro_mpi_costs){0};
    ro_status status = ranks_open(&ranks, comm, context);
    if (status != RO_OK)
        return status;
    status = ro_options_take(context, given, &options, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK && ranks.rank == 0)
        status = measure_pixels(context, &options, costs);
    if (status == RO_OK && ranks.rank == 0)
        status = measure_files(context, folder, &options, costs);
    status = ranks_agree(&ranks, status);
    if (status == RO_OK) {
        measure_messages(&ranks, costs);
        MPI_Bcast(costs, sizeof *costs, MPI_BYTE, 0, ranks.comm);
    }
    ranks_close(&ranks);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Between one band at a time and as many by turns as were measured. */
static double pixel_of(const ro_mpi_costs *costs, uint32_t rows, int threads)
{
    const double abreast = (double)rows / (costs->rows * (uint32_t)threads);
    const double share = (abreast - 1) / (PACE_MOST_ABREAST - 1);
    return costs->pixel + (costs->pixel_abreast - costs->pixel) *
                              (share < 0   ? 0
                               : share > 1 ? 1
                                           : share);
}

void ro_mpi_plan(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks, int threads,
                 ro_mpi_prediction *prediction)
{
    enum { USUAL_ROWS = 256 };
    const double in = costs->in_bits / 8.0, out = costs->out_bits / 8.0;
    ranks = ranks < 1 ? 1 : ranks;
    threads = threads < 1 ? 1 : threads;
    const bool carries = costs->lines && ranks > 1;
    const struct pace pace = pace_of(width, height, costs->rows, (uint32_t)costs->lines,
                                     (uint32_t)ranks, (uint32_t)threads);
    uint32_t rows = carries ? pace.rows : USUAL_ROWS;
    rows = rows < height ? rows : height;
    const uint32_t bands = height / rows + (height % rows != 0);
    const double pixel = carries ? pixel_of(costs, rows, threads) : costs->pixel;
    const double pixels = (double)rows * width, all = (double)width * height;
    const double computing = pixels * pixel * costs->clock / threads;
    const double band = computing + pixels * (in * costs->read_byte + out * costs->write_byte);
    /* The next band begins when the last row of this one has passed a piece. */
    const double bytes = 4.0 * costs->lines * pace.piece;
    double lag = 0;
    if (carries)
        lag = computing * (pace.piece + pace_lag(rows, costs->rows)) / width +
              costs->message + bytes * costs->message_byte;
    const double turn = band > ranks * lag ? band : ranks * lag;
    const double busy = bands < (uint32_t)ranks ? bands : (uint32_t)ranks;
    *prediction = (ro_mpi_prediction){
        .rows = rows,
        .bands = bands,
        .columns = costs->lines ? pace.piece : 0,
        .fill = (busy - 1) * lag,
        .computing = all * pixel,
        .rank_bytes = pixels * (in + out) + 8.0 * costs->lines * width,
        .sent = carries ? 4.0 * costs->lines * width * (bands - 1.0) : 0,
        .most_ranks = lag > 0 ? band / lag : bands,
    };
    /* Whole turns of all ranks, what is left over, and the end. */
    prediction->seconds = (double)(bands / (uint32_t)ranks) * turn +
                          (bands % (uint32_t)ranks ? band : 0) + prediction->fill +
                          costs->fixed + all * out * costs->sync_byte;
    prediction->efficiency = prediction->computing / (prediction->seconds * ranks * threads);
}

/* SPDX-License-Identifier: MIT */
/* How long a halftone takes on many ranks: measured parts, and how they fit together. docs/scale.md
 * has the formulas. */
#include "core/options.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 8192, HEIGHT = 1024, FILE_BYTES = 32 << 20, MESSAGES = 64, SKEW = 4 };

static const double usual_message = 2e-6, usual_message_byte = 1e-10;

/* ---- Parts ---------------------------------------------------------------------------------- */

/* Rows of noise through a stream, on one rank while the others wait. */
static ro_status measure_pixels(ro_context *context, const ro_halftone_options *options,
                                ro_mpi_costs *costs)
{
    const ro_image shape = {RO_GRAY8, WIDTH, HEIGHT, 255, 0, NULL};
    const ro_format format = ro_halftone_result(options).format;
    const size_t stride = ro_format_row_bytes(format, WIDTH);
    uint8_t *in = malloc((size_t)WIDTH * HEIGHT), *out = malloc(stride * HEIGHT);
    ro_plan *plan = NULL;
    ro_plan_info info = {0};
    ro_status status = in && out ? RO_OK : ro_context_fail(context, RO_E_MEMORY, "no memory");
    for (size_t i = 0; in && i < (size_t)WIDTH * HEIGHT; i++)
        in[i] = (uint8_t)((i * 2654435761u) >> 13);
    if (status == RO_OK)
        status = ro_halftone_plan(context, &shape, format, options, &plan);
    if (status == RO_OK)
        status = ro_plan_query(plan, &info);
    if (status == RO_OK && info.carried < 0)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s needs the whole image and cannot be spread over ranks",
                                 info.method);
    double best = 1e9;
    for (int i = 0; i < 4 && status == RO_OK; i++) { /* the first fills caches */
        const ro_image from = {RO_GRAY8, WIDTH, HEIGHT, 255, WIDTH, in};
        ro_image to = {format, WIDTH, HEIGHT, 0, (ptrdiff_t)stride, out};
        const double start = process_seconds();
        status = ro_plan_run(plan, &from, &to, NULL);
        const double taken = process_seconds() - start;
        best = i > 0 && taken < best ? taken : best;
    }
    costs->pixel = best / ((double)WIDTH * HEIGHT);
    costs->rows = info.rows;
    costs->lines = info.carried;
    costs->in_bits = 8;
    costs->out_bits = (int)(8 * stride / WIDTH);
    ro_plan_free(plan);
    free(in);
    free(out);
    return status;
}

static ro_status measure_files(ro_context *context, const char *folder, ro_mpi_costs *costs)
{
    enum { BLOCK = 1 << 20 };
    static uint8_t block[BLOCK];
    char path[4200];
    snprintf(path, sizeof path, "%s/roundoff-bench.%ld", folder, (long)getpid());
    FILE *file = fopen(path, "w+b");
    if (!file)
        return ro_context_fail(context, RO_E_IO, "no file can be made in %s", folder);
    bool whole = true;
    double start = MPI_Wtime();
    for (int i = 0; i < FILE_BYTES / BLOCK; i++)
        whole = fwrite(block, 1, BLOCK, file) == BLOCK && whole;
    whole = fflush(file) == 0 && whole;
    costs->write_byte = (MPI_Wtime() - start) / FILE_BYTES;
    rewind(file);
    start = MPI_Wtime();
    for (int i = 0; i < FILE_BYTES / BLOCK; i++)
        whole = fread(block, 1, BLOCK, file) == BLOCK && whole;
    costs->read_byte = (MPI_Wtime() - start) / FILE_BYTES;
    fclose(file);
    unlink(path);
    return whole ? RO_OK : ro_context_fail(context, RO_E_IO, "%s cannot be written", path);
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
                MPI_Recv(bytes, size, MPI_BYTE, turn, 0, ranks->comm, MPI_STATUS_IGNORE);
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
        status = measure_files(context, folder, costs);
    status = ranks_agree(&ranks, status);
    if (status == RO_OK) {
        measure_messages(&ranks, costs);
        MPI_Bcast(costs, sizeof *costs, MPI_BYTE, 0, ranks.comm);
    }
    ranks_close(&ranks);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

void ro_mpi_plan(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks, int threads,
                 ro_mpi_prediction *prediction)
{
    enum { USUAL_ROWS = 256, LEAST_PIECE = 256 };
    const double in = costs->in_bits / 8.0, out = costs->out_bits / 8.0;
    ranks = ranks < 1 ? 1 : ranks;
    threads = threads < 1 ? 1 : threads;
    uint32_t rows = costs->lines && ranks > 1 ? costs->rows * (uint32_t)threads : USUAL_ROWS;
    rows = rows < height ? rows : height;
    const uint32_t bands = height / rows + (height % rows != 0);
    uint32_t piece = width / (4 * (uint32_t)ranks);
    piece = piece < LEAST_PIECE ? LEAST_PIECE : piece;
    const double pixels = (double)rows * width;
    const double computing = pixels * costs->pixel / threads;
    const double band = computing + pixels * (in * costs->read_byte + out * costs->write_byte);
    /* The next band begins when the last row of this one has passed a piece. */
    const double bytes = 4.0 * costs->lines * piece;
    double lag = 0;
    if (costs->lines && ranks > 1)
        lag = computing * ((double)piece + SKEW * costs->rows) / width + costs->message +
              bytes * costs->message_byte;
    const double turn = band > ranks * lag ? band : ranks * lag;
    const double busy = bands < (uint32_t)ranks ? bands : (uint32_t)ranks;
    *prediction = (ro_mpi_prediction){
        .rows = rows,
        .bands = bands,
        .columns = costs->lines ? piece : 0,
        .fill = (busy - 1) * lag,
        .computing = (double)width * height * costs->pixel,
        .rank_bytes = pixels * (in + out) + 8.0 * costs->lines * width,
        .sent = ranks > 1 ? 4.0 * costs->lines * width * (bands - 1.0) : 0,
        .most_ranks = lag > 0 ? band / lag : bands,
    };
    /* Whole turns of all ranks, and what is left over. */
    prediction->seconds = (double)(bands / (uint32_t)ranks) * turn +
                          (bands % (uint32_t)ranks ? band : 0) + prediction->fill;
    prediction->efficiency = prediction->computing / (prediction->seconds * ranks * threads);
}

/* SPDX-License-Identifier: MIT */
/*
 * Denoising by blocks of rows, one for each rank, in the numbers that the method works in. Before
 * every few steps neighbours give each other as many rows as these steps reach. The last rounding
 * rounds the running sum of all pixels: what the blocks above add to it comes by MPI_Exscan. The
 * trained model estimates the noise from blocks of pixels of the whole picture, which all ranks
 * get: so all find the same.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "input.h"
#include "output.h"
#include "roundoff/pieces.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FEW = 8 };

struct blocks {
    struct ranks ranks;
    struct times times;
    struct input in;
    struct output out;
    ro_image shape, result;
    ro_denoise_options options;
    ro_denoise_piece *piece; /* NULL: this rank has no block */
    uint32_t first, rows, steps, reach, at_once;
    bool measured, whole;
    bool agreed; /* all ranks know why it failed */
    char *samples;
    size_t row_bytes;
};

/* ---- Rows from neighbours ------------------------------------------------------------------- */

static void start(struct blocks *blocks, bool sends, uint32_t y, uint32_t rows, int rank, int tag,
                  MPI_Request *request)
{
    const size_t bytes = rows * ro_denoise_piece_query(blocks->piece)->row_bytes;
    void *place = ro_denoise_piece_row(blocks->piece, y);
    if (sends) {
        MPI_Isend(place, (int)bytes, MPI_BYTE, rank, tag, blocks->ranks.comm, request);
        blocks->times.sent += bytes;
    } else {
        MPI_Irecv(place, (int)bytes, MPI_BYTE, rank, tag, blocks->ranks.comm, request);
    }
}

static ro_status exchange(struct blocks *blocks)
{
    const ro_denoise_piece_info *info = ro_denoise_piece_query(blocks->piece);
    const uint32_t first = blocks->first, end = first + blocks->rows;
    const uint32_t halo = blocks->at_once * blocks->reach, left = blocks->shape.height - first;
    const int rank = blocks->ranks.rank;
    const double begin = MPI_Wtime();
    MPI_Request requests[4];
    int count = 0;
    if (info->above) { /* the block above takes what it can use of this one */
        start(blocks, true, first, halo < left ? halo : left, rank - 1, TAG_UP, &requests[count++]);
        start(blocks, false, first - info->above, info->above, rank - 1, TAG_DOWN,
              &requests[count++]);
    }
    if (info->below) {
        start(blocks, true, end - halo, halo, rank + 1, TAG_DOWN, &requests[count++]);
        start(blocks, false, end, info->below, rank + 1, TAG_UP, &requests[count++]);
    }
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++)
        status = ranks_wait(&blocks->ranks, &requests[i]);
    blocks->times.waiting += MPI_Wtime() - begin;
    return status;
}

/* ---- The whole picture's noise -------------------------------------------------------------- */

/* Blocks of all ranks, one after another. */
static ro_status collect(struct blocks *blocks, const void *mine, size_t size, void **all,
                         size_t *bytes)
{
    const int count = blocks->ranks.count;
    int *sizes = calloc(2 * (size_t)count, sizeof *sizes), *places = sizes + count, own = (int)size;
    int64_t sum = 0;
    ro_status status = RO_OK;
    *all = NULL;
    if (!sizes)
        status =
            ro_context_fail(blocks->ranks.context, RO_E_MEMORY, "no memory for %d ranks", count);
    status = ranks_agree(&blocks->ranks, status);
    if (status == RO_OK) {
        MPI_Allgather(&own, 1, MPI_INT, sizes, 1, MPI_INT, blocks->ranks.comm);
        for (int i = 0; i < count; i++) {
            places[i] = (int)sum;
            sum += sizes[i];
        }
        *all = malloc((size_t)sum + 1);
        if (!*all || sum > INT32_MAX)
            status = ro_context_fail(blocks->ranks.context, RO_E_MEMORY,
                                     "no memory to estimate the noise");
        status = ranks_agree(&blocks->ranks, status);
    }
    if (status == RO_OK)
        MPI_Allgatherv(mine, own, MPI_BYTE, *all, sizes, places, MPI_BYTE, blocks->ranks.comm);
    *bytes = (size_t)sum;
    free(sizes);
    return status;
}

/* Called by all ranks, once those with a block have its halo. */
static ro_status measure(struct blocks *blocks, ro_status status)
{
    double extent[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, largest[3];
    const void *mine = NULL;
    void *all = NULL;
    size_t bytes = 0;
    if (status == RO_OK && blocks->piece)
        status = ro_denoise_piece_extent(blocks->piece, extent);
    status = ranks_agree(&blocks->ranks, status);
    if (status != RO_OK)
        return status;
    MPI_Allreduce(extent, largest, 3, MPI_DOUBLE, MPI_MAX, blocks->ranks.comm);
    if (blocks->piece)
        status = ro_denoise_piece_measure(blocks->piece, largest, &mine, &bytes);
    status = ranks_agree(&blocks->ranks, status);
    if (status == RO_OK)
        status = collect(blocks, mine, bytes, &all, &bytes);
    if (status == RO_OK && blocks->piece)
        status = ro_denoise_piece_settle(blocks->piece, all, bytes);
    free(all);
    return ranks_agree(&blocks->ranks, status);
}

/* ---- A block -------------------------------------------------------------------------------- */

static ro_status run_steps(struct blocks *blocks)
{
    ro_status status = RO_OK;
    for (uint32_t done = 0, steps; done < blocks->steps && status == RO_OK; done += steps) {
        steps = blocks->steps - done < blocks->at_once ? blocks->steps - done : blocks->at_once;
        if (!blocks->measured)
            status = exchange(blocks);
        const double processor = process_seconds();
        if (status == RO_OK)
            status = ro_denoise_piece_run(blocks->piece, steps);
        blocks->times.computing += process_seconds() - processor;
        if (status == RO_OK && blocks->ranks.rank == 0)
            status = ro_context_progress(blocks->ranks.context, "denoise",
                                         (double)(done + steps) / blocks->steps);
    }
    return status;
}

static ro_status run_block(struct blocks *blocks)
{
    uint64_t sums[3] = {0}, above[3] = {0};
    ro_status status = RO_OK;
    if (blocks->piece) {
        status = input_rows(&blocks->in, blocks->first, blocks->rows, blocks->samples);
        blocks->times.begun = MPI_Wtime() - blocks->times.start;
        if (status == RO_OK)
            status = ro_denoise_piece_load(blocks->piece, blocks->samples,
                                           (ptrdiff_t)blocks->in.row_bytes);
    }
    if (blocks->measured) {
        status = ranks_agree(&blocks->ranks, status);
        if (status == RO_OK && blocks->piece)
            status = exchange(blocks);
        status = measure(blocks, status);
        blocks->agreed = status != RO_OK;
    }
    if (blocks->piece) {
        if (status == RO_OK)
            status = run_steps(blocks);
        if (status != RO_OK)
            return status;
        ro_denoise_piece_sums(blocks->piece, sums);
    }
    if (status != RO_OK)
        return status;
    MPI_Exscan(sums, above, 3, MPI_UINT64_T, MPI_SUM, blocks->ranks.comm);
    if (!blocks->piece)
        return RO_OK;
    if (blocks->ranks.rank == 0) /* which MPI leaves as it was, or does not */
        above[0] = above[1] = above[2] = 0;
    status =
        ro_denoise_piece_round(blocks->piece, above, blocks->samples, (ptrdiff_t)blocks->row_bytes);
    if (status != RO_OK)
        return status;
    return output_band(&blocks->out, (uint32_t)blocks->ranks.rank, blocks->samples,
                       (ptrdiff_t)blocks->row_bytes, NULL);
}

/* ---- All of it ------------------------------------------------------------------------------ */

/* How many steps there are and how far one reaches. */
static ro_status ask(struct blocks *blocks)
{
    ro_denoise_piece *piece = NULL;
    const ro_status status = ro_denoise_piece_open(
        blocks->ranks.context, &blocks->shape, &blocks->result, &blocks->options, 0, 1, 0, &piece);
    if (status == RO_OK) {
        blocks->steps = ro_denoise_piece_query(piece)->steps;
        blocks->reach = ro_denoise_piece_query(piece)->reach;
        blocks->measured = ro_denoise_piece_query(piece)->measured;
        blocks->whole = ro_denoise_piece_query(piece)->whole;
    }
    ro_denoise_piece_close(piece);
    return status;
}

static ro_status take_block(struct blocks *blocks)
{
    const struct bands *bands = &blocks->out.bands;
    const uint32_t rank = (uint32_t)blocks->ranks.rank, most = bands->rows / blocks->reach;
    if (rank >= bands->count)
        return RO_OK;
    blocks->at_once = most < 1 || blocks->measured ? 1 : most < FEW ? most : FEW;
    blocks->first = rank * bands->rows;
    blocks->rows = rows_of_band(bands, rank);
    const size_t larger =
        blocks->in.row_bytes > blocks->row_bytes ? blocks->in.row_bytes : blocks->row_bytes;
    blocks->samples = malloc(larger * blocks->rows);
    if (!blocks->samples)
        return ro_context_fail(blocks->ranks.context, RO_E_MEMORY,
                               "no memory for %u rows of %u pixels", blocks->rows,
                               blocks->shape.width);
    const ro_status status = ro_denoise_piece_open(
        blocks->ranks.context, &blocks->shape, &blocks->result, &blocks->options, blocks->first,
        blocks->rows, blocks->at_once * blocks->reach, &blocks->piece);
    if (status == RO_OK && ro_denoise_piece_query(blocks->piece)->row_bytes >
                               (size_t)INT32_MAX / (blocks->at_once * blocks->reach))
        return ro_context_fail(blocks->ranks.context, RO_E_SIZE,
                               "rows of %u pixels are too long for a message", blocks->shape.width);
    return status;
}

static ro_status begin(struct blocks *blocks, const char *in, const char *out,
                       const ro_read_options *read, const ro_write_options *write,
                       const ro_mpi_options *given)
{
    const struct ranks *ranks = &blocks->ranks;
    ro_status status = input_open(&blocks->in, ranks, &blocks->times, in, read);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = &blocks->in.info;
    ro_file_info result = *info;
    if (info->stack > 1)
        return ro_context_fail(ranks->context, RO_E_UNSUPPORTED,
                               "%s is a stack of %u pages; ranks share one of them", in,
                               info->stack);
    if (result.format == RO_GREY8 && result.maxval == 1)
        result.maxval = 255; /* greys appear where there was black and white */
    ro_info_carry(info, &result);
    blocks->shape = (ro_image){.format = info->format,
                               .width = info->width,
                               .height = info->height,
                               .maxval = info->maxval,
                               .stride = 0,
                               .data = NULL};
    blocks->result = (ro_image){.format = result.format,
                                .width = info->width,
                                .height = info->height,
                                .maxval = result.maxval,
                                .stride = 0,
                                .data = NULL};
    blocks->row_bytes = ro_format_row_bytes(result.format, result.width);
    status = ranks_agree(ranks, ask(blocks));
    if (status != RO_OK)
        return status;
    const uint32_t share =
        info->height / (uint32_t)ranks->count + (info->height % (uint32_t)ranks->count != 0);
    ro_mpi_options how = *given;
    how.rows = blocks->whole ? info->height : share > blocks->reach ? share : blocks->reach;
    const struct output_needs needs = {.mark = blocks->in.mark};
    status = output_open(&blocks->out, ranks, &blocks->times, out, &result, write, &how, &needs);
    return status == RO_OK ? ranks_agree(ranks, take_block(blocks)) : status;
}

ro_status ro_mpi_denoise(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                         const ro_denoise_options *options, const ro_read_options *read,
                         const ro_write_options *write, const ro_mpi_options *given,
                         ro_mpi_report *report)
{
    struct blocks blocks = {.times = {.start = MPI_Wtime()},
                            .options = RO_DENOISE_OPTIONS,
                            .out = {.fd = -1, .checkpoint = {.fd = -1}}};
    ro_mpi_options how = RO_MPI_OPTIONS;
    bool alone = false;
    if (report)
        *report = (ro_mpi_report){0};
    ro_status status = ranks_open(&blocks.ranks, comm, context);
    if (status != RO_OK)
        return status;
    status = MISSING(context, in, out) ? RO_E_ARGUMENT
                                       : take_options(context, given, &how, "RO_MPI_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, options, &blocks.options, "RO_DENOISE_OPTIONS");
    if (status == RO_OK && how.checkpoint)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "denoising has no checkpoints");
    status = ranks_agree(&blocks.ranks, status);
    if (status == RO_OK)
        status = begin(&blocks, in, out, read, write, &how);
    if (status == RO_OK) {
        status = run_block(&blocks);
        alone = status != RO_OK && !blocks.agreed;
    }
    if (status == RO_OK)
        status = output_commit(&blocks.out);
    if (report)
        report->alone = alone;
    if (status == RO_OK && report) {
        *report = (ro_mpi_report){.bands = blocks.out.bands.count, .rows = blocks.out.bands.rows};
        report->run = (ro_report){.method = blocks.measured        ? "trained"
                                            : blocks.options.model ? blocks.options.model
                                                                   : "anisotropic",
                                  .schedule = "blocks",
                                  .width = blocks.shape.width,
                                  .height = blocks.shape.height,
                                  .device = RO_DEVICE_CPU,
                                  .threads = ro_context_report(context)->threads};
        input_dropped(&blocks.in, &report->dropped);
        ranks_report(&blocks.ranks, &blocks.times, report->run.threads, report);
    }
    ro_denoise_piece_close(blocks.piece);
    input_close(&blocks.in);
    output_close(&blocks.out);
    free(blocks.samples);
    if (!alone)
        ranks_close(&blocks.ranks);
    return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Rows of a picture that another machine has the rest of. Steps are run by a stream of numbers over
 * the piece and its halo, as if that were all: what is wrong at its borders comes `reach` rows
 * nearer with every step and has just not arrived when the halo is used up.
 */
#include "core/checked.h"
#include "core/misuse.h"
#include "core/names.h"
#include "core/options.h"
#include "denoise/denoise.h"
#include "denoise/trained/trained_piece.h"

#include <stdlib.h>
#include <string.h>

struct ro_denoise_piece {
    ro_context *context;
    ro_image in, out; /* shapes of the whole picture */
    ro_denoise_options options;
    struct denoise_stream *stream; /* of the whole picture: options checked, never run */
    struct trained_piece *trained; /* instead of the stream */
    ro_denoise_piece_info info;
    uint32_t first, rows;
    char *numbers; /* halo above, piece, halo below; of the trained piece if there is one */
};

static char *row_of(const ro_denoise_piece *piece, uint32_t y)
{
    return piece->numbers + (size_t)(y + piece->info.above - piece->first) * piece->info.row_bytes;
}

static bool has_rows(const ro_denoise_piece *piece)
{
    const uint32_t height = piece->in.height;
    return piece->rows > 0 && piece->first <= height && piece->rows <= height - piece->first;
}

static ro_status no_piece(const ro_denoise_piece *piece)
{
    return ro_context_fail(piece->context, RO_E_SIZE,
                           "%u rows from row %u on are no piece of %u rows", piece->rows,
                           piece->first, piece->in.height);
}

static ro_status open_trained(ro_denoise_piece *piece, uint32_t halo)
{
    if (!has_rows(piece))
        return no_piece(piece);
    const ro_status status =
        trained_piece_open(piece->context, &piece->in, &piece->out, &piece->options, piece->first,
                           piece->rows, halo, &piece->info, &piece->trained);
    if (status == RO_OK)
        piece->numbers = trained_piece_samples(piece->trained);
    return status;
}

static ro_status open_piece(ro_denoise_piece *piece, uint32_t halo)
{
    if (ro_name_equal(denoise_model(&piece->options), "trained"))
        return open_trained(piece, halo);
    ro_status status = denoise_stream_open(piece->context, &piece->in, &piece->out, &piece->options,
                                           &piece->stream, NULL);
    if (status != RO_OK)
        return status;
    const struct denoiser *work = denoise_work(piece->stream);
    const uint32_t height = piece->in.height, first = piece->first, rows = piece->rows;
    if (!has_rows(piece))
        return no_piece(piece);
    const uint32_t left = height - first - rows;
    piece->options.iterations = work->options.iterations;
    piece->info = (ro_denoise_piece_info){.reach = denoise_reach(piece->stream),
                                          .steps = work->options.iterations,
                                          .above = halo < first ? halo : first,
                                          .below = halo < left ? halo : left,
                                          .row_bytes = (size_t)work->channels * work->in.width *
                                                       sizeof(int32_t)};
    size_t bytes;
    if (!size_multiply(piece->info.row_bytes, (size_t)piece->info.above + rows + piece->info.below,
                       &bytes) ||
        !(piece->numbers = malloc(bytes)))
        return ro_context_fail(piece->context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                               rows, piece->in.width);
    return RO_OK;
}

ro_status ro_denoise_piece_open(ro_context *context, const ro_image *in, const ro_image *out,
                                const ro_denoise_options *options, uint32_t first, uint32_t rows,
                                uint32_t halo, ro_denoise_piece **made)
{
    if (made)
        *made = NULL;
    if (MISSING(context, in, out, made))
        return RO_E_ARGUMENT;
    ro_denoise_piece *piece = calloc(1, sizeof *piece);
    if (!piece)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a piece");
    *piece = (ro_denoise_piece){
        .context = context, .in = *in, .out = *out, .first = first, .rows = rows};
    piece->options = (ro_denoise_options)RO_DENOISE_OPTIONS;
    ro_status status = take_options(context, options, &piece->options, "RO_DENOISE_OPTIONS");
    if (status == RO_OK)
        status = open_piece(piece, halo);
    if (status != RO_OK) {
        ro_denoise_piece_close(piece);
        return status;
    }
    *made = piece;
    return RO_OK;
}

const ro_denoise_piece_info *ro_denoise_piece_query(const ro_denoise_piece *piece)
{
    return &piece->info;
}

ro_status ro_denoise_piece_load(ro_denoise_piece *piece, const void *rows, ptrdiff_t stride)
{
    if (ABSENT(piece))
        return RO_E_ARGUMENT;
    if (!rows_fit(rows, stride, piece->rows,
                  ro_format_row_bytes(piece->in.format, piece->in.width)))
        return ro_context_fail(piece->context, RO_E_ARGUMENT, "rows are missing or overlap");
    for (uint32_t y = 0; y < piece->rows && piece->trained; y++)
        memcpy(row_of(piece, piece->first + y), (const char *)rows + (ptrdiff_t)y * stride,
               piece->info.row_bytes);
    if (piece->trained)
        return RO_OK;
    struct denoiser work = *denoise_work(piece->stream);
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < piece->rows && status == RO_OK; y++) {
        struct step_figures figures = step_figures_none;
        status = denoiser_read_row(&work, (const char *)rows + (ptrdiff_t)y * stride,
                                   piece->first + y, row_of(piece, piece->first + y), &figures);
    }
    return status;
}

void *ro_denoise_piece_row(ro_denoise_piece *piece, uint32_t y)
{
    const ro_denoise_piece_info *info = piece ? &piece->info : NULL;
    return info && y >= piece->first - info->above && y < piece->first + piece->rows + info->below
               ? row_of(piece, y)
               : NULL;
}

static bool is_trained(const ro_denoise_piece *piece)
{
    if (!piece->trained)
        (void)ro_context_fail(piece->context, RO_E_STATE,
                              "only model trained measures the picture");
    return piece->trained != NULL;
}

ro_status ro_denoise_piece_extent(const ro_denoise_piece *piece, double extent[3])
{
    if (ABSENT(piece, extent))
        return RO_E_ARGUMENT;
    return is_trained(piece) ? trained_piece_extent(piece->trained, extent) : RO_E_STATE;
}

ro_status ro_denoise_piece_measure(ro_denoise_piece *piece, const double extent[3],
                                   const void **blocks, size_t *bytes)
{
    if (blocks)
        *blocks = NULL;
    if (bytes)
        *bytes = 0;
    if (ABSENT(piece, extent, blocks, bytes))
        return RO_E_ARGUMENT;
    return is_trained(piece) ? trained_piece_measure(piece->trained, extent, blocks, bytes)
                             : RO_E_STATE;
}

ro_status ro_denoise_piece_settle(ro_denoise_piece *piece, const void *blocks, size_t bytes)
{
    if (ABSENT(piece))
        return RO_E_ARGUMENT;
    return is_trained(piece) ? trained_piece_settle(piece->trained, blocks, bytes) : RO_E_STATE;
}

ro_status ro_denoise_piece_run(ro_denoise_piece *piece, uint32_t steps)
{
    if (ABSENT(piece))
        return RO_E_ARGUMENT;
    const ro_denoise_piece_info *info = &piece->info;
    const uint32_t last = piece->first + piece->rows; /* one behind it */
    const uint64_t wanted = (uint64_t)steps * info->reach;
    const uint32_t above = wanted < piece->first ? (uint32_t)wanted : piece->first;
    const uint32_t left = piece->in.height - last, below = wanted < left ? (uint32_t)wanted : left;
    if (steps == 0 || above > info->above || below > info->below)
        return ro_context_fail(piece->context, RO_E_ARGUMENT,
                               "%u steps reach further than the rows that a piece has", steps);
    if (piece->trained)
        return trained_piece_run(piece->trained);
    ro_image in = piece->in, out = piece->out;
    ro_denoise_options options = piece->options;
    struct denoise_stream *stream = NULL;
    in.height = out.height = above + piece->rows + below;
    options.iterations = steps;
    ro_status status = denoise_stream_open(piece->context, &in, &out, &options, &stream, NULL);
    char *unused = status == RO_OK ? malloc(info->row_bytes) : NULL;
    if (status == RO_OK && !unused)
        status = ro_context_fail(piece->context, RO_E_MEMORY, "no memory for a row");
    uint32_t taken = piece->first - above, given = taken;
    while (given < last && status == RO_OK) {
        while (taken < last + below && denoise_take_row(stream, row_of(piece, taken)))
            taken++;
        /* A row is given when all that it came from was taken: it may have its place. */
        while (given < last &&
               denoise_give_row(stream, given < piece->first ? unused : row_of(piece, given)))
            given++;
        if (ro_context_cancelled(piece->context))
            status = ro_context_fail(piece->context, RO_E_CANCELLED, "cancelled");
    }
    free(unused);
    denoise_stream_close(stream);
    return status;
}

void ro_denoise_piece_sums(const ro_denoise_piece *piece, uint64_t sums[3])
{
    if (ABSENT(piece, sums))
        return;
    memset(sums, 0, 3 * sizeof *sums);
    if (piece->trained) {
        trained_piece_sums(piece->trained, sums);
        return;
    }
    const struct denoiser *work = denoise_work(piece->stream);
    for (uint32_t y = 0; work->levels.carried && y < piece->rows; y++)
        for (int c = 0; c < work->channels; c++) {
            const char *line =
                row_of(piece, piece->first + y) + (size_t)c * work->in.width * sizeof(int32_t);
            sums[c] = (sums[c] + levels_row(work, line)) % work->levels.numbers;
        }
}

ro_status ro_denoise_piece_round(ro_denoise_piece *piece, const uint64_t above[3], void *rows,
                                 ptrdiff_t stride)
{
    if (!piece || MISSING(piece->context, above))
        return RO_E_ARGUMENT;
    if (!rows_fit(rows, stride, piece->rows,
                  ro_format_row_bytes(piece->out.format, piece->out.width)))
        return ro_context_fail(piece->context, RO_E_ARGUMENT, "rows are missing or overlap");
    if (piece->trained) {
        trained_piece_round(piece->trained, above, rows, stride);
        return ro_context_progress(piece->context, "denoise", 1);
    }
    const struct denoiser *work = denoise_work(piece->stream);
    uint64_t carry[3] = {0};
    for (int c = 0; c < work->channels; c++)
        carry[c] = (levels_start(&work->levels) + above[c]) % work->levels.numbers;
    for (uint32_t y = 0; y < piece->rows; y++) {
        struct step_figures figures = step_figures_none;
        denoiser_write_row(work, (char *)rows + (ptrdiff_t)y * stride,
                           row_of(piece, piece->first + y), carry, &figures);
    }
    return ro_context_progress(piece->context, "denoise", 1);
}

void ro_denoise_piece_close(ro_denoise_piece *piece)
{
    if (!piece)
        return;
    denoise_stream_close(piece->stream);
    if (!piece->trained)
        free(piece->numbers);
    trained_piece_close(piece->trained);
    free(piece);
}

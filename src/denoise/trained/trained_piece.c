/* SPDX-License-Identifier: MIT */
#include "denoise/trained/trained_piece.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/options.h"
#include "denoise/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_REACH = TRAINED_SIDE / 2 /* rows that levels of noise look up and down */ };

struct trained_piece {
    ro_context *context;
    ro_image in, out; /* shapes of the whole picture */
    const ro_denoise_options *options;
    uint32_t first, rows, above, below;
    char *samples;
    struct trained_extent extent;
    struct noise_grid grid;
    bool divides, estimates, settled;
    struct noise_block *blocks;
    struct denoiser work;
    struct trained_run run;
};

/* The rows that are here: those of the piece, or with its halo. */
static ro_image view_of(const struct trained_piece *piece, bool halo)
{
    ro_image view = piece->in;
    view.stride = (ptrdiff_t)ro_format_row_bytes(view.format, view.width);
    view.data = piece->samples + (halo ? 0 : (ptrdiff_t)piece->above * view.stride);
    view.height = piece->rows + (halo ? piece->above + piece->below : 0);
    return view;
}

static ro_status no_memory(const struct trained_piece *piece)
{
    return ro_context_fail(piece->context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                           piece->rows, piece->in.width);
}

/* Checks the options as if the noise was known. */
static ro_status check_options(struct trained_piece *piece)
{
    ro_denoise_options options = *piece->options;
    piece->estimates = is_default(options.noise_level);
    if (piece->estimates)
        options.noise_level = 0;
    ro_status status =
        denoiser_make(&piece->work, piece->context, &piece->in, &piece->out, &options);
    if (status == RO_OK && piece->work.options.schedule && piece->work.schedule != RO_SCHEDULE_AUTO)
        status = ro_context_fail(piece->context, RO_E_UNSUPPORTED,
                                 "model trained has a schedule of its own in pieces");
    return status;
}

ro_status trained_piece_open(ro_context *context, const ro_image *in, const ro_image *out,
                             const ro_denoise_options *options, uint32_t first, uint32_t rows,
                             uint32_t halo, ro_denoise_piece_info *info,
                             struct trained_piece **made)
{
    struct trained_piece *piece = *made = calloc(1, sizeof *piece);
    if (!piece)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a piece");
    const uint32_t left = in->height - first - rows;
    *piece = (struct trained_piece){.context = context,
                                    .in = *in,
                                    .out = *out,
                                    .options = options,
                                    .first = first,
                                    .rows = rows,
                                    .above = halo < first ? halo : first,
                                    .below = halo < left ? halo : left};
    const ro_status status = check_options(piece);
    if (status != RO_OK)
        return status;
    piece->divides = noise_grid_make(&piece->grid, in);
    *info = (ro_denoise_piece_info){
        .reach = (uint32_t)trained_reach(piece->work.network) + LEVELS_REACH,
        .steps = 1,
        .above = piece->above,
        .below = piece->below,
        .row_bytes = ro_format_row_bytes(in->format, in->width),
        .measured = 1,
        .whole = piece->estimates && !piece->divides,
    };
    size_t bytes;
    if (!size_multiply(info->row_bytes, (size_t)piece->above + rows + piece->below, &bytes) ||
        !(piece->samples = malloc(bytes)))
        return no_memory(piece);
    return RO_OK;
}

char *trained_piece_samples(struct trained_piece *piece) { return piece->samples; }

/* ---- What the whole picture has ------------------------------------------------------------- */

ro_status trained_piece_extent(const struct trained_piece *piece, double extent[3])
{
    const ro_image view = view_of(piece, false);
    if (ro_format_sample_bytes(view.format) != 4) {
        extent[0] = 0;
        extent[1] = extent[2] = image_largest(&view);
        return RO_OK;
    }
    double least, most;
    const ro_status status = trained_range(piece->context, &view, piece->first, &least, &most);
    extent[0] = -least;
    extent[1] = most;
    extent[2] = (double)noise_range(&view);
    return status;
}

ro_status trained_piece_measure(struct trained_piece *piece, const double extent[3],
                                const void **blocks, size_t *bytes)
{
    const bool floats = ro_format_sample_bytes(piece->in.format) == 4;
    const struct noise_grid *grid = &piece->grid;
    const uint32_t apart = (uint32_t)grid->apart * NOISE_SIDE;
    if (!(-extent[0] <= extent[1] && extent[2] >= 0 && extent[2] <= (floats ? 1e30 : 65535)))
        return ro_context_fail(piece->context, RO_E_ARGUMENT,
                               "a picture cannot span %g to %g with %g as its largest sample",
                               -extent[0], extent[1], extent[2]);
    piece->extent = (struct trained_extent){.least = -extent[0],
                                            .most = extent[1],
                                            .range = floats ? (float)extent[2] : 1,
                                            .largest = floats ? 0 : (uint32_t)extent[2]};
    if (!piece->estimates || !piece->divides)
        return RO_OK;
    /* White decides which samples may be cut off. */
    struct denoiser work;
    ro_status status = denoiser_make_piece(&work, piece->context, &piece->in, &piece->out,
                                           piece->options, &piece->extent);
    if (status != RO_OK)
        return status;
    const size_t first = (piece->first + apart - 1) / apart,
                 behind = (piece->first + piece->rows + apart - 1) / apart,
                 end = behind < grid->bands ? behind : grid->bands;
    const size_t count = end > first ? (end - first) * grid->across * grid->channels : 0;
    free(piece->blocks); /* of an earlier call */
    piece->blocks = malloc((count + 1) * sizeof *piece->blocks);
    if (!piece->blocks)
        return no_memory(piece);
    ro_image view = view_of(piece, true);
    view.maxval = work.in.maxval;
    if (count)
        status = noise_measure(piece->context, &view, piece->first - piece->above,
                               piece->extent.range, grid, first, end, piece->blocks);
    if (status != RO_OK)
        return status;
    *blocks = piece->blocks;
    *bytes = count * sizeof *piece->blocks;
    return RO_OK;
}

static ro_status estimate(struct trained_piece *piece, const void *blocks, size_t bytes)
{
    const size_t count = noise_grid_blocks(&piece->grid);
    if (!piece->divides) { /* all rows are here */
        ro_image view = view_of(piece, true);
        view.maxval = piece->work.in.maxval;
        return trained_noise(piece->context, &view, &piece->extent.noise);
    }
    if (!blocks || bytes != count * sizeof(struct noise_block))
        return ro_context_fail(piece->context, RO_E_ARGUMENT, "blocks of some pieces are missing");
    struct noise_block *all = malloc(bytes);
    if (!all)
        return no_memory(piece);
    memcpy(all, blocks, bytes);
    noise_of_blocks(all, count, noise_unit(&piece->work.in, piece->extent.range),
                    &piece->extent.noise);
    free(all);
    return RO_OK;
}

ro_status trained_piece_settle(struct trained_piece *piece, const void *blocks, size_t bytes)
{
    struct denoiser *work = &piece->work;
    ro_status status = denoiser_make_piece(work, piece->context, &piece->in, &piece->out,
                                           piece->options, &piece->extent);
    if (status == RO_OK && piece->estimates) {
        status = estimate(piece, blocks, bytes);
        if (status == RO_OK)
            status = denoiser_make_piece(work, piece->context, &piece->in, &piece->out,
                                         piece->options, &piece->extent);
    }
    if (status != RO_OK)
        return status;
    const ro_image view = view_of(piece, true);
    work->in.data = view.data;
    work->in.stride = view.stride;
    work->top = piece->first - piece->above;
    piece->settled = true;
    return trained_run_open(&piece->run, work, piece->first, piece->rows);
}

/* ---- The run -------------------------------------------------------------------------------- */

ro_status trained_piece_run(struct trained_piece *piece)
{
    if (!piece->settled)
        return ro_context_fail(piece->context, RO_E_STATE, "the noise was not settled");
    const ro_status status = trained_run_bands(&piece->run);
    if (status == RO_OK)
        trained_run_rests(&piece->run);
    return status;
}

void trained_piece_sums(struct trained_piece *piece, uint64_t sums[3])
{
    const struct trained_run *run = &piece->run;
    for (uint32_t y = 0; piece->settled && run->picture.carried && y < piece->rows; y++)
        for (int c = 0; c < piece->work.channels; c++)
            sums[c] = (sums[c] + run->carry[3 * ((size_t)y + 1) + (size_t)c]) % run->picture.total;
}

void trained_piece_round(struct trained_piece *piece, const uint64_t above[3], void *rows,
                         ptrdiff_t stride)
{
    struct trained_run *run = &piece->run;
    uint64_t start[3];
    for (int c = 0; c < 3; c++)
        start[c] =
            (trained_start(&run->picture) + above[c] % run->picture.total) % run->picture.total;
    piece->work.out.data = rows;
    piece->work.out.stride = stride;
    trained_run_write(run, start);
}

void trained_piece_close(struct trained_piece *piece)
{
    if (!piece)
        return;
    trained_run_close(&piece->run);
    free(piece->blocks);
    free(piece->samples);
    free(piece);
}

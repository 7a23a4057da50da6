/* SPDX-License-Identifier: MIT */
/*
 * The test card by ranks. Its upper half, the scene, is drawn by columns and the rest by rows, so
 * that files whose rows lie as they come get blocks of columns above and bands of rows below:
 *
 *     | 0 | 1 | 2 | 0 | 1 | 2 |
 *     |   |   |   |   |   |   |
 *     +-----------------------+
 *     |           1           |
 *     |           2           |
 *
 * Packed strips are whole rows: there every band is drawn for itself.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "output.h"
#include "roundoff/pieces.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 32 << 20, STRIP = 16 };

struct drawing {
    struct ranks ranks;
    struct times times;
    struct output out;
    ro_image shape;
    uint8_t *rows;
    size_t room;
    size_t pixel_bytes;
};

/* Draws a rectangle of the card, without gaps between its rows. */
static ro_status draw(struct drawing *card, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const double processor = process_seconds();
    ro_image part = card->shape;
    part.width = width;
    part.height = height;
    part.stride = (ptrdiff_t)(width * card->pixel_bytes);
    part.data = card->rows;
    if (card->times.begun <= 0)
        card->times.begun = MPI_Wtime() - card->times.start;
    const ro_status status =
        ro_testcard_part(card->ranks.context, card->shape.width, card->shape.height, x, y, &part);
    card->times.computing += process_seconds() - processor;
    return status;
}

static ro_status draw_bands(struct drawing *card, uint32_t first_row)
{
    const struct bands *bands = &card->out.bands;
    const size_t stride = card->shape.width * card->pixel_bytes;
    ro_status status = RO_OK;
    for (uint64_t band = (uint64_t)card->ranks.rank; band < bands->count && status == RO_OK;
         band += (uint64_t)card->ranks.count) {
        const uint32_t y = (uint32_t)band * bands->rows, rows = rows_of_band(bands, (uint32_t)band);
        if (y + rows <= first_row || band < bands->first)
            continue;
        status = draw(card, 0, y, card->shape.width, rows);
        if (status == RO_OK)
            status = output_band(&card->out, (uint32_t)band, card->rows, (ptrdiff_t)stride, NULL);
    }
    return status;
}

/* The scene and what is left of the band that it ends in. */
static ro_status draw_columns(struct drawing *card, uint32_t rows)
{
    const uint32_t width = card->shape.width;
    const size_t column = rows * card->pixel_bytes * STRIP;
    uint32_t block = (uint32_t)(card->room / column) * STRIP;
    block = block < STRIP ? STRIP : block;
    const uint32_t share = width / (uint32_t)card->ranks.count / STRIP * STRIP;
    block = share >= STRIP && share < block ? share : block;
    ro_status status = RO_OK;
    for (uint64_t x = (uint64_t)card->ranks.rank * block; x < width && status == RO_OK;
         x += (uint64_t)card->ranks.count * block) {
        const uint32_t count = width - (uint32_t)x < block ? width - (uint32_t)x : block;
        status = draw(card, (uint32_t)x, 0, count, rows);
        if (status == RO_OK)
            status = output_rectangle(&card->out, (uint32_t)x, 0, rows, card->rows,
                                      count * card->pixel_bytes, card->pixel_bytes);
    }
    return status;
}

static ro_status begin(struct drawing *card, const char *out, const ro_write_options *write,
                       const ro_mpi_options *how)
{
    const ro_image *shape = &card->shape;
    const ro_file_info info = {.format = shape->format,
                               .width = shape->width,
                               .height = shape->height,
                               .maxval = shape->maxval,
                               .pages = 1};
    const size_t row = ro_format_row_bytes(shape->format, shape->width);
    const struct output_needs needs = {.row_bytes = 2 * row,
                                       .mark = mark_of(&shape->format, sizeof shape->format, 0)};
    card->pixel_bytes = ro_format_row_bytes(shape->format, 1);
    ro_status status =
        output_open(&card->out, &card->ranks, &card->times, out, &info, write, how, &needs);
    if (status != RO_OK)
        return status;
    const size_t column = (size_t)shape->height * card->pixel_bytes * STRIP;
    card->room = row * card->out.bands.rows;
    card->room = card->room > BLOCK_BYTES ? card->room : BLOCK_BYTES;
    card->room = card->room > column ? card->room : column;
    card->rows = malloc(card->room);
    if (!card->rows)
        status =
            ro_context_fail(card->ranks.context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                            card->out.bands.rows, shape->width);
    return ranks_agree(&card->ranks, status);
}

static ro_status draw_all(struct drawing *card)
{
    const struct bands *bands = &card->out.bands;
    /* The scene ends above 0.51 of the height. */
    uint32_t scene = (uint32_t)(card->shape.height * UINT64_C(51) / 100) / bands->rows;
    if (card->out.about->bytes == 0 || card->out.keeps || scene < 2)
        return draw_bands(card, 0);
    ro_status status = draw_columns(card, scene * bands->rows);
    return status == RO_OK ? draw_bands(card, scene * bands->rows) : status;
}

ro_status ro_mpi_testcard(MPI_Comm comm, ro_context *context, const ro_image *shape,
                          const char *out, const ro_write_options *write,
                          const ro_mpi_options *given, ro_mpi_report *report)
{
    struct drawing card = {.times = {.start = MPI_Wtime()},
                           .shape = shape ? *shape : (ro_image){0},
                           .out = {.fd = -1, .checkpoint = {.fd = -1}}};
    ro_mpi_options how = RO_MPI_OPTIONS;
    if (report)
        *report = (ro_mpi_report){0};
    ro_status status = ranks_open(&card.ranks, comm, context);
    if (status != RO_OK)
        return status;
    status = ranks_agree(&card.ranks, MISSING(context, shape, out)
                                          ? RO_E_ARGUMENT
                                          : take_options(context, given, &how, "RO_MPI_OPTIONS"));
    if (status == RO_OK)
        status = begin(&card, out, write, &how);
    bool alone = false;
    if (status == RO_OK) {
        status = draw_all(&card);
        alone = status != RO_OK;
    }
    if (status == RO_OK)
        status = output_commit(&card.out);
    if (report)
        report->alone = alone;
    if (status == RO_OK && report) {
        *report = (ro_mpi_report){.run = *ro_context_report(context),
                                  .bands = card.out.bands.count,
                                  .rows = card.out.bands.rows};
        report->run.method = "testcard";
        report->run.width = shape->width;
        report->run.height = shape->height;
        ranks_report(&card.ranks, &card.times, report->run.threads, report);
    }
    output_close(&card.out);
    free(card.rows);
    if (!alone)
        ranks_close(&card.ranks);
    return status;
}

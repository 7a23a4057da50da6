/* SPDX-License-Identifier: MIT */
/*
 * Rounding a field by rows of hogels, which go round the ranks. Hogels need nothing of each other
 * but the gain, and that needs the energy of the whole field: a first pass over it, each rank some
 * rows, whose energies are added up in the order of rows, rank after rank, so that the sum is that
 * of one process to the last bit.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "output.h"
#include "roundoff/command.h"
#include "roundoff/pieces.h"
#include "roundoff_io_pieces.h"

#include <stdlib.h>

struct plate {
    struct ranks ranks;
    struct times times;
    struct output out;
    ro_hologram_options options;
    const ro_modulator *modulator;
    ro_field_reader *reader;
    ro_field whole; /* its shape */
    ro_field rows;  /* as many as a hogel has */
    uint8_t *numbers;
    double energy, gain;
    uint64_t clips;
};

static ro_status read_rows(struct plate *plate, uint32_t y, uint32_t count, ro_field *rows)
{
    const double start = MPI_Wtime();
    *rows = plate->rows;
    rows->height = count;
    const ro_status status = ro_field_reader_rows(plate->reader, y, rows);
    plate->times.reading += MPI_Wtime() - start;
    return status;
}

/* ---- The energy ----------------------------------------------------------------------------- */

static ro_status energies_of(struct plate *plate, uint32_t first, uint32_t end, double *energies)
{
    ro_status status = RO_OK;
    for (uint32_t y = first; y < end && status == RO_OK; y += plate->rows.height) {
        const uint32_t left = end - y;
        ro_field rows;
        status = read_rows(plate, y, left < plate->rows.height ? left : plate->rows.height, &rows);
        const double processor = process_seconds();
        if (status == RO_OK)
            status = ro_hologram_energy(plate->ranks.context, &rows, &plate->options,
                                        energies + (y - first));
        plate->times.computing += process_seconds() - processor;
    }
    return status;
}

/* Collective. */
static ro_status find_energy(struct plate *plate)
{
    const struct ranks *ranks = &plate->ranks;
    const uint64_t height = plate->whole.height, count = (uint64_t)ranks->count;
    const uint32_t first = (uint32_t)(height * (uint64_t)ranks->rank / count);
    const uint32_t end = (uint32_t)(height * ((uint64_t)ranks->rank + 1) / count);
    double *energies = malloc((end - first + 1) * sizeof *energies);
    ro_status status = energies
                           ? energies_of(plate, first, end, energies)
                           : ro_context_fail(ranks->context, RO_E_MEMORY, "no memory for sums");
    status = ranks_agree(ranks, status);
    if (status == RO_OK && ranks->rank > 0)
        MPI_Recv(&plate->energy, 1, MPI_DOUBLE, ranks->rank - 1, TAG_ENERGY, ranks->comm,
                 MPI_STATUS_IGNORE);
    for (uint32_t y = first; status == RO_OK && y < end; y++)
        plate->energy += energies[y - first];
    if (status == RO_OK && ranks->rank + 1 < ranks->count)
        MPI_Send(&plate->energy, 1, MPI_DOUBLE, ranks->rank + 1, TAG_ENERGY, ranks->comm);
    if (status == RO_OK)
        MPI_Bcast(&plate->energy, 1, MPI_DOUBLE, ranks->count - 1, ranks->comm);
    free(energies);
    return status;
}

/* ---- Rows of hogels ------------------------------------------------------------------------- */

static ro_status round_rows(struct plate *plate, uint32_t y, uint32_t count, uint8_t *numbers)
{
    const ro_hologram_piece piece = {y, plate->whole.height, plate->energy};
    const uint32_t width = plate->whole.width;
    ro_image image = ro_image_view(RO_INDEX8, width, count, numbers);
    ro_hologram_report report = {.size = sizeof report};
    ro_field rows;
    ro_status status = read_rows(plate, y, count, &rows);
    if (status == RO_OK && plate->times.begun <= 0)
        plate->times.begun = MPI_Wtime() - plate->times.start;
    const double processor = process_seconds();
    if (status == RO_OK)
        status = ro_hologram_quantize_piece(plate->ranks.context, &rows, &image, &plate->options,
                                            &piece, &report);
    if (status == RO_OK && plate->modulator)
        status = ro_modulator_drive(plate->ranks.context, plate->modulator, &image);
    plate->times.computing += process_seconds() - processor;
    plate->clips += report.clips;
    plate->gain = report.gain;
    ro_free(report.hogel);
    return status;
}

static ro_status run_band(struct plate *plate, uint32_t band)
{
    const struct bands *bands = &plate->out.bands;
    const uint32_t first = band * bands->rows, rows = rows_of_band(bands, band);
    const size_t stride = plate->whole.width;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < rows && status == RO_OK; y += plate->rows.height) {
        const uint32_t left = rows - y;
        status = round_rows(plate, first + y, left < plate->rows.height ? left : plate->rows.height,
                            plate->numbers + y * stride);
    }
    if (status != RO_OK)
        return status;
    return output_band(&plate->out, band, plate->numbers, (ptrdiff_t)stride, NULL);
}

static ro_status run_bands(struct plate *plate)
{
    const struct bands *bands = &plate->out.bands;
    ro_status status = RO_OK;
    for (uint64_t band = (uint64_t)plate->ranks.rank; band < bands->count && status == RO_OK;
         band += (uint64_t)plate->ranks.count)
        if (band >= bands->first)
            status = run_band(plate, (uint32_t)band);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static ro_status take_memory(struct plate *plate)
{
    const uint32_t width = plate->whole.width;
    ro_status status =
        ro_field_alloc(plate->ranks.context, width, plate->rows.height, &plate->rows);
    plate->numbers = malloc((size_t)width * plate->out.bands.rows);
    if (status == RO_OK && !plate->numbers)
        status =
            ro_context_fail(plate->ranks.context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                            plate->out.bands.rows, width);
    return status;
}

static ro_status begin(struct plate *plate, const char *in, const char *out, uint32_t largest,
                       const ro_write_options *write, const ro_mpi_options *how)
{
    const struct ranks *ranks = &plate->ranks;
    const ro_optics *optics = &plate->options.optics;
    const uint64_t mark =
        mark_of(optics, offsetof(ro_optics, hogel) + sizeof optics->hogel, file_mark(in));
    uint32_t rows = 1;
    ro_status status = ro_field_reader_open(ranks->context, in, &plate->whole, &plate->reader);
    if (status == RO_OK)
        status = ro_hologram_rows(ranks->context, &plate->options, &plate->whole, &rows);
    status = ranks_agree(ranks, status);
    if (status == RO_OK)
        status = ranks_same(ranks, mark, "input and optics");
    if (status != RO_OK)
        return status;
    const ro_file_info info = {.format = RO_GREY8,
                               .width = plate->whole.width,
                               .height = plate->whole.height,
                               .maxval = largest,
                               .pages = 1};
    const struct output_needs needs = {
        .row_bytes = (size_t)info.width * 9, .mark = mark, .whole = rows};
    status = output_open(&plate->out, ranks, &plate->times, out, &info, write, how, &needs);
    if (status != RO_OK)
        return status;
    /* Where rows can be parted anywhere, as many as a band has are read at a time. */
    plate->rows.height = rows > 1 ? rows : plate->out.bands.rows;
    status = ranks_agree(ranks, take_memory(plate));
    return status == RO_OK ? find_energy(plate) : status;
}

static void tell(const struct plate *plate, ro_mpi_report *report)
{
    const ro_report *run = ro_context_report(plate->ranks.context);
    *report = (ro_mpi_report){.run = *run,
                              .bands = plate->out.bands.count,
                              .rows = plate->out.bands.rows,
                              .first = plate->out.bands.first,
                              .clips = plate->clips,
                              .gain = plate->gain};
    report->run.width = plate->whole.width;
    report->run.height = plate->whole.height;
    MPI_Allreduce(MPI_IN_PLACE, &report->clips, 1, MPI_UINT64_T, MPI_SUM, plate->ranks.comm);
    MPI_Allreduce(MPI_IN_PLACE, &report->gain, 1, MPI_DOUBLE, MPI_MAX, plate->ranks.comm);
    ranks_report(&plate->ranks, &plate->times, run->threads, report);
}

ro_status ro_mpi_hologram(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_hologram_options *options, const ro_modulator *modulator,
                          uint32_t largest, const ro_write_options *write,
                          const ro_mpi_options *given, ro_mpi_report *report)
{
    struct plate plate = {.times = {.start = MPI_Wtime()},
                          .options = RO_HOLOGRAM_OPTIONS,
                          .modulator = modulator,
                          .out = {.fd = -1, .checkpoint = {.fd = -1}}};
    ro_mpi_options how = RO_MPI_OPTIONS;
    bool alone = false;
    if (report)
        *report = (ro_mpi_report){0};
    ro_status status = ranks_open(&plate.ranks, comm, context);
    if (status != RO_OK)
        return status;
    status = MISSING(context, in, out) ? RO_E_ARGUMENT
                                       : take_options(context, given, &how, "RO_MPI_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, options, &plate.options, "RO_HOLOGRAM_OPTIONS");
    plate.options.measure = 0;
    status = ranks_agree(&plate.ranks, status);
    if (status == RO_OK)
        status = begin(&plate, in, out, largest ? largest : 255, write, &how);
    if (status == RO_OK) {
        status = run_bands(&plate);
        alone = status != RO_OK;
    }
    if (status == RO_OK)
        status = output_commit(&plate.out);
    if (status == RO_OK && report)
        tell(&plate, report);
    if (report)
        report->alone = alone;
    ro_field_reader_close(plate.reader);
    output_close(&plate.out);
    ro_field_free(&plate.rows);
    free(plate.numbers);
    if (!alone)
        ranks_close(&plate.ranks);
    return status;
}

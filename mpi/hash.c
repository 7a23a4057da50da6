/* SPDX-License-Identifier: MIT */
/*
 * The hash of a picture, which takes its rows in order: bands go round the ranks, each reads and
 * unpacks its own at once and waits for the state of the hash from the band before. Hashing is
 * short beside reading.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "input.h"
#include "roundoff/pieces.h"

#include <stdlib.h>

enum { BAND_BYTES = 8 << 20, USUAL_ROWS = 256 };

struct hashing {
    struct ranks ranks;
    struct times times;
    struct input in;
    uint32_t rows, bands;
    uint8_t *samples;
    ro_hash_state state;
};

static ro_status run_band(struct hashing *h, uint64_t band)
{
    const ro_file_info *info = &h->in.info;
    const struct ranks *ranks = &h->ranks;
    const uint32_t y = (uint32_t)band * h->rows, left = info->height - y;
    const uint32_t count = left < h->rows ? left : h->rows;
    const ro_image rows = {.format = info->format,
                           .width = info->width,
                           .height = count,
                           .maxval = info->maxval,
                           .stride = (ptrdiff_t)h->in.row_bytes,
                           .data = h->samples};
    const int before = (ranks->rank + ranks->count - 1) % ranks->count;
    ro_status status = input_rows(&h->in, y, count, h->samples);
    const double start = MPI_Wtime();
    if (status == RO_OK && band > 0 && ranks->count > 1) {
        MPI_Request request;
        MPI_Irecv(&h->state, sizeof h->state, MPI_BYTE, before, TAG_HASH, ranks->comm, &request);
        status = ranks_wait(ranks, &request);
    }
    if (h->times.begun <= 0)
        h->times.begun = MPI_Wtime() - h->times.start;
    h->times.waiting += MPI_Wtime() - start;
    const double processor = process_seconds();
    if (status == RO_OK)
        status = ro_hash_rows(ranks->context, &h->state, &rows);
    h->times.computing += process_seconds() - processor;
    if (status == RO_OK && band + 1 < h->bands && ranks->count > 1) {
        MPI_Send(&h->state, sizeof h->state, MPI_BYTE, (ranks->rank + 1) % ranks->count, TAG_HASH,
                 ranks->comm);
        h->times.sent += sizeof h->state;
    }
    if (status == RO_OK && ranks->rank == 0)
        status = ro_context_progress(ranks->context, "bands", (double)(band + 1) / h->bands);
    return status;
}

static ro_status begin(struct hashing *h, const char *path, const ro_read_options *read,
                       uint32_t rows)
{
    ro_status status = input_open(&h->in, &h->ranks, &h->times, path, read);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = &h->in.info;
    if (info->stack > 1)
        return ro_context_fail(h->ranks.context, RO_E_UNSUPPORTED,
                               "%s is a stack of %u pages; ranks hash a picture of one page", path,
                               info->stack);
    const ro_image shape = {.format = info->format,
                            .width = info->width,
                            .height = info->height,
                            .maxval = info->maxval,
                            .stride = 0,
                            .data = NULL};
    const size_t fit = BAND_BYTES / (h->in.row_bytes ? h->in.row_bytes : 1);
    h->rows = rows ? rows : fit < 1 ? 1 : fit < USUAL_ROWS ? (uint32_t)fit : USUAL_ROWS;
    h->rows = h->rows < info->height ? h->rows : info->height;
    h->bands = info->height / h->rows + (info->height % h->rows != 0);
    status = ro_hash_begin(h->ranks.context, &shape, &h->state);
    h->samples = malloc(h->in.row_bytes * h->rows);
    if (status == RO_OK && !h->samples)
        status = ro_context_fail(h->ranks.context, RO_E_MEMORY,
                                 "no memory for %u rows of %u pixels", h->rows, info->width);
    return ranks_agree(&h->ranks, status);
}

static void tell(const struct hashing *h, ro_mpi_report *report)
{
    *report = (ro_mpi_report){.run = {.method = "hash",
                                      .width = h->in.info.width,
                                      .height = h->in.info.height,
                                      .threads = 1},
                              .bands = h->bands,
                              .rows = h->rows};
    ranks_report(&h->ranks, &h->times, 1, report);
}

ro_status ro_mpi_hash(MPI_Comm comm, ro_context *context, const char *path,
                      const ro_read_options *read, const ro_mpi_options *given,
                      char text[RO_HASH_TEXT], ro_mpi_report *report)
{
    struct hashing h = {.times = {.start = MPI_Wtime()}};
    ro_mpi_options how = RO_MPI_OPTIONS;
    bool alone = false;
    if (report)
        *report = (ro_mpi_report){0};
    ro_status status = ranks_open(&h.ranks, comm, context);
    if (status != RO_OK)
        return status;
    status = ranks_agree(&h.ranks, MISSING(context, path, text)
                                       ? RO_E_ARGUMENT
                                       : take_options(context, given, &how, "RO_MPI_OPTIONS"));
    if (status == RO_OK)
        status = begin(&h, path, read, how.rows);
    if (status == RO_OK) {
        for (uint64_t band = (uint64_t)h.ranks.rank; band < h.bands && status == RO_OK;
             band += (uint64_t)h.ranks.count)
            status = run_band(&h, band);
        alone = status != RO_OK;
    }
    if (status == RO_OK) {
        MPI_Bcast(&h.state, sizeof h.state, MPI_BYTE,
                  (int)((h.bands - 1) % (uint32_t)h.ranks.count), h.ranks.comm);
        status = ro_hash_end(context, &h.state, text);
    }
    if (status == RO_OK && report)
        tell(&h, report);
    if (report)
        report->alone = alone;
    input_close(&h.in);
    free(h.samples);
    if (!alone)
        ranks_close(&h.ranks);
    return status;
}

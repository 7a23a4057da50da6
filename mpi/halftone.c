/* SPDX-License-Identifier: MIT */
/*
 * Halftoning by bands that go round the ranks:
 *
 *     rank 0   band 0 ########>      band 3 ###>
 *     rank 1      band 1 ########>
 *     rank 2         band 2 ########>
 *
 * A band is a stream of the plan (ro_halftone_begin). While a rank pushes its rows, a second thread
 * takes pieces of columns from the rank before and gives them to the stream, and sends on what the
 * stream has finished; sends do not wait. With one rank the messages go to itself.
 */
#include "files.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, USUAL_ROWS = 256, LEAST_PIECE = 256, MOST_PIECE = 4096, SLOTS = 2 };

/* A piece's numbers on their way, of the last bands: sends are waited for before a slot is used
 * again, when the rank that receives has long begun its band. */
struct slot {
    int32_t *values;
    MPI_Request *requests;
    int pending;
};

struct pipeline {
    MPI_Comm comm;
    ro_context *context;
    ro_plan *plan;
    int rank, ranks, lines;
    uint32_t width, height, rows, bands, piece, pieces;
    struct slot slots[SLOTS];
    int32_t *received;
    double pushing;
};

/* ---- What bands hand on ------------------------------------------------------------------------
 */

struct courier {
    struct pipeline *pipeline;
    ro_halftone_stream *stream;
    struct slot *slot;
    bool above, below;
    ro_status status;
};

static uint32_t columns_of(const struct pipeline *pipeline, uint32_t piece)
{
    const uint32_t left = pipeline->width - piece * pipeline->piece;
    return left < pipeline->piece ? left : pipeline->piece;
}

static void receive(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    const uint32_t count = columns_of(way, piece);
    MPI_Recv(way->received, (int)count * way->lines, MPI_INT32_T,
             (way->rank + way->ranks - 1) % way->ranks, TAG, way->comm, MPI_STATUS_IGNORE);
    courier->status =
        ro_halftone_carry_in(courier->stream, piece * way->piece, count, way->received);
}

static void send(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    struct slot *slot = courier->slot;
    const uint32_t count = columns_of(way, piece);
    int32_t *values = slot->values + (size_t)piece * way->piece * (size_t)way->lines;
    courier->status = ro_halftone_carry_out(courier->stream, piece * way->piece, count, values);
    if (courier->status == RO_OK)
        MPI_Isend(values, (int)count * way->lines, MPI_INT32_T, (way->rank + 1) % way->ranks, TAG,
                  way->comm, &slot->requests[slot->pending++]);
}

static void *carry(void *data)
{
    struct courier *courier = data;
    const struct pipeline *way = courier->pipeline;
    uint32_t received = courier->above ? 0 : way->pieces, sent = courier->below ? 0 : way->pieces;
    while ((received < way->pieces || sent < way->pieces) && courier->status == RO_OK) {
        const uint32_t ready = ro_halftone_carry_ready(courier->stream);
        if (sent < way->pieces &&
            (received == way->pieces || sent * way->piece + columns_of(way, sent) <= ready))
            send(courier, sent++);
        else
            receive(courier, received++);
    }
    if (courier->status != RO_OK)
        ro_context_cancel(way->context); /* the push would wait for ever */
    return NULL;
}

/* ---- Bands -------------------------------------------------------------------------------------
 */

static ro_status push_rows(struct pipeline *way, ro_halftone_stream *stream,
                           const struct picture_file *in, const struct picture_file *out,
                           uint32_t rows, const uint8_t *from, uint8_t *to)
{
    ro_status status = RO_OK;
    const double start = MPI_Wtime();
    for (uint32_t pushed = 0, pulled = 0, taken, given; pulled < rows && status == RO_OK;) {
        status = ro_halftone_push(stream, from + (size_t)pushed * in->row_bytes,
                                  (ptrdiff_t)in->row_bytes, rows - pushed, &taken);
        pushed += taken;
        if (status == RO_OK) {
            status = ro_halftone_pull(stream, to + (size_t)pulled * out->row_bytes,
                                      (ptrdiff_t)out->row_bytes, rows - pulled, &given);
            pulled += given;
        }
    }
    way->pushing += MPI_Wtime() - start;
    return status;
}

static ro_status run_band(struct pipeline *way, uint32_t band, const struct picture_file *in,
                          const struct picture_file *out, uint8_t *from, uint8_t *to)
{
    const uint32_t y = band * way->rows;
    const uint32_t rows = way->height - y < way->rows ? way->height - y : way->rows;
    struct slot *slot = &way->slots[band / (uint32_t)way->ranks % SLOTS];
    struct courier courier = {.pipeline = way,
                              .slot = slot,
                              .above = way->lines > 0 && band > 0,
                              .below = way->lines > 0 && band + 1 < way->bands};
    pthread_t thread;
    MPI_Waitall(slot->pending, slot->requests, MPI_STATUSES_IGNORE);
    slot->pending = 0;
    ro_status status = picture_read(in, way->context, y, rows, from);
    if (status == RO_OK)
        status = ro_halftone_begin(way->plan, y, rows, &courier.stream);
    if (status != RO_OK)
        return status;
    if (pthread_create(&thread, NULL, carry, &courier) != 0)
        return ro_context_fail(way->context, RO_E_MEMORY, "no thread can be started");
    status = push_rows(way, courier.stream, in, out, rows, from, to);
    if (status != RO_OK)
        ro_context_cancel(way->context);
    pthread_join(thread, NULL);
    ro_halftone_close(courier.stream);
    if (status == RO_OK)
        status = courier.status;
    return status == RO_OK ? picture_write(out, way->context, y, rows, to) : status;
}

static ro_status run_bands(struct pipeline *way, const struct picture_file *in,
                           const struct picture_file *out)
{
    const size_t values = (size_t)way->width * (size_t)way->lines;
    uint8_t *from = malloc(in->row_bytes * way->rows), *to = malloc(out->row_bytes * way->rows);
    bool enough = from && to;
    way->received = malloc(((size_t)way->piece * (size_t)way->lines + 1) * sizeof(int32_t));
    for (int i = 0; i < SLOTS; i++) {
        way->slots[i].values = malloc((values + 1) * sizeof(int32_t));
        way->slots[i].requests = malloc(way->pieces * sizeof(MPI_Request));
        enough = enough && way->slots[i].values && way->slots[i].requests;
    }
    ro_status status = RO_OK;
    if (!enough || !way->received)
        status = ro_context_fail(way->context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                                 way->rows, way->width);
    for (uint64_t band = (uint64_t)way->rank; band < way->bands && status == RO_OK;
         band += (uint64_t)way->ranks)
        status = run_band(way, (uint32_t)band, in, out, from, to);
    for (int i = 0; i < SLOTS; i++) {
        if (status == RO_OK)
            MPI_Waitall(way->slots[i].pending, way->slots[i].requests, MPI_STATUSES_IGNORE);
        free(way->slots[i].values);
        free(way->slots[i].requests);
    }
    free(way->received);
    free(from);
    free(to);
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------------
 */

/* The first failure that ranks have before rows run, which all then return. */
static ro_status agree(MPI_Comm comm, ro_context *context, ro_status status)
{
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
    if (status == RO_OK && worst != RO_OK)
        return ro_context_fail(context, (ro_status)worst, "another rank could not begin");
    return status;
}

static void cut(struct pipeline *way, uint32_t rows)
{
    const uint32_t sixteenth = way->width / 16;
    way->rows = rows ? rows : USUAL_ROWS;
    way->rows = way->rows < way->height ? way->rows : way->height;
    way->bands = (way->height + way->rows - 1) / way->rows;
    way->piece = sixteenth < LEAST_PIECE  ? LEAST_PIECE
                 : sixteenth > MOST_PIECE ? MOST_PIECE
                                          : sixteenth;
    way->pieces = (way->width + way->piece - 1) / way->piece;
}

static ro_status begin(struct pipeline *way, const struct picture_file *in, const char *out,
                       const ro_halftone_options *options)
{
    ro_plan_info info;
    const ro_format format = picture_format(out);
    if (format == RO_FORMAT_NONE)
        return ro_context_fail(way->context, RO_E_UNSUPPORTED,
                               "%s: ranks write PBM, PGM and NPY together", out);
    ro_status status = ro_halftone_plan(way->context, &in->shape, format, options, &way->plan);
    if (status == RO_OK)
        status = ro_plan_query(way->plan, &info);
    if (status == RO_OK && info.carried < 0)
        status = ro_context_fail(way->context, RO_E_UNSUPPORTED,
                                 "%s needs the whole image and cannot be spread over ranks",
                                 info.method);
    way->lines = status == RO_OK ? info.carried : 0;
    return status;
}

ro_status ro_mpi_halftone(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_halftone_options *options, uint32_t rows, ro_mpi_report *report)
{
    struct picture_file from, to;
    struct pipeline way = {.comm = comm, .context = context};
    const double start = MPI_Wtime();
    MPI_Comm_rank(comm, &way.rank);
    MPI_Comm_size(comm, &way.ranks);
    ro_status status = picture_open(comm, context, in, &from);
    way.width = from.shape.width;
    way.height = from.shape.height;
    if (status == RO_OK)
        status = begin(&way, &from, out, options);
    status = agree(comm, context, status);
    if (status == RO_OK) {
        cut(&way, rows);
        status =
            agree(comm, context, picture_create(comm, context, out, way.width, way.height, &to));
        if (status == RO_OK)
            status = run_bands(&way, &from, &to);
        if (status != RO_OK) { /* alone, perhaps: closing files needs all */
            unlink(to.temporary);
            return status;
        }
        status = picture_close(comm, context, &to, true);
    }
    picture_close(comm, context, &from, false);
    ro_plan_free(way.plan);
    double times[2] = {MPI_Wtime() - start, way.pushing};
    if (status != RO_OK || !report)
        return status;
    *report = (ro_mpi_report){.run = *ro_context_report(context),
                              .ranks = way.ranks,
                              .bands = way.bands,
                              .rows = way.rows,
                              .columns = way.piece};
    MPI_Allreduce(&times[0], &report->seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(&times[1], &report->pushing, 1, MPI_DOUBLE, MPI_SUM, comm);
    report->pushing /= report->seconds * way.ranks;
    return RO_OK;
}

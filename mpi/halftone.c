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
 * stream has finished; sends do not wait.
 */
#include "core/options.h"
#include "input.h"
#include "output.h"
#include "pace.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { SLOTS = 2, MOST_ABREAST = 64 };

/* What a band hands on, piece after piece, on its way: sends are waited for before a slot is used
 * again, when the rank that receives has long begun its band. */
struct slot {
    int32_t *values;
    MPI_Request *requests;
    uint32_t pending;
};

struct pipeline {
    struct ranks ranks;
    struct times times;
    struct input in;
    struct output out;
    ro_plan *plan;
    int lines, threads;
    uint32_t lanes; /* rows that run at the same time in a thread */
    uint32_t width, piece, pieces;
    uint8_t *from, *to;
    size_t to_stride;
    struct slot slots[SLOTS];
    int32_t *received;
    int32_t *resumed; /* what the band before the first hands on, of an earlier run; or NULL */
};

/* ---- What bands hand on --------------------------------------------------------------------- */

struct courier {
    struct pipeline *pipeline;
    ro_halftone_stream *stream;
    struct slot *slot;
    const int32_t *given; /* what comes in, if it is known already */
    bool above, below;
    ro_status status;
    double seconds; /* of a processor */
};

static uint32_t columns_of(const struct pipeline *way, uint32_t piece)
{
    const uint32_t left = way->width - piece * way->piece;
    return left < way->piece ? left : way->piece;
}

static size_t place_of(const struct pipeline *way, uint32_t piece)
{
    return (size_t)piece * way->piece * (size_t)way->lines;
}

static void receive(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    const uint32_t count = columns_of(way, piece);
    const int before = (way->ranks.rank + way->ranks.count - 1) % way->ranks.count;
    const int32_t *values = way->received;
    MPI_Request request;
    if (courier->given) {
        values = courier->given + place_of(way, piece);
    } else {
        MPI_Irecv(way->received, (int)count * way->lines, MPI_INT32_T, before, TAG_CARRIED,
                  way->ranks.comm, &request);
        courier->status = ranks_wait(&way->ranks, &request);
    }
    if (courier->status == RO_OK)
        courier->status = ro_halftone_carry_in(courier->stream, piece * way->piece, count, values);
}

static void send(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    struct slot *slot = courier->slot;
    const uint32_t count = columns_of(way, piece);
    int32_t *values = slot->values + place_of(way, piece);
    courier->status = ro_halftone_carry_out(courier->stream, piece * way->piece, count, values);
    if (courier->status != RO_OK)
        return;
    MPI_Isend(values, (int)count * way->lines, MPI_INT32_T,
              (way->ranks.rank + 1) % way->ranks.count, TAG_CARRIED, way->ranks.comm,
              &slot->requests[slot->pending++]);
    way->times.sent += count * (uint64_t)way->lines * sizeof *values;
}

static void *carry(void *data)
{
    struct courier *courier = data;
    struct pipeline *way = courier->pipeline;
    const double start = thread_seconds();
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
        ro_context_cancel(way->ranks.context); /* the push would wait for ever */
    courier->seconds = thread_seconds() - start;
    return NULL;
}

/* ---- Bands ---------------------------------------------------------------------------------- */

static ro_status push_rows(struct pipeline *way, ro_halftone_stream *stream, uint32_t rows)
{
    const size_t stride = way->in.row_bytes;
    ro_status status = RO_OK;
    for (uint32_t pushed = 0, pulled = 0, taken, given; pulled < rows && status == RO_OK;) {
        status = ro_halftone_push(stream, way->from + pushed * stride, (ptrdiff_t)stride,
                                  rows - pushed, &taken);
        pushed += taken;
        if (status == RO_OK) {
            status = ro_halftone_pull(stream, way->to + pulled * way->to_stride,
                                      (ptrdiff_t)way->to_stride, rows - pulled, &given);
            pulled += given;
        }
    }
    return status;
}

/* Signals are for the caller's thread. */
static bool start_courier(pthread_t *thread, struct courier *courier)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, carry, courier) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* A rank alone needs no courier: all is there before a band and after it. */
static ro_status compute_alone(struct pipeline *way, const struct courier *courier, uint32_t rows)
{
    ro_status status = RO_OK;
    for (uint32_t i = 0; courier->above && i < way->pieces && status == RO_OK; i++)
        status = ro_halftone_carry_in(courier->stream, i * way->piece, columns_of(way, i),
                                      courier->given + place_of(way, i));
    if (status == RO_OK)
        status = push_rows(way, courier->stream, rows);
    for (uint32_t i = 0; courier->below && i < way->pieces && status == RO_OK; i++)
        status = ro_halftone_carry_out(courier->stream, i * way->piece, columns_of(way, i),
                                       courier->slot->values + place_of(way, i));
    return status;
}

/* Pushes a band while a courier carries. */
static ro_status compute_with(struct pipeline *way, struct courier *courier, uint32_t rows)
{
    const bool carries = courier->above || courier->below;
    pthread_t thread;
    if (carries && !start_courier(&thread, courier))
        return ro_context_fail(way->ranks.context, RO_E_MEMORY, "no thread can be started");
    ro_status status = push_rows(way, courier->stream, rows);
    if (status != RO_OK)
        ro_context_cancel(way->ranks.context);
    if (carries)
        pthread_join(thread, NULL);
    return courier->status != RO_OK ? courier->status : status;
}

static ro_status compute(struct pipeline *way, struct courier *courier, uint32_t rows)
{
    const double start = MPI_Wtime(), processor = process_seconds();
    const ro_status status = way->ranks.count == 1 ? compute_alone(way, courier, rows)
                                                   : compute_with(way, courier, rows);
    const double computing = process_seconds() - processor - courier->seconds;
    way->times.computing += computing;
    way->times.waiting += MPI_Wtime() - start - computing / way->threads;
    return status;
}

static ro_status run_band(struct pipeline *way, uint32_t band)
{
    const struct bands *bands = &way->out.bands;
    const uint32_t y = band * bands->rows, rows = rows_of_band(bands, band);
    struct slot *slot = &way->slots[band / (uint32_t)way->ranks.count % SLOTS];
    const struct slot *before = &way->slots[(band + 1) % SLOTS];
    struct courier courier = {.pipeline = way,
                              .slot = slot,
                              .given = band == bands->first    ? way->resumed
                                       : way->ranks.count == 1 ? before->values
                                                               : NULL,
                              .above = way->lines > 0 && band > 0,
                              .below = way->lines > 0 && band + 1 < bands->count};
    ro_status status = RO_OK;
    for (uint32_t i = 0; i < slot->pending && status == RO_OK; i++)
        status = ranks_wait(&way->ranks, &slot->requests[i]);
    slot->pending = 0;
    if (status == RO_OK)
        status = input_rows(&way->in, y, rows, way->from);
    if (status == RO_OK)
        status = ro_halftone_begin(way->plan, y, rows, &courier.stream);
    if (status != RO_OK)
        return status;
    if (way->times.begun <= 0)
        way->times.begun = MPI_Wtime() - way->times.start;
    status = compute(way, &courier, rows);
    ro_halftone_close(courier.stream);
    if (status != RO_OK)
        return status;
    return output_band(&way->out, band, way->to, (ptrdiff_t)way->to_stride,
                       courier.below ? slot->values : NULL);
}

static ro_status take_memory(struct pipeline *way)
{
    const size_t values = (size_t)way->width * (size_t)way->lines + 1, rows = way->out.bands.rows;
    way->from = malloc(way->in.row_bytes * rows);
    way->to = malloc(way->to_stride * rows);
    way->received = malloc(((size_t)way->piece * (size_t)way->lines + 1) * sizeof(int32_t));
    bool enough = way->from && way->to && way->received;
    for (int i = 0; i < SLOTS; i++) {
        way->slots[i].values = malloc(values * sizeof(int32_t));
        way->slots[i].requests = malloc(way->pieces * sizeof(MPI_Request));
        enough = enough && way->slots[i].values && way->slots[i].requests;
    }
    if (enough)
        return RO_OK;
    return ro_context_fail(way->ranks.context, RO_E_MEMORY, "no memory for %zu rows of %u pixels",
                           rows, way->width);
}

/* What an earlier run left for the first band, on the rank that has it. */
static ro_status take_up(struct pipeline *way)
{
    const struct bands *bands = &way->out.bands;
    if (!way->lines || !bands->first || bands->first == bands->count ||
        rank_of_band(&way->out, bands->first) != way->ranks.rank)
        return RO_OK;
    way->resumed = malloc((size_t)way->width * (size_t)way->lines * sizeof(int32_t));
    if (!way->resumed)
        return ro_context_fail(way->ranks.context, RO_E_MEMORY, "no memory for carried errors");
    return checkpoint_carried(&way->out.checkpoint, way->resumed);
}

static ro_status run_bands(struct pipeline *way)
{
    const struct bands *bands = &way->out.bands;
    const uint64_t ranks = (uint64_t)way->ranks.count;
    ro_status status = RO_OK;
    for (uint64_t band = (uint64_t)way->ranks.rank; band < bands->count && status == RO_OK;
         band += ranks)
        if (band >= bands->first)
            status = run_band(way, (uint32_t)band);
    for (int i = 0; i < SLOTS; i++)
        for (uint32_t k = 0; k < way->slots[i].pending && status == RO_OK; k++)
            status = ranks_wait(&way->ranks, &way->slots[i].requests[k]);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */

/* Rows of a band, if the caller does not say; 0: any, where nobody waits for it. What a checkpoint
 * holds is cut in a way that ranks do not change. */
static uint32_t find_pace(struct pipeline *way, bool checkpoint)
{
    const uint32_t ranks = (uint32_t)way->ranks.count;
    const struct pace pace = pace_of(way->width, way->in.info.height, way->lanes,
                                     (uint32_t)way->lines, ranks, (uint32_t)way->threads);
    way->piece = checkpoint ? pace_piece((uint32_t)way->lines) : pace.piece;
    way->pieces = way->width / way->piece + (way->width % way->piece != 0);
    return way->lines && ranks > 1 ? pace.rows : 0;
}

/* `abreast` as of ro_halftone_options. */
static ro_status make_plan(struct pipeline *way, ro_format format,
                           const ro_halftone_options *given, int abreast)
{
    const ro_file_info *info = &way->in.info;
    const ro_image shape = {info->format, info->width, info->height, info->maxval, 0, NULL};
    ro_halftone_options options = *given;
    ro_plan_info about;
    options.abreast = abreast;
    ro_plan_free(way->plan);
    way->plan = NULL;
    ro_status status = ro_halftone_plan(way->ranks.context, &shape, format, &options, &way->plan);
    if (status == RO_OK)
        status = ro_plan_query(way->plan, &about);
    if (status != RO_OK)
        return status;
    if (about.carried < 0)
        return ro_context_fail(way->ranks.context, RO_E_UNSUPPORTED,
                               "%s needs the whole image and cannot be spread over ranks",
                               about.method);
    way->lines = about.carried;
    way->threads = about.threads > 0 ? about.threads : 1;
    way->lanes = about.rows;
    way->width = info->width;
    return RO_OK;
}

static ro_status begin(struct pipeline *way, const char *in, const char *out,
                       const ro_halftone_options *options, const ro_read_options *read,
                       const ro_write_options *write, const ro_mpi_options *how,
                       ro_dropped *dropped)
{
    ro_file_info result = ro_halftone_result(options);
    ro_status status = RO_OK;
    if (write && write->split_inks)
        status = ro_context_fail(way->ranks.context, RO_E_UNSUPPORTED,
                                 "a file per ink cannot be written by ranks together; one .tif of "
                                 "four inks can");
    if (read && read->alpha == RO_ALPHA_KEEP)
        status =
            ro_context_fail(way->ranks.context, RO_E_UNSUPPORTED, "alpha cannot be kept by ranks");
    status = ranks_agree(&way->ranks, status);
    if (status == RO_OK)
        status = input_open(&way->in, &way->ranks, &way->times, in, read);
    if (status != RO_OK)
        return status;
    if (way->in.info.stack > 1)
        return ro_context_fail(way->ranks.context, RO_E_UNSUPPORTED,
                               "%s is a stack of %u pages; ranks share one of them", in,
                               way->in.info.stack);
    status = ranks_agree(&way->ranks, make_plan(way, result.format, options, 0));
    if (status == RO_OK)
        status = input_resolution(&way->in, out, write, read && read->strict, dropped);
    if (status != RO_OK)
        return status;
    const uint32_t usual = find_pace(way, how->checkpoint != NULL);
    result.width = way->width;
    result.height = way->in.info.height;
    result.dpi_x = way->in.info.dpi_x;
    result.dpi_y = way->in.info.dpi_y;
    result.stack = way->in.info.stack;
    way->to_stride = ro_format_row_bytes(result.format, result.width);
    const struct output_needs needs = {.row_bytes = way->in.row_bytes + way->to_stride,
                                       .carried = (uint64_t)way->lines * way->width,
                                       .rows = usual,
                                       .mark = way->in.mark};
    status = output_open(&way->out, &way->ranks, &way->times, out, &result, write, how, &needs);
    /* All rows of a band run at the same time: the next can begin when the last of them has passed
     * some columns. Alone a rank waits for nobody. */
    const uint32_t at_once = way->lanes * (uint32_t)way->threads;
    const uint32_t abreast = (way->out.bands.rows + at_once - 1) / at_once;
    if (status == RO_OK && way->lines && way->ranks.count > 1 && abreast > 1)
        status = ranks_agree(&way->ranks,
                             make_plan(way, result.format, options,
                                       (int)(abreast < MOST_ABREAST ? abreast : MOST_ABREAST)));
    return status;
}

static void end(struct pipeline *way)
{
    input_close(&way->in);
    output_close(&way->out);
    ro_plan_free(way->plan);
    for (int i = 0; i < SLOTS; i++) {
        free(way->slots[i].values);
        free(way->slots[i].requests);
    }
    free(way->received);
    free(way->resumed);
    free(way->from);
    free(way->to);
}

ro_status ro_mpi_halftone(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_halftone_options *given, const ro_read_options *read,
                          const ro_write_options *write, const ro_mpi_options *given_how,
                          ro_mpi_report *report)
{
    struct pipeline way = {.times = {.start = MPI_Wtime()},
                           .out = {.fd = -1, .checkpoint = {.fd = -1}}};
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    ro_mpi_options how = RO_MPI_OPTIONS;
    ro_dropped resolution = {0}, dropped;
    if (report)
        *report = (ro_mpi_report){0};
    ro_status status = ranks_open(&way.ranks, comm, context);
    if (status != RO_OK)
        return status;
    way.out.checkpoint.ranks = &way.ranks;
    status = ro_options_take(context, given, &options, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = ro_options_take(context, given_how, &how, "RO_MPI_OPTIONS");
    status = ranks_agree(&way.ranks, status);
    if (status == RO_OK)
        status = begin(&way, in, out, &options, read, write, &how, &resolution);
    if (status == RO_OK) {
        status = take_memory(&way);
        if (status == RO_OK)
            status = take_up(&way);
        status = ranks_agree(&way.ranks, status);
    }
    bool alone = false;
    if (status == RO_OK) {
        status = run_bands(&way);
        alone = status != RO_OK;
    }
    if (status == RO_OK)
        status = output_commit(&way.out);
    if (status == RO_OK && report) {
        input_dropped(&way.in, &dropped);
        *report = (ro_mpi_report){.run = *ro_context_report(context),
                                  .bands = way.out.bands.count,
                                  .rows = way.out.bands.rows,
                                  .first = way.out.bands.first,
                                  .columns = way.lines ? way.piece : 0,
                                  .dropped = resolution.what ? resolution : dropped};
        ranks_report(&way.ranks, &way.times, way.threads, report);
    }
    end(&way);
    if (report)
        report->alone = alone;
    if (!alone) /* closing needs all */
        ranks_close(&way.ranks);
    return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Halftoning by bands that go round the ranks:
 *
 *     rank 0   band 0 ########>      band 3 ###>
 *     rank 1      band 1 ########>
 *     rank 2         band 2 ########>
 *
 * A band is a stream of the plan (ro_stream_open_piece). The threads that compute it carry: they
 * receive a piece of columns from the rank before when they need it, and send on what they have
 * finished; sends do not wait. A thread for that alone would take a processor from those that
 * compute.
 */
#include "halftone.h"
#include "roundoff/pieces.h"
#include "roundoff_io_pieces.h"

#include "core/misuse.h"
#include "core/options.h"
#include "input.h"
#include "output.h"
#include "roundoff_io_command.h"

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
    const struct pace *given_pace;
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
    ro_stream *stream;
    struct slot *slot;
    const int32_t *given;    /* what comes in, if it is known already */
    uint32_t received, sent; /* pieces */
    ro_status in, out;       /* of different threads, as all that is received or sent */
    double waited;           /* seconds of a processor, watching for messages */
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

static ro_status receive(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    const uint32_t count = columns_of(way, piece);
    const int before = (way->ranks.rank + way->ranks.count - 1) % way->ranks.count;
    const int32_t *values = way->received;
    ro_status status = RO_OK;
    if (courier->given) {
        values = courier->given + place_of(way, piece);
    } else {
        const double start = thread_seconds();
        MPI_Request request;
        MPI_Irecv(way->received, (int)count * way->lines, MPI_INT32_T, before, TAG_CARRIED,
                  way->ranks.comm, &request);
        status = ranks_wait(&way->ranks, &request);
        courier->waited += thread_seconds() - start;
        if (way->times.begun <= 0)
            way->times.begun = MPI_Wtime() - way->times.start;
    }
    if (status != RO_OK)
        return status;
    return ro_halftone_carry_in(courier->stream, piece * way->piece, count, values);
}

static ro_status send(struct courier *courier, uint32_t piece)
{
    struct pipeline *way = courier->pipeline;
    struct slot *slot = courier->slot;
    const uint32_t count = columns_of(way, piece);
    int32_t *values = slot->values + place_of(way, piece);
    const ro_status status =
        ro_halftone_carry_out(courier->stream, piece * way->piece, count, values);
    if (status != RO_OK || way->ranks.count == 1)
        return status;
    MPI_Isend(values, (int)count * way->lines, MPI_INT32_T,
              (way->ranks.rank + 1) % way->ranks.count, TAG_CARRIED, way->ranks.comm,
              &slot->requests[slot->pending++]);
    way->times.sent += count * (uint64_t)way->lines * sizeof *values;
    return RO_OK;
}

/* Nobody may wait for what will not come. */
static void give_up_if(const struct courier *courier, ro_status status)
{
    if (status != RO_OK)
        ro_context_cancel(courier->pipeline->ranks.context);
}

static void bring(void *data, uint32_t columns)
{
    struct courier *courier = data;
    const struct pipeline *way = courier->pipeline;
    while (courier->received < way->pieces && courier->received * way->piece < columns &&
           courier->in == RO_OK)
        courier->in = receive(courier, courier->received++);
    give_up_if(courier, courier->in);
}

static void take(void *data, uint32_t ready)
{
    struct courier *courier = data;
    const struct pipeline *way = courier->pipeline;
    while (courier->sent < way->pieces && courier->out == RO_OK &&
           courier->sent * way->piece + columns_of(way, courier->sent) <= ready)
        courier->out = send(courier, courier->sent++);
    give_up_if(courier, courier->out);
}

/* ---- Bands ---------------------------------------------------------------------------------- */

static ro_status push_rows(struct pipeline *way, ro_stream *stream, uint32_t rows)
{
    const size_t stride = way->in.row_bytes;
    ro_status status = RO_OK;
    for (uint32_t pushed = 0, pulled = 0, taken, given; pulled < rows && status == RO_OK;) {
        status = ro_stream_push(stream, way->from + pushed * stride, (ptrdiff_t)stride,
                                rows - pushed, &taken);
        pushed += taken;
        if (status == RO_OK) {
            status = ro_stream_pull(stream, way->to + pulled * way->to_stride,
                                    (ptrdiff_t)way->to_stride, rows - pulled, &given);
            pulled += given;
        }
    }
    return status;
}

static ro_status compute(struct pipeline *way, struct courier *courier, uint32_t rows)
{
    const double start = MPI_Wtime(), processor = process_seconds();
    const ro_carrier carrier = {bring, take, courier};
    ro_status status = way->lines ? ro_halftone_carry_by(courier->stream, &carrier) : RO_OK;
    if (status == RO_OK)
        status = push_rows(way, courier->stream, rows);
    const double computing = process_seconds() - processor - courier->waited;
    way->times.computing += computing;
    way->times.waiting += MPI_Wtime() - start - computing / way->threads;
    return courier->in != RO_OK ? courier->in : courier->out != RO_OK ? courier->out : status;
}

static ro_status run_band(struct pipeline *way, uint32_t band)
{
    const struct bands *bands = &way->out.bands;
    const uint32_t y = band * bands->rows, rows = rows_of_band(bands, band);
    struct slot *slot = &way->slots[band / (uint32_t)way->ranks.count % SLOTS];
    const struct slot *before = &way->slots[(band + 1) % SLOTS];
    const bool above = way->lines > 0 && band > 0;
    const bool below = way->lines > 0 && band + 1 < bands->count;
    struct courier courier = {.pipeline = way,
                              .slot = slot,
                              .given = band == bands->first    ? way->resumed
                                       : way->ranks.count == 1 ? before->values
                                                               : NULL,
                              .received = above ? 0 : way->pieces,
                              .sent = below ? 0 : way->pieces};
    ro_status status = RO_OK;
    for (uint32_t i = 0; i < slot->pending && status == RO_OK; i++)
        status = ranks_wait(&way->ranks, &slot->requests[i]);
    slot->pending = 0;
    if (status == RO_OK)
        status = input_rows(&way->in, y, rows, way->from);
    if (status == RO_OK)
        status = ro_stream_open_piece(way->plan, y, rows, &courier.stream);
    if (status != RO_OK)
        return status;
    if (way->times.begun <= 0 && (!above || courier.given))
        way->times.begun = MPI_Wtime() - way->times.start;
    status = compute(way, &courier, rows);
    ro_stream_close(courier.stream);
    if (status != RO_OK)
        return status;
    return output_band(&way->out, band, way->to, (ptrdiff_t)way->to_stride,
                       below ? slot->values : NULL);
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

/* Whether somebody waits for what bands hand on; alone a rank waits for nobody. */
static bool hands_on(const struct pipeline *way)
{
    return way->lines && (way->ranks.count > 1 || way->given_pace);
}

/* Rows of a band, if the caller does not say; 0: any, where nobody waits for it. What a checkpoint
 * holds is cut in a way that ranks do not change. */
static uint32_t find_pace(struct pipeline *way, bool checkpoint)
{
    const struct pace_needs needs = {.width = way->width,
                                     .height = way->in.info.height,
                                     .lanes = way->lanes,
                                     .lines = (uint32_t)way->lines,
                                     .ranks = (uint32_t)way->ranks.count,
                                     .threads = (uint32_t)way->threads,
                                     .row_bytes = way->in.row_bytes + way->to_stride};
    const struct pace pace = way->given_pace ? *way->given_pace : pace_of(&needs);
    way->piece = checkpoint ? pace_piece((uint32_t)way->lines) : pace.piece;
    way->pieces = way->width / way->piece + (way->width % way->piece != 0);
    return hands_on(way) ? pace.rows : 0;
}

/* `abreast` as of ro_halftone_options. */
static ro_status make_plan(struct pipeline *way, ro_format format, const ro_halftone_options *given,
                           int abreast)
{
    const ro_file_info *info = &way->in.info;
    const ro_image shape = {.format = info->format,
                            .width = info->width,
                            .height = info->height,
                            .maxval = info->maxval,
                            .stride = 0,
                            .data = NULL};
    ro_halftone_options options = *given;
    ro_plan_info about = {.size = sizeof about};
    ro_status status = RO_OK;
    options.abreast = abreast;
    ro_plan_free(way->plan);
    way->plan = NULL;
    if (options.black == 0 && options.white == 0 && options.range == RO_RANGE_AUTO)
        status = ro_reader_range(way->in.reader, &options.black, &options.white);
    if (status == RO_OK)
        status = ro_halftone_plan(way->ranks.context, &shape, format, &options, &way->plan);
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
    if (read && read->colours)
        status = ro_context_fail(way->ranks.context, RO_E_UNSUPPORTED,
                                 "a palette of the picture's own needs the whole picture; ranks "
                                 "take one whose colours are given");
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
    result.width = way->width;
    result.height = way->in.info.height;
    result.dpi_x = way->in.info.dpi_x;
    result.dpi_y = way->in.info.dpi_y;
    result.stack = way->in.info.stack;
    way->to_stride = ro_format_row_bytes(result.format, result.width);
    const uint32_t usual = find_pace(way, how->checkpoint != NULL);
    const struct output_needs needs = {.row_bytes = way->in.row_bytes + way->to_stride,
                                       .carried = (uint64_t)way->lines * way->width,
                                       .rows = usual,
                                       .mark = way->in.mark};
    status = output_open(&way->out, &way->ranks, &way->times, out, &result, write, how, &needs);
    /* All rows of a band run at the same time: the next can begin when the last of them has passed
     * some columns. */
    const uint32_t at_once = way->lanes * (uint32_t)way->threads;
    const uint32_t abreast = (way->out.bands.rows + at_once - 1) / at_once;
    if (status == RO_OK && hands_on(way) && abreast > 1)
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

ro_status halftone_by(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                      const ro_halftone_options *given, const ro_read_options *read,
                      const ro_write_options *write, const ro_mpi_options *given_how,
                      const struct pace *pace, ro_mpi_report *report)
{
    struct pipeline way = {.given_pace = pace,
                           .times = {.start = MPI_Wtime()},
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
    status = MISSING(context, in, out)
                 ? RO_E_ARGUMENT
                 : take_options(context, given, &options, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, given_how, &how, "RO_MPI_OPTIONS");
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

ro_status ro_mpi_halftone(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_halftone_options *options, const ro_read_options *read,
                          const ro_write_options *write, const ro_mpi_options *how,
                          ro_mpi_report *report)
{
    return halftone_by(comm, context, in, out, options, read, write, how, NULL, report);
}

/* SPDX-License-Identifier: MIT */
/*
 * The explicit scheme from rows to rows: one pipe as deep as there are iterations, cut into links,
 * one per thread. A link takes rows from the ring before it and puts rows into the ring behind it:
 *
 *     push -> ring 0 -> link 0 -> ring 1 -> link 1 -> ... -> last ring -> pull
 *
 * Rows are worked on in batches. How many rows each link gets and gives in a batch is known before
 * it begins, so a link only waits for the next row of the link before it, never for room.
 */
#include "context/plan.h"
#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "denoise/denoise.h"
#include "denoise/diffusion_rows.h"
#include "denoise/trained/trained_stream.h"

#include <stdlib.h>

enum { BATCH = 64, MOST_ROW_STEPS = 65536 };

struct ring {
    char *data;
    size_t row_bytes;
    uint64_t rows;             /* room */
    struct thread_gate filled; /* rows that were ever put in */
};

struct link {
    struct stencil_pipe pipe;
    uint64_t taken, given, goal; /* rows: so far, and `taken` at the end of this batch */
};

struct denoise_stream {
    struct ro_stream stream; /* first: the public handle */
    struct denoiser work;
    struct step_rows rows;
    struct stencil stencil;
    int links;
    struct link *link;
    struct ring *ring; /* one more than links */
    struct gate_room room;
    uint64_t pulled;
    uint64_t carry[3];              /* of the last rounding, a channel each */
    int32_t *values;                /* of a row, a channel after another; or floats */
    struct trained_stream *trained; /* of that model, which needs nothing of the above; or NULL */
};

static char *slot(const struct ring *ring, uint64_t row)
{
    return ring->data + (size_t)(row % ring->rows) * ring->row_bytes;
}

static uint64_t filled(struct ring *ring) { return atomic_load(&ring->filled.reached); }

/* Rows that a link has given when it took so many: each stage keeps one until the last is in. */
static uint64_t given_for(const struct denoise_stream *stream, const struct link *link,
                          uint64_t taken)
{
    uint64_t stages = (uint64_t)link->pipe.stages;
    if (taken == stream->work.in.height)
        return taken;
    return taken > stages ? taken - stages : 0;
}

static void run_link(void *data, int number)
{
    struct denoise_stream *stream = data;
    struct link *link = &stream->link[number];
    struct ring *from = &stream->ring[number], *to = &stream->ring[number + 1];
    uint64_t goal_given = given_for(stream, link, link->goal);
    while (link->taken < link->goal || link->given < goal_given) {
        bool done;
        if (link->taken < link->goal) {
            gate_wait(&stream->room, &from->filled, link->taken + 1);
            done = pipe_feed(&link->pipe, slot(from, link->taken), slot(to, link->given));
            link->taken++;
        } else {
            done = pipe_flush(&link->pipe, slot(to, link->given));
        }
        if (done)
            gate_raise(&stream->room, &to->filled, ++link->given);
    }
}

static void run_batch(struct denoise_stream *stream)
{
    uint64_t rows = filled(&stream->ring[0]);
    for (int i = 0; i < stream->links; i++) {
        stream->link[i].goal = rows;
        rows = given_for(stream, &stream->link[i], rows);
    }
    pool_run(stream->work.context->pool, stream->links, run_link, stream);
}

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY,
                           "no memory for %u iterations of rows of %u pixels",
                           work->options.iterations, work->in.width);
}

static ro_status open_links(struct denoise_stream *stream, int stages)
{
    struct denoiser *work = &stream->work;
    int threads = pool_threads(work->context->pool);
    int links = threads < stages ? threads : stages;
    stream->link = calloc((size_t)links, sizeof *stream->link);
    void *rings = NULL;
    size_t bytes = ((size_t)links + 1) * sizeof *stream->ring;
    if (!stream->link || posix_memalign(&rings, 64, bytes) != 0)
        return no_memory(work);
    stream->ring = rings;
    __builtin_memset(rings, 0, bytes);
    stream->links = links;
    for (int i = 0; i <= links; i++) {
        struct ring *ring = &stream->ring[i];
        void *data = NULL;
        int from = (int)((int64_t)stages * i / links);
        ring->rows = BATCH + (uint64_t)from + 2; /* all that is flushed comes in one batch */
        ring->row_bytes = stream->stencil.row_bytes;
        if (!size_multiply(ring->row_bytes, (size_t)ring->rows, &bytes) ||
            posix_memalign(&data, 64, bytes) != 0)
            return no_memory(work);
        __builtin_memset(data, 0, bytes);
        ring->data = data;
        atomic_init(&ring->filled.reached, 0);
        if (i == links)
            break;
        int to = (int)((int64_t)stages * (i + 1) / links);
        if (pipe_open(&stream->link[i].pipe, &stream->stencil, from, to) != RO_OK)
            return no_memory(work);
        pipe_begin(&stream->link[i].pipe, 0, 0);
    }
    return RO_OK;
}

/* Settles stream->work; only the images' shape counts, and it must make sense. */
static ro_status settle(struct denoise_stream *stream, ro_context *context, const ro_image *in,
                        const ro_image *out, const ro_denoise_options *options)
{
    ro_status status = RO_OK;
    ro_image shape[2] = {*in, *out};
    for (int i = 0; i < 2; i++) {
        shape[i].data = stream;
        shape[i].stride = (ptrdiff_t)ro_format_row_bytes(shape[i].format, shape[i].width);
        if (status == RO_OK)
            status = image_check(context, &shape[i], i ? "output" : "input");
        shape[i].data = NULL;
    }
    if (status == RO_OK && (in->width != out->width || in->height != out->height))
        status =
            ro_context_fail(context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u",
                            in->width, in->height, out->width, out->height);
    if (status == RO_OK)
        status = denoiser_make(&stream->work, context, &shape[0], &shape[1], options);
    return status;
}

const char *denoise_no_rows(const struct denoiser *work)
{
    const bool on_device = work->context->options.device == RO_DEVICE_CUDA;
    if (work->options.impulse)
        return "impulse noise is mended in whole images, not row by row";
    if (denoiser_is_watched(work))
        return "figures of every step need the whole image, not rows";
    if (work->network && !on_device && work->schedule != RO_SCHEDULE_REFERENCE)
        return NULL;
    if (work->scheme->run != denoise_explicit || work->options.steps_at_once ||
        work->options.until_converged || work->schedule == RO_SCHEDULE_REFERENCE ||
        work->schedule == RO_SCHEDULE_PASSES)
        return "row by row works in one pass of scheme explicit only";
    if (on_device)
        return "CUDA denoises whole images; row by row runs on the CPU";
    if (work->options.iterations > MOST_ROW_STEPS)
        return "the iterations are too many for one pass; the limit is 65536";
    return NULL;
}

/* What cannot go from rows to rows is refused. */
static ro_status check_rows(ro_context *context, const struct denoiser *work)
{
    const char *why = denoise_no_rows(work);
    const bool many = why && work->options.iterations > MOST_ROW_STEPS;
    return why ? ro_context_fail(context, many ? RO_E_ARGUMENT : RO_E_UNSUPPORTED, "%s", why)
               : RO_OK;
}

static ro_status open_rows(struct denoise_stream *stream, ro_context *context)
{
    struct denoiser *work = &stream->work;
    const ro_cpu asked = context->options.cpu;
    if (rows_open(&stream->rows, &work->diffusion, work->scale.white,
                  asked ? asked : context->cpu) != RO_OK)
        return no_memory(work);
    if (asked && stream->rows.kernel->cpu != asked)
        return denoiser_no_code(work, asked);
    stream->stencil = rows_stencil(&stream->rows);
    for (int c = 0; c < work->channels; c++)
        stream->carry[c] = levels_start(&work->levels);
    stream->values = malloc((size_t)work->in.width * (size_t)work->channels * sizeof(int32_t));
    if (!stream->values)
        return no_memory(work);
    return open_links(stream, (int)work->options.iterations * stream->stencil.stages);
}

ro_status denoise_stream_open(ro_context *context, const ro_image *in, const ro_image *out,
                              const ro_denoise_options *options, struct denoise_stream **made,
                              ro_denoise_report *report)
{
    if (made)
        *made = NULL;
    if (MISSING(context, in, out, made) || report_check(context, report) != RO_OK)
        return RO_E_ARGUMENT;
    struct denoise_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a stream");
    stream->stream.kind = &denoise_stream_kind;
    gate_room_open(&stream->room, ro_context_threads(context));
    ro_status status = settle(stream, context, in, out, options);
    stream->work.told = report;
    if (status == RO_OK)
        status = check_rows(context, &stream->work);
    if (status == RO_OK)
        status = stream->work.network ? trained_stream_open(&stream->work, &stream->trained)
                                      : open_rows(stream, context);
    if (status != RO_OK) {
        denoise_stream_close(stream);
        return status;
    }
    *made = stream;
    return RO_OK;
}

void denoise_stream_close(struct denoise_stream *stream)
{
    if (!stream)
        return;
    for (int i = 0; i < stream->links; i++)
        pipe_close(&stream->link[i].pipe);
    for (int i = 0; stream->ring && i <= stream->links; i++)
        free(stream->ring[i].data);
    gate_room_close(&stream->room);
    trained_stream_close(stream->trained);
    rows_close(&stream->rows);
    free(stream->link);
    free(stream->ring);
    free(stream->values);
    free(stream);
}

/* Whether what was pushed must be worked on before more can be. */
static bool batch_is_full(struct denoise_stream *stream)
{
    uint64_t in = filled(&stream->ring[0]), waiting = in - stream->link[0].taken;
    return waiting == BATCH || (waiting > 0 && in == stream->work.in.height);
}

static bool rows_wait(struct denoise_stream *stream)
{
    return filled(&stream->ring[stream->links]) > stream->pulled;
}

bool denoise_take_row(struct denoise_stream *stream, const void *values)
{
    struct ring *ring = &stream->ring[0];
    if (batch_is_full(stream)) {
        if (rows_wait(stream))
            return false;
        run_batch(stream);
    }
    const uint64_t y = filled(ring);
    const char *line = values;
    char *to = slot(ring, y);
    for (int c = 0; c < stream->work.channels; c++, to += stream->rows.line_bytes) {
        stream->rows.kernel->pack(&stream->rows, line, to);
        line += stream->work.in.width * sizeof(int32_t);
    }
    gate_raise(&stream->room, &ring->filled, y + 1);
    return true;
}

bool denoise_give_row(struct denoise_stream *stream, void *values)
{
    if (!rows_wait(stream) && batch_is_full(stream))
        run_batch(stream);
    if (!rows_wait(stream))
        return false;
    const char *from = slot(&stream->ring[stream->links], stream->pulled);
    char *line = values;
    for (int c = 0; c < stream->work.channels; c++, from += stream->rows.line_bytes) {
        stream->rows.kernel->unpack(&stream->rows, from, line);
        line += stream->work.in.width * sizeof(int32_t);
    }
    stream->pulled++;
    return true;
}

const struct denoiser *denoise_work(const struct denoise_stream *stream) { return &stream->work; }

uint32_t denoise_reach(const struct denoise_stream *stream)
{
    return (uint32_t)stream->stencil.stages;
}

/* The same for the trained model. */
static ro_status push_trained(struct denoise_stream *stream, const void *rows, ptrdiff_t stride,
                              uint32_t count, uint32_t *taken)
{
    const struct denoiser *work = &stream->work;
    if (count > work->in.height - trained_stream_taken(stream->trained))
        return ro_context_fail(work->context, RO_E_STATE, "more than %u rows were pushed",
                               work->in.height);
    while (*taken < count &&
           trained_stream_take(stream->trained, (const char *)rows + (ptrdiff_t)*taken * stride))
        ++*taken;
    return RO_OK;
}

static ro_status pull_trained(struct denoise_stream *stream, void *rows, ptrdiff_t stride,
                              uint32_t count, uint32_t *given)
{
    const struct denoiser *work = &stream->work;
    while (*given < count &&
           trained_stream_give(stream->trained, (char *)rows + (ptrdiff_t)*given * stride))
        ++*given;
    const uint32_t all = trained_stream_given(stream->trained);
    if (all == work->in.height)
        trained_stream_report(stream->trained);
    return ro_context_progress(work->context, "denoise", (double)all / work->in.height);
}

static ro_status push(ro_stream *base, const void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *taken)
{
    struct denoise_stream *stream = (struct denoise_stream *)base;
    struct denoiser *work = &stream->work;
    struct ring *ring = &stream->ring[0];
    *taken = 0;
    if (!rows_fit(rows, stride, count, ro_format_row_bytes(work->in.format, work->in.width)))
        return ro_context_fail(work->context, RO_E_ARGUMENT, "rows are missing or overlap");
    if (ro_context_cancelled(work->context))
        return ro_context_fail(work->context, RO_E_CANCELLED, "cancelled");
    if (stream->trained)
        return push_trained(stream, rows, stride, count, taken);
    if (count > work->in.height - filled(ring))
        return ro_context_fail(work->context, RO_E_STATE, "more than %u rows were pushed",
                               work->in.height);
    for (; *taken < count; ++*taken) {
        if (batch_is_full(stream) && rows_wait(stream))
            return RO_OK;
        const char *row = (const char *)rows + (ptrdiff_t)*taken * stride;
        struct step_figures figures = step_figures_none;
        ro_status status =
            denoiser_read_row(work, row, (uint32_t)filled(ring), stream->values, &figures);
        if (status != RO_OK)
            return status;
        (void)denoise_take_row(stream, stream->values);
        figures_add(&work->before, &figures);
    }
    return RO_OK;
}

static ro_status pull(ro_stream *base, void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *given)
{
    struct denoise_stream *stream = (struct denoise_stream *)base;
    struct denoiser *work = &stream->work;
    *given = 0;
    if (!rows_fit(rows, stride, count, ro_format_row_bytes(work->out.format, work->out.width)))
        return ro_context_fail(work->context, RO_E_ARGUMENT, "rows are missing or overlap");
    if (ro_context_cancelled(work->context))
        return ro_context_fail(work->context, RO_E_CANCELLED, "cancelled");
    if (stream->trained)
        return pull_trained(stream, rows, stride, count, given);
    for (; *given < count; ++*given) {
        if (!denoise_give_row(stream, stream->values))
            break;
        struct step_figures figures = step_figures_none;
        denoiser_write_row(work, (char *)rows + (ptrdiff_t)*given * stride, stream->values,
                           stream->carry, &figures);
        figures_add(&work->after, &figures);
    }
    work->report.steps = work->options.iterations;
    if (stream->pulled == work->in.height)
        denoiser_report(work, "stream", stream->rows.kernel->cpu, stream->links);
    return ro_context_progress(work->context, "denoise", (double)stream->pulled / work->in.height);
}

static void close_stream(ro_stream *base) { denoise_stream_close((struct denoise_stream *)base); }

const struct stream_kind denoise_stream_kind = {push, pull, close_stream};

/* ---- Rows of all channels -------------------------------------------------------------------- */

ro_status denoiser_read_row(struct denoiser *work, const char *row, uint32_t y, void *values,
                            struct step_figures *figures)
{
    ro_status status = RO_OK;
    char *line = values;
    for (int c = 0; c < work->channels && status == RO_OK; c++) {
        status = denoiser_read(work, row, y, c, line, figures);
        line += work->in.width * sizeof(int32_t);
    }
    return status;
}

void denoiser_write_row(const struct denoiser *work, char *row, const void *values, uint64_t *carry,
                        struct step_figures *figures)
{
    const char *line = values;
    for (int c = 0; c < work->channels; c++, line += work->in.width * sizeof(int32_t))
        denoiser_write(work, row, c, line, &carry[c], figures);
}

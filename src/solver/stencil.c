/* SPDX-License-Identifier: MIT */
/* Pipes of steps, and passes of a pipe over an image by several threads; see stencil.h. */
#include "solver/stencil.h"

#include "core/checked.h"

#include <stdlib.h>
#include <string.h>

static size_t ring_of(const struct stencil *stencil) { return stencil->looks_up ? 3 : 2; }

size_t pipe_stage_bytes(const struct stencil *stencil)
{
    return ring_of(stencil) * stencil->row_bytes + stencil->memory_bytes;
}

ro_status pipe_open(struct stencil_pipe *pipe, const struct stencil *stencil, int from, int to)
{
    *pipe = (struct stencil_pipe){.stencil = stencil, .stages = to - from};
    size_t row = stencil->row_bytes, stage_bytes = pipe_stage_bytes(stencil), bytes;
    if (row > SIZE_MAX / 8 || stencil->memory_bytes > SIZE_MAX / 8 ||
        !size_multiply(stage_bytes, (size_t)pipe->stages, &bytes))
        return RO_E_SIZE;
    void *memory = NULL;
    pipe->stage = calloc((size_t)pipe->stages, sizeof *pipe->stage);
    if (!pipe->stage || posix_memalign(&memory, 64, bytes) != 0) {
        pipe_close(pipe);
        return RO_E_MEMORY;
    }
    memset(memory, 0, bytes);
    pipe->memory = memory;
    for (int s = 0; s < pipe->stages; s++) {
        struct stencil_stage *stage = &pipe->stage[s];
        char *start = pipe->memory + (size_t)s * stage_bytes;
        stage->place = (from + s) % stencil->stages;
        for (size_t i = 0; i < ring_of(stencil); i++, start += row)
            stage->rows[i] = start;
        stage->memory = start;
    }
    return RO_OK;
}

void pipe_close(struct stencil_pipe *pipe)
{
    free(pipe->stage);
    free(pipe->memory);
    *pipe = (struct stencil_pipe){0};
}

/* Stage s must put out rows from max(0, wanted - stages behind it) on; where that is one row later
 * than its first row in, the row before is incomplete. */
void pipe_begin(struct stencil_pipe *pipe, uint32_t first, uint32_t wanted)
{
    uint32_t in = first;
    pipe->flushed = 0;
    for (int s = 0; s < pipe->stages; s++) {
        struct stencil_stage *stage = &pipe->stage[s];
        uint32_t behind = (uint32_t)(pipe->stages - 1 - s);
        uint32_t out = wanted > behind ? wanted - behind : 0;
        stage->skip = out > in;
        stage->before = stage->previous = NULL;
        stage->count = 0;
        stage->y = in - 1; /* of the row before the first */
        memset(stage->memory, 0, pipe->stencil->memory_bytes);
        in = out;
    }
}

static void run_stage(const struct stencil_pipe *pipe, int s, const char *below, char *out)
{
    const struct stencil_stage *stage = &pipe->stage[s];
    const struct stencil_work work = {
        .y = stage->y,
        .above = stage->before,
        .row = stage->previous,
        .below = below,
        .out = out,
        .memory = stage->memory,
        .wanted = !stage->skip,
        .behind = pipe->stages - 1 - s,
    };
    pipe->stencil->run(pipe->stencil, stage->place, &work);
}

static char *target_of(struct stencil_pipe *pipe, int s, char *out)
{
    if (s == pipe->stages - 1)
        return out;
    struct stencil_stage *next = &pipe->stage[s + 1];
    return next->rows[next->count % ring_of(pipe->stencil)];
}

static bool cascade(struct stencil_pipe *pipe, int s, const char *row, char *out)
{
    for (; s < pipe->stages; s++) {
        struct stencil_stage *stage = &pipe->stage[s];
        stage->count++;
        if (!stage->previous) {
            stage->previous = row;
            stage->y++;
            return false;
        }
        char *target = target_of(pipe, s, out);
        run_stage(pipe, s, row, target);
        stage->before = stage->previous;
        stage->previous = row;
        stage->y++;
        if (stage->skip) {
            stage->skip = false;
            return false;
        }
        row = target;
    }
    return true;
}

bool pipe_feed(struct stencil_pipe *pipe, const char *row, char *out)
{
    return cascade(pipe, 0, row, out);
}

bool pipe_flush(struct stencil_pipe *pipe, char *out)
{
    if (pipe->flushed == pipe->stages)
        return false;
    int s = pipe->flushed++;
    char *target = target_of(pipe, s, out);
    run_stage(pipe, s, NULL, target);
    return cascade(pipe, s + 1, target, out);
}

/* ---- A pass over an image -------------------------------------------------------------------- */

struct pass {
    struct stencil_stream *stream;
    const struct stencil_rows *from, *to;
    uint32_t height;
    atomic_uint_fast32_t ticket;
};

static void run_band(struct stencil_pipe *pipe, const struct pass *pass, uint32_t begin,
                     uint32_t end)
{
    uint32_t stages = (uint32_t)pipe->stages;
    uint32_t in = begin > stages ? begin - stages : 0;
    pipe_begin(pipe, in, begin);
    const atomic_bool *stop = pass->stream->stop;
    for (uint32_t y = begin; y < end;) {
        if (stop && atomic_load_explicit(stop, memory_order_relaxed))
            return;
        char *out = pass->to->data + (size_t)y * pass->to->pitch;
        bool done = in < pass->height
                        ? pipe_feed(pipe, pass->from->data + (size_t)in * pass->from->pitch, out)
                        : pipe_flush(pipe, out);
        in += in < pass->height;
        y += done;
    }
}

static void run_bands(void *data, int thread)
{
    struct pass *pass = data;
    const uint64_t height = pass->height, bands = pass->stream->bands;
    for (;;) {
        uint64_t band = atomic_fetch_add(&pass->ticket, 1);
        if (band >= bands)
            return;
        run_band(&pass->stream->pipes[thread], pass, (uint32_t)(height * band / bands),
                 (uint32_t)(height * (band + 1) / bands));
    }
}

/* Four bands a thread even out what other programs take. A band computes twice as many rows as it
 * has stages more than it puts out, so it should have 16 times as many; small images, twice. */
static uint32_t bands_of(uint32_t height, uint32_t stages, uint32_t threads)
{
    uint32_t bands = height / (16 * stages);
    if (bands > 4 * threads)
        return 4 * threads;
    if (bands >= threads)
        return bands / threads * threads;
    bands = height / (2 * stages) + 1;
    return bands < threads ? bands : threads;
}

ro_status stencil_stream_open(struct stencil_stream *stream, struct thread_pool *pool,
                              const struct stencil *stencil, int iterations)
{
    int stages = iterations * stencil->stages, threads = pool_threads(pool);
    *stream = (struct stencil_stream){.pool = pool, .bands = 1};
    if (threads > 1)
        stream->bands = bands_of(stencil->height, (uint32_t)stages, (uint32_t)threads);
    stream->threads = (uint32_t)threads < stream->bands ? threads : (int)stream->bands;
    stream->pipes = calloc((size_t)stream->threads, sizeof *stream->pipes);
    ro_status status = stream->pipes ? RO_OK : RO_E_MEMORY;
    for (int i = 0; i < stream->threads && status == RO_OK; i++)
        status = pipe_open(&stream->pipes[i], stencil, 0, stages);
    if (status != RO_OK)
        stream_close(stream);
    return status;
}

void stream_pass(struct stencil_stream *stream, const struct stencil_rows *from,
                 const struct stencil_rows *to)
{
    struct pass pass = {
        .stream = stream,
        .from = from,
        .to = to,
        .height = stream->pipes[0].stencil->height,
    };
    atomic_init(&pass.ticket, 0);
    pool_run(stream->pool, stream->threads, run_bands, &pass);
}

void stream_close(struct stencil_stream *stream)
{
    for (int i = 0; stream->pipes && i < stream->threads; i++)
        pipe_close(&stream->pipes[i]);
    free(stream->pipes);
    *stream = (struct stencil_stream){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way from file to file: one thread reads, the caller's computes, one writes.
 *
 *     reader --> ring of input blocks --> ro_stream_push / pull --> ring of blocks --> writer
 *
 * A block is some megabytes of rows, a ring a few blocks: memory grows with the width only. The
 * first thread that fails sets `stop`, which the others notice even while they wait on a pipe; its
 * message is the one that is reported.
 */
#include "io/files/halftone_job.h"

#include "io/bytes/thread.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 3,
    BLOCK_BYTES = 2 << 20,
    LARGEST_BLOCK = 64 << 20,
    BAND_ROWS = 64, /* rows come in multiples of it: bands are run straight from a block */
};

struct block {
    uint8_t *rows;
    uint32_t count;
};

/* One side fills, one empties; both counts only grow. */
struct ring {
    struct block blocks[BLOCKS];
    size_t stride;
    uint64_t filled, emptied;
};

/* What the three threads share. */
struct pump {
    struct halftone_job *job;
    ro_stream *stream;
    uint32_t height, block_rows;
    struct ring in, out;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool stop;
    ro_status status; /* of the first thread that failed; the caller's own failure is not kept */
    char message[sizeof((struct open_file *)0)->message];
};

/* ---- Rings -------------------------------------------------------------------------------- */

static bool ring_open(struct ring *ring, size_t row_bytes, uint32_t rows)
{
    ring->stride = row_bytes;
    for (int i = 0; i < BLOCKS; i++)
        if (!(ring->blocks[i].rows = malloc(ring->stride * rows)))
            return false;
    return true;
}

static void ring_close(struct ring *ring)
{
    for (int i = 0; i < BLOCKS; i++)
        free(ring->blocks[i].rows);
}

/* The next block to fill, or NULL when all stopped. */
static struct block *wait_empty(struct pump *pump, struct ring *ring)
{
    pthread_mutex_lock(&pump->lock);
    while (ring->filled - ring->emptied == BLOCKS && !atomic_load(&pump->stop))
        pthread_cond_wait(&pump->changed, &pump->lock);
    pthread_mutex_unlock(&pump->lock);
    return atomic_load(&pump->stop) ? NULL : &ring->blocks[ring->filled % BLOCKS];
}

/* The next block to empty, or NULL when all stopped. */
static struct block *wait_filled(struct pump *pump, struct ring *ring)
{
    pthread_mutex_lock(&pump->lock);
    while (ring->filled == ring->emptied && !atomic_load(&pump->stop))
        pthread_cond_wait(&pump->changed, &pump->lock);
    pthread_mutex_unlock(&pump->lock);
    return atomic_load(&pump->stop) ? NULL : &ring->blocks[ring->emptied % BLOCKS];
}

static void advance(struct pump *pump, uint64_t *count)
{
    pthread_mutex_lock(&pump->lock);
    ++*count;
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
}

/* Stops all. The sentence of a file counts if it is the first; NULL: the caller's own failure. */
static void stop(struct pump *pump, ro_status status, const struct open_file *file)
{
    pthread_mutex_lock(&pump->lock);
    if (file && !atomic_load(&pump->stop)) {
        pump->status = status;
        memcpy(pump->message, file->message, sizeof pump->message);
    }
    atomic_store(&pump->stop, true);
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
}

/* ---- The three stages --------------------------------------------------------------------- */

static void *read_stage(void *data)
{
    struct pump *pump = data;
    for (uint32_t y = 0; y < pump->height;) {
        struct block *block = wait_empty(pump, &pump->in);
        if (!block)
            break;
        ro_status status =
            ro_reader_rows(pump->job->reader, block->rows, (ptrdiff_t)pump->in.stride,
                           pump->block_rows, &block->count);
        if (status != RO_OK) {
            stop(pump, status, &pump->job->reader->file);
            break;
        }
        y += block->count;
        advance(pump, &pump->in.filled);
    }
    return NULL;
}

static void *write_stage(void *data)
{
    struct pump *pump = data;
    for (uint32_t y = 0; y < pump->height;) {
        struct block *block = wait_filled(pump, &pump->out);
        if (!block)
            break;
        ro_status status =
            output_rows(&pump->job->output, block->rows, (ptrdiff_t)pump->out.stride, block->count);
        if (status != RO_OK) {
            stop(pump, status, output_file(&pump->job->output));
            break;
        }
        y += block->count;
        advance(pump, &pump->out.emptied);
    }
    return NULL;
}

/* Passes on all rows that are finished; *pulled counts them. RO_E_CANCELLED when all stopped. */
static ro_status pull_rows(struct pump *pump, uint32_t *pulled)
{
    for (;;) {
        struct block *block = wait_empty(pump, &pump->out);
        if (!block)
            return RO_E_CANCELLED;
        ro_status status = ro_stream_pull(pump->stream, block->rows, (ptrdiff_t)pump->out.stride,
                                          pump->block_rows, &block->count);
        if (status != RO_OK || block->count == 0)
            return status;
        *pulled += block->count;
        advance(pump, &pump->out.filled);
    }
}

static ro_status compute_stage(struct pump *pump)
{
    uint32_t pulled = 0;
    while (pulled < pump->height) {
        struct block *block = wait_filled(pump, &pump->in);
        if (!block)
            return RO_E_CANCELLED;
        for (uint32_t done = 0, taken; done < block->count; done += taken) {
            ro_status status =
                ro_stream_push(pump->stream, block->rows + (size_t)done * pump->in.stride,
                               (ptrdiff_t)pump->in.stride, block->count - done, &taken);
            if (status == RO_OK)
                status = pull_rows(pump, &pulled);
            if (status == RO_OK)
                status = ro_context_progress(pump->job->context, "halftone",
                                             (double)pulled / pump->height);
            if (status != RO_OK)
                return status;
        }
        advance(pump, &pump->in.emptied);
    }
    return RO_OK;
}

/* One core copies five gigabytes a second or so from the system's cache; four halftone more. */
static int other_readers(const ro_context *context)
{
    enum { MOST = 3 };
    const int readers = ro_context_threads(context) / 4;
    return readers < MOST ? readers : MOST;
}

/* Some bands for every thread, so that most of the time all of them have one. */
static uint32_t rows_per_block(const ro_file_info *info, int threads)
{
    uint64_t row = ro_format_row_bytes(info->format, info->width);
    uint64_t rows = (BLOCK_BYTES / row / BAND_ROWS + 1) * BAND_ROWS;
    const uint64_t shared = 2 * BAND_ROWS * (uint64_t)threads;
    rows = rows > shared ? rows : shared;
    if (rows * row > LARGEST_BLOCK) /* very wide: fewer rows than a band, down to one */
        rows = row < LARGEST_BLOCK ? LARGEST_BLOCK / row : 1;
    return rows < info->height ? (uint32_t)rows : info->height;
}

static ro_status open_rings(struct pump *pump)
{
    const struct halftone_job *job = pump->job;
    const ro_file_info *info = ro_reader_info(job->reader);
    const size_t in_row = ro_format_row_bytes(info->format, info->width);
    const size_t out_row =
        ro_format_row_bytes(job->result.format, info->width) * (size_t)job->output.count;
    pump->height = info->height;
    pump->block_rows = rows_per_block(info, ro_context_threads(job->context));
    if (ring_open(&pump->in, in_row, pump->block_rows) &&
        ring_open(&pump->out, out_row, pump->block_rows))
        return RO_OK;
    return ro_context_fail(job->context, RO_E_MEMORY, "not enough memory for rows of %u pixels",
                           info->width);
}

/* The threads may be stopped while they wait for bytes. */
static void may_stop(struct halftone_job *job, const atomic_bool *stop)
{
    job->reader->file.stop = stop;
    output_set_stop(&job->output, stop);
}

ro_status job_stream(struct halftone_job *job)
{
    struct pump pump = {.job = job};
    pthread_t reader, writer;
    bool reading = false, writing = false;
    pthread_mutex_init(&pump.lock, NULL);
    pthread_cond_init(&pump.changed, NULL);
    ro_status status = open_rings(&pump);
    if (status == RO_OK)
        status = ro_stream_open(job->plan, NULL, &pump.stream);
    if (status == RO_OK) {
        may_stop(job, &pump.stop);
        source_share(&job->reader->source, other_readers(job->context));
        reading = thread_start(&reader, read_stage, &pump);
        writing = reading && thread_start(&writer, write_stage, &pump);
        status = writing ? compute_stage(&pump)
                         : ro_context_fail(job->context, RO_E_MEMORY, "cannot start a thread");
    }
    if (status != RO_OK)
        stop(&pump, status, NULL);
    if (reading)
        pthread_join(reader, NULL);
    if (writing)
        pthread_join(writer, NULL);
    may_stop(job, NULL);
    if (pump.status != RO_OK)
        status = ro_context_fail(job->context, pump.status, "%s", pump.message);
    ro_stream_close(pump.stream);
    ring_close(&pump.in);
    ring_close(&pump.out);
    pthread_cond_destroy(&pump.changed);
    pthread_mutex_destroy(&pump.lock);
    return status;
}

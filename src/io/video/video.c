/* SPDX-License-Identifier: MIT */
/*
 * Frames are independent, so each thread takes one through all of its way:
 *
 *     thread 0   read 0 | halftone 0      | write 0 | read 2 ...
 *     thread 1           | read 1 | halftone 1       | write 1 ...
 *
 * From a pipe one reads at a time, in order, and into one a thread writes at a time, in order.
 * Places of a plain file each thread reads and writes by itself, a few rows at a time, which then
 * stay in its cache all the way. A thread has a context and plans of its own, with one thread each;
 * the caller's own thread is one of them. Whoever fails first sets `stop`, and its sentence is the
 * one that is reported.
 */
#include "io/video/video.h"

#include "io/bytes/readers.h"
#include "io/bytes/thread.h"
#include "io/video/video_picture.h"
#include "io/video/video_plan.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 18, PIECE_ROWS = 64 /* a multiple of it, for whole bands */ };

struct video {
    ro_context *context;
    struct video_plan plan;
    struct byte_source *source;
    struct open_file out_file;
    struct byte_sink sink;
    size_t in_bytes, out_bytes; /* of a frame's samples */
    size_t in_piece, out_piece; /* of what a thread holds of them at a time */
    uint32_t piece_rows[Y4M_PLANES];
    bool streams;            /* planes run row by row */
    bool reads, writes;      /* each thread by itself, at places of a plain file */
    uint64_t frames_begin;   /* in the output */
    pthread_mutex_t reading; /* also while what files say goes wrong is passed on */
    pthread_mutex_t writing;
    pthread_cond_t written;
    uint64_t frames_read, frames_written;
    bool ended;
    atomic_bool stop;
    pthread_mutex_t failing;
    ro_status status; /* of the first thread that failed */
    char message[sizeof((struct open_file *)0)->message];
};

struct worker {
    struct video *video;
    ro_context *context;
    ro_plan *plans[Y4M_PLANES];
    struct video_picture picture; /* where frames are pictures */
    uint8_t *in, *out;            /* a frame's samples, or a piece's */
    uint64_t in_place, out_place; /* of the frame's next samples in plain files */
    pthread_t thread;
    bool caller; /* the thread that made the call: it shows progress */
};

static void fail(struct video *video, ro_status status, const char *message)
{
    pthread_mutex_lock(&video->failing);
    if (video->status == RO_OK) {
        video->status = status;
        memccpy(video->message, message, '\0', sizeof video->message - 1);
    }
    pthread_mutex_unlock(&video->failing);
    pthread_mutex_lock(&video->writing);
    atomic_store(&video->stop, true);
    pthread_cond_broadcast(&video->written);
    pthread_mutex_unlock(&video->writing);
}

/* ---- A frame -------------------------------------------------------------------------------- */

/* Samples of two bytes have the lower first in the file. */
static void order_bytes(uint8_t *samples, size_t size, int sample_bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i + 1 < size && sample_bytes == 2; i += 2) {
        const uint8_t low = samples[i];
        samples[i] = samples[i + 1];
        samples[i + 1] = low;
    }
#else
    (void)samples, (void)size, (void)sample_bytes;
#endif
}

/* The next frame and its number; false: there is none for this thread. */
static bool read_frame(struct worker *worker, uint64_t *number)
{
    struct video *video = worker->video;
    bool more = false;
    pthread_mutex_lock(&video->reading);
    ro_status status = RO_OK;
    if (!video->ended && !atomic_load(&video->stop)) {
        status = y4m_frame(video->source, &more);
        worker->in_place = video->source->position;
        if (status == RO_OK && more && video->reads)
            status = source_left(video->source) < video->in_bytes
                         ? file_ends_early(video->source->file)
                         : source_skip(video->source, video->in_bytes);
        else if (status == RO_OK && more)
            status = source_need(video->source, worker->in, video->in_bytes);
        more = more && status == RO_OK;
        video->ended = !more;
        *number = video->frames_read;
        video->frames_read += more;
    }
    if (status != RO_OK)
        fail(video, status, video->source->file->message);
    pthread_mutex_unlock(&video->reading);
    if (status == RO_OK && more && !video->reads)
        order_bytes(worker->in, video->in_bytes, y4m_sample_bytes(&video->plan.in));
    return more;
}

static void show_tones(const uint8_t tones[256], uint8_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = tones[samples[i]];
}

/* The next rows of a plane: where they lie, or read from their place. NULL: that failed. */
static const uint8_t *take_rows(struct worker *worker, const uint8_t **from, size_t size)
{
    struct video *video = worker->video;
    size_t got;
    if (!video->reads) {
        *from += size;
        return *from - size;
    }
    const int error = read_at(video->source->fd, worker->in_place, worker->in, size, &got);
    if (error || got < size) {
        struct open_file *file = video->source->file;
        pthread_mutex_lock(&video->reading);
        const ro_status status =
            error ? file_fail(file, RO_E_IO, "cannot be read: %s", strerror(error))
                  : file_ends_early(file);
        fail(video, status, file->message);
        pthread_mutex_unlock(&video->reading);
        return NULL;
    }
    worker->in_place += size;
    order_bytes(worker->in, size, y4m_sample_bytes(&video->plan.in));
    return worker->in;
}

static uint64_t frame_place(const struct video *video, uint64_t number)
{
    return video->frames_begin + number * (Y4M_FRAME_LINE + (uint64_t)video->out_bytes);
}

/* The frame's next bytes to their place in a plain file. */
static bool put(struct worker *worker, const void *bytes, size_t size)
{
    struct video *video = worker->video;
    const int error = sink_put(&video->sink, worker->out_place, bytes, size);
    worker->out_place += size;
    if (!error)
        return true;
    pthread_mutex_lock(&video->reading);
    const ro_status status = sink_cannot(&video->sink, error);
    fail(video, status, video->out_file.message);
    pthread_mutex_unlock(&video->reading);
    return false;
}

/* What has become of some rows, into a plain file or to be written with the frame. */
static bool give_rows(struct worker *worker, uint8_t **to, size_t size, int plane)
{
    struct video *video = worker->video;
    const struct video_plan *plan = &video->plan;
    if (plan->shown)
        show_tones(plan->tones[plane], *to, size);
    order_bytes(*to, size, y4m_sample_bytes(&plan->out));
    if (video->writes)
        return put(worker, *to, size);
    *to += size;
    return true;
}

/* Rows in as far as they are taken, and out as far as they are finished. */
static ro_status run_rows(struct worker *worker, ro_stream *stream, const ro_image *in,
                          const ro_image *out, int plane, const uint8_t **from, uint8_t **to)
{
    const uint32_t most = worker->video->piece_rows[plane];
    const size_t in_row = (size_t)in->stride, out_row = (size_t)out->stride;
    uint32_t taken = 0, given;
    for (uint32_t y = 0; y < in->height;) {
        const uint32_t count = in->height - y < most ? in->height - y : most;
        const uint8_t *rows = take_rows(worker, from, count * in_row);
        if (!rows)
            return RO_E_CANCELLED;
        for (uint32_t done = 0; done < count; done += taken) {
            ro_status status =
                ro_stream_push(stream, rows + done * in_row, in->stride, count - done, &taken);
            do {
                given = 0;
                if (status == RO_OK)
                    status = ro_stream_pull(stream, *to, out->stride, most, &given);
                if (status == RO_OK && given > 0 && !give_rows(worker, to, given * out_row, plane))
                    status = RO_E_CANCELLED;
            } while (status == RO_OK && given > 0);
            if (status != RO_OK)
                return status;
        }
        y += count;
    }
    return RO_OK;
}

static ro_status run_plane(struct worker *worker, int plane, const uint8_t **from, uint8_t **to)
{
    const struct video_plan *plan = &worker->video->plan;
    ro_image in = video_plane(plan, plane), out = in;
    ro_stream *stream = NULL;
    out.format = plan->to;
    out.maxval = 0;
    in.stride = (ptrdiff_t)ro_format_row_bytes(in.format, in.width);
    out.stride = (ptrdiff_t)ro_format_row_bytes(out.format, out.width);
    ro_status status;
    if (worker->video->streams) {
        status = ro_stream_open(worker->plans[plane], NULL, &stream);
        if (status == RO_OK)
            status = run_rows(worker, stream, &in, &out, plane, from, to);
        ro_stream_close(stream);
        return status;
    }
    in.data = (void *)(uintptr_t)take_rows(worker, from, (size_t)in.stride * in.height);
    if (!in.data)
        return RO_E_CANCELLED;
    out.data = *to;
    status = ro_plan_run(worker->plans[plane], &in, &out, NULL);
    if (status == RO_OK && !give_rows(worker, to, (size_t)out.stride * out.height, plane))
        status = RO_E_CANCELLED;
    return status;
}

static ro_status run_frame(struct worker *worker, uint64_t number)
{
    const struct video *video = worker->video;
    const uint8_t *from = worker->in;
    uint8_t *to = worker->out;
    ro_status status = RO_OK;
    worker->out_place = frame_place(video, number);
    if (video->plan.pictures)
        return video_picture_run(&worker->picture, worker->plans[0], from, to);
    if (video->writes && !put(worker, y4m_frame_line, Y4M_FRAME_LINE))
        return RO_E_CANCELLED;
    for (int i = 0; i < video->plan.in.planes && status == RO_OK; i++)
        status = run_plane(worker, i, &from, &to);
    return status;
}

static void write_frame(struct worker *worker, uint64_t number)
{
    struct video *video = worker->video;
    ro_status status = RO_OK;
    pthread_mutex_lock(&video->writing);
    while (video->frames_written != number && !video->writes && !atomic_load(&video->stop))
        pthread_cond_wait(&video->written, &video->writing);
    if (video->writes) {
        video->frames_written++;
    } else if (!atomic_load(&video->stop)) {
        status = y4m_write_frame(&video->sink);
        if (status == RO_OK)
            status = sink_write(&video->sink, worker->out, video->out_bytes);
        video->frames_written += status == RO_OK;
        pthread_cond_broadcast(&video->written);
    }
    pthread_mutex_unlock(&video->writing);
    if (status != RO_OK)
        fail(video, status, video->out_file.message);
}

static ro_status show_progress(struct video *video)
{
    pthread_mutex_lock(&video->reading);
    const uint64_t size = video->source->size, position = video->source->position;
    pthread_mutex_unlock(&video->reading);
    const bool known = size != RO_SIZE_UNKNOWN && size > 0;
    return ro_context_progress(video->context, "halftone",
                               known ? (double)position / (double)size : 0);
}

static void *run_worker(void *data)
{
    struct worker *worker = data;
    struct video *video = worker->video;
    uint64_t number = 0;
    while (read_frame(worker, &number)) {
        ro_status status = run_frame(worker, number);
        if (status != RO_OK) {
            fail(video, status, ro_context_message(worker->context));
            break;
        }
        write_frame(worker, number);
        if (worker->caller && (status = show_progress(video)) != RO_OK)
            fail(video, status, ro_context_message(video->context));
    }
    return NULL;
}

/* ---- Threads -------------------------------------------------------------------------------- */

static ro_status open_plans(struct worker *worker)
{
    const struct video_plan *plan = &worker->video->plan;
    ro_status status = RO_OK;
    if (plan->pictures)
        status = video_picture_open(&worker->picture, worker->context, plan);
    for (int i = 0; i < video_plans(plan) && status == RO_OK; i++) {
        const ro_image shape = video_plane(plan, i);
        status = ro_halftone_plan(worker->context, &shape, plan->to, &plan->options[i],
                                  &worker->plans[i]);
    }
    return status;
}

static void close_worker(struct worker *worker)
{
    for (int i = 0; i < Y4M_PLANES; i++)
        ro_plan_free(worker->plans[i]);
    video_picture_close(&worker->picture);
    ro_context_close(worker->context);
    free(worker->in);
    free(worker->out);
}

/* How many rows a thread takes at a time, which is the same for all of them. */
static ro_status plan_pieces(struct video *video, const struct worker *worker)
{
    ro_plan_info way = {.size = sizeof way};
    const ro_status status = ro_plan_query(worker->plans[0], &way);
    video->streams = way.streams;
    for (int i = 0; i < video->plan.in.planes; i++) {
        const ro_image plane = video_plane(&video->plan, i);
        const size_t row = plane.width * (size_t)y4m_sample_bytes(&video->plan.in);
        const size_t out_row = plane.width * (size_t)y4m_sample_bytes(&video->plan.out);
        size_t rows = (PIECE_BYTES / row / PIECE_ROWS + 1) * PIECE_ROWS;
        if (!video->streams || rows > plane.height)
            rows = plane.height;
        video->piece_rows[i] = (uint32_t)rows;
        if (video->in_piece < rows * row)
            video->in_piece = rows * row;
        if (video->out_piece < rows * out_row)
            video->out_piece = rows * out_row;
    }
    return status;
}

static ro_status open_worker(struct worker *worker)
{
    struct video *video = worker->video;
    ro_context_options how = *ro_context_asked(video->context);
    how.device = RO_DEVICE_CPU;
    how.threads = 1;
    how.progress = NULL;
    ro_status status = ro_context_open(&how, &worker->context);
    if (status != RO_OK)
        return ro_context_fail(video->context, status, "%s", ro_context_message(NULL));
    status = open_plans(worker);
    if (status == RO_OK && worker->caller && !video->plan.pictures)
        status = plan_pieces(video, worker);
    if (status != RO_OK)
        return ro_context_fail(video->context, status, "%s", ro_context_message(worker->context));
    const size_t in = video->reads ? video->in_piece : video->in_bytes;
    const size_t out = video->writes ? video->out_piece : video->out_bytes;
    worker->in = malloc(in);
    worker->out = malloc(out);
    return worker->in && worker->out ? RO_OK : file_no_memory(video->source->file, in + out);
}

/* What its plans will do, of the first plane. */
static ro_status tell(const struct worker *worker, ro_video_report *report)
{
    ro_plan_info way = {.size = sizeof way};
    const ro_status status = ro_plan_query(worker->plans[0], &way);
    report->method = way.method;
    report->schedule = way.schedule;
    report->cpu = way.cpu;
    return status;
}

static ro_status run_workers(struct video *video, int count, ro_video_report *report)
{
    struct worker *workers = calloc((size_t)count, sizeof *workers);
    if (!workers)
        return ro_context_fail(video->context, RO_E_MEMORY, "no memory for %d threads", count);
    int opened = 0, started = 1;
    ro_status status = RO_OK;
    for (; opened < count && status == RO_OK; opened++) {
        workers[opened] = (struct worker){.video = video, .caller = opened == 0};
        status = open_worker(&workers[opened]);
    }
    if (status == RO_OK)
        status = tell(&workers[0], report);
    for (; status == RO_OK && started < count; started++)
        if (!thread_start(&workers[started].thread, run_worker, &workers[started])) {
            status = ro_context_fail(video->context, RO_E_MEMORY, "cannot start a thread");
            fail(video, status, ro_context_message(video->context));
            break;
        }
    if (status == RO_OK)
        run_worker(&workers[0]);
    for (int i = 1; i < started; i++)
        if (workers[i].thread)
            pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < opened; i++)
        close_worker(&workers[i]);
    free(workers);
    if (status == RO_OK && video->status != RO_OK)
        status = ro_context_fail(video->context, video->status, "%s", video->message);
    return status;
}

static void plane_bytes(struct video *video)
{
    for (int i = 0; i < video->plan.in.planes; i++) {
        uint32_t width, height;
        y4m_plane(&video->plan.in, i, &width, &height);
        video->in_bytes += (size_t)width * height * (size_t)y4m_sample_bytes(&video->plan.in);
    }
    for (int i = 0; i < video->plan.out.planes; i++) {
        uint32_t width, height;
        y4m_plane(&video->plan.out, i, &width, &height);
        video->out_bytes += (size_t)width * height * (size_t)y4m_sample_bytes(&video->plan.out);
    }
}

ro_status video_halftone(ro_context *context, struct byte_source *source, const char *out,
                         const ro_halftone_options *options, const ro_read_options *read,
                         const ro_write_options *write, ro_video_report *report)
{
    if (video_check_files(source->file, out, read, write) != RO_OK)
        return RO_E_ARGUMENT;
    struct video video = {.context = context, .source = source, .sink = {.fd = -1}};
    struct y4m in;
    int threads = ro_context_threads(context);
    pthread_mutex_init(&video.reading, NULL);
    pthread_mutex_init(&video.writing, NULL);
    pthread_mutex_init(&video.failing, NULL);
    pthread_cond_init(&video.written, NULL);
    file_init(&video.out_file, context, out, "standard output");
    ro_status status = y4m_open(source, &in);
    if (status == RO_OK && options->range != RO_RANGE_AUTO)
        in.full = options->range == RO_RANGE_FULL;
    if (status == RO_OK)
        status = video_plan_make(source->file, &in, options, read, &video.plan);
    if (status == RO_OK && ro_context_asked(context)->device == RO_DEVICE_CUDA)
        status =
            file_fail(source->file, RO_E_UNSUPPORTED, "is a video, which does not run on CUDA");
    if (status == RO_OK) {
        plane_bytes(&video);
        if ((video.in_bytes + video.out_bytes) > memory_limit(source->file) / (size_t)threads)
            threads = 1;
        if (video.in_bytes + video.out_bytes > memory_limit(source->file))
            status = file_no_memory(source->file, video.in_bytes + video.out_bytes);
    }
    if (status == RO_OK)
        status = sink_open(&video.sink, &video.out_file, out);
    if (status == RO_OK)
        status = y4m_write_open(&video.sink, &video.plan.out);
    source->file->stop = video.out_file.stop = &video.stop;
    video.reads = source_plain(source) && !video.plan.pictures;
    video.writes = sink_plain(&video.sink) && !video.plan.pictures;
    video.frames_begin = video.sink.position;
    if (status == RO_OK)
        status = run_workers(&video, threads, report);
    source->file->stop = video.out_file.stop = NULL;
    if (status == RO_OK && video.writes)
        status = sink_seek(&video.sink, frame_place(&video, video.frames_written));
    if (status == RO_OK)
        status = sink_commit(&video.sink);
    sink_close(&video.sink);
    pthread_cond_destroy(&video.written);
    pthread_mutex_destroy(&video.failing);
    pthread_mutex_destroy(&video.writing);
    pthread_mutex_destroy(&video.reading);
    report->width = video.plan.out.width;
    report->height = video.plan.out.height;
    report->frames = video.frames_written;
    report->bits_in = in.bits;
    report->bits_out = video.plan.out.bits;
    report->threads = threads;
    memcpy(report->layout, video.plan.out.layout, sizeof report->layout);
    return status;
}

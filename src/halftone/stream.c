/* SPDX-License-Identifier: MIT */
/*
 * Halftoning row by row. Rows that make up whole bands are run straight from the caller's memory;
 * the rest wait in `pending` until there are enough. Finished rows wait in `ready` to be pulled.
 * Channels and inks are a stream each behind the caller's, which puts their rows together.
 *
 * A device copies some rows while it computes others, and w columns of n rows take it w + 2.5 n
 * steps, so that few rows take as long as many. Rows for it are gathered until they are about as
 * many as there are columns, in pinned memory, from where it copies them without staging.
 */
#include "core/checked.h"
#include "core/image.h"
#include "core/options.h"
#include "cuda/cuda.h"
#include "halftone/halftone.h"
#include "halftone/planes.h"

#include <stdlib.h>
#include <string.h>

struct ro_halftone_stream {
    struct halftoner work;
    size_t grey_row_bytes, out_row_bytes;
    unsigned char *pending; /* grey rows, `capacity` of them at most */
    uint32_t pending_rows, capacity;
    unsigned char *ready; /* finished rows, `room` of them at most */
    uint32_t ready_first, ready_rows, room;
    uint32_t pushed; /* rows taken since the start */
    bool failed;

    const struct planes *planes; /* NULL: this stream has no others behind it */
    ro_halftone_stream *plane[PLANES_MOST];
    unsigned char *plane_rows; /* one of each */
};

/* Memory for rows that wait. */
static ro_status alloc_rows(const struct halftoner *work, size_t row_bytes, uint32_t rows,
                            unsigned char **memory)
{
    void *made = NULL;
    size_t bytes;
    ro_status status = RO_OK;
    if (!ro_size_multiply(row_bytes, rows, &bytes))
        status = RO_E_MEMORY;
    else if (work->device == RO_DEVICE_CUDA)
        status = ro_cuda_alloc_pinned(work->context, bytes, &made);
    else if (!(made = malloc(bytes)))
        status = RO_E_MEMORY;
    *memory = made;
    if (status == RO_E_MEMORY)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                               rows, work->in.width);
    return status;
}

static void free_rows(const struct halftoner *work, unsigned char *memory)
{
    if (work->device == RO_DEVICE_CUDA)
        ro_cuda_free_pinned(memory);
    else
        free(memory);
}

static ro_status open_stream(ro_context *context, const ro_image *in, enum grey_plane plane,
                             ro_format out, const ro_halftone_options *options,
                             ro_halftone_stream **stream)
{
    enum { BYTES_AT_ONCE = 8 << 20, BYTES_FOR_DEVICE = 64 << 20 /* two bands */ };
    ro_halftone_stream *made = calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a stream");
    ro_status status = halftoner_open(&made->work, context, in, plane, out, options);
    if (status == RO_OK && made->work.engine->whole_image)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s needs the whole image and cannot run row by row",
                                 made->work.method->info.name);
    if (status != RO_OK)
        goto fail;

    const struct halftoner *work = &made->work;
    made->grey_row_bytes = grey_row_bytes(&work->grey, in->width);
    made->out_row_bytes = ro_format_row_bytes(out, in->width);
    const bool device = work->device == RO_DEVICE_CUDA;
    size_t at_once = device && work->grey.direct ? BYTES_FOR_DEVICE : BYTES_AT_ONCE;
    uint32_t bands = (uint32_t)(at_once / made->grey_row_bytes / work->granularity);
    uint32_t wanted = 4 * (uint32_t)work->report.threads;
    if (device && wanted < in->width / work->granularity)
        wanted = in->width / work->granularity;
    made->room = work->granularity * (bands ? bands : 1);
    made->capacity = work->granularity * (bands > wanted ? wanted : bands ? bands : 1);
    if (made->room > in->height)
        made->room = in->height;
    if (made->capacity > in->height)
        made->capacity = in->height;
    status = alloc_rows(work, made->grey_row_bytes, made->capacity, &made->pending);
    if (status == RO_OK)
        status = alloc_rows(work, made->out_row_bytes, made->room, &made->ready);
    if (status != RO_OK)
        goto fail;
    *stream = made;
    return RO_OK;
fail:
    ro_halftone_close(made);
    return status;
}

static ro_status open_planes(ro_context *context, const ro_image *in, ro_format out,
                             const ro_halftone_options *options, ro_halftone_stream **stream)
{
    const struct planes *planes;
    ro_status status = planes_find(context, options, out, &planes);
    if (status != RO_OK)
        return status;
    ro_halftone_stream *made = calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a stream");
    made->planes = planes;
    made->work = (struct halftoner){.context = context, .in = *in, .out = out};
    for (int i = 0; i < planes->count && status == RO_OK; i++)
        status =
            open_stream(context, in, planes->plane[i], planes->format, options, &made->plane[i]);
    if (status == RO_OK && !(made->plane_rows = malloc((size_t)planes->count * in->width)))
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in->width);
    if (status != RO_OK) {
        ro_halftone_close(made);
        return status;
    }
    *stream = made;
    return RO_OK;
}

ro_status ro_halftone_open(ro_context *context, const ro_image *in, ro_format out,
                           const ro_halftone_options *options, ro_halftone_stream **stream)
{
    *stream = NULL;
    ro_halftone_options full = RO_HALFTONE_OPTIONS;
    ro_status status = ro_options_take(context, options, &full, "RO_HALFTONE_OPTIONS");
    if (status != RO_OK)
        return status;
    static _Alignas(8) unsigned char no_pixels;
    ro_image shape = *in;
    shape.data = &no_pixels;
    shape.stride = (ptrdiff_t)ro_format_row_bytes(in->format, in->width);
    status = ro_image_check(context, &shape, "input");
    if (status != RO_OK)
        return status;
    if (full.channels != RO_CHANNELS_GREY)
        return open_planes(context, &shape, out, &full, stream);
    return open_stream(context, &shape, PLANE_LUMA, out, &full, stream);
}

void ro_halftone_close(ro_halftone_stream *stream)
{
    if (!stream)
        return;
    for (int i = 0; i < PLANES_MOST; i++)
        ro_halftone_close(stream->plane[i]);
    free(stream->plane_rows);
    halftoner_close(&stream->work);
    free_rows(&stream->work, stream->pending);
    free_rows(&stream->work, stream->ready);
    free(stream);
}

/* Runs rows into `ready`, which is empty. */
static ro_status run_rows(ro_halftone_stream *stream, const void *rows, ptrdiff_t stride,
                          uint32_t count)
{
    ro_status status = halftoner_run(&stream->work, rows, stride, stream->ready,
                                     (ptrdiff_t)stream->out_row_bytes, count);
    stream->ready_first = 0;
    stream->ready_rows = status == RO_OK ? count : 0;
    return status;
}

static ro_status run_pending(ro_halftone_stream *stream)
{
    uint32_t rows = stream->pending_rows;
    stream->pending_rows = 0;
    return run_rows(stream, stream->pending, (ptrdiff_t)stream->grey_row_bytes, rows);
}

static ro_status take_one(ro_halftone_stream *stream, const void *row)
{
    struct halftoner *work = &stream->work;
    unsigned char *to = stream->pending + stream->pending_rows * stream->grey_row_bytes;
    ro_status status = RO_OK;
    if (work->grey.direct)
        memcpy(to, row, stream->grey_row_bytes);
    else
        status = grey_row(work->context, &work->in, row, stream->pushed, &work->grey, to);
    if (status != RO_OK)
        return status;
    stream->pending_rows++;
    stream->pushed++;
    return RO_OK;
}

/* Whether rows are run straight from the caller's memory: nothing waits before them, and for a
 * device they are as many as it is worth to gather. */
static bool runs_straight(const ro_halftone_stream *stream, uint32_t offered)
{
    const struct halftoner *work = &stream->work;
    return stream->pending_rows == 0 && stream->ready_rows == 0 && work->grey.direct &&
           (work->device != RO_DEVICE_CUDA || offered >= stream->capacity / 2);
}

/* The streams of the planes have the same shape and so take the same number of rows. */
static ro_status push_planes(ro_halftone_stream *stream, const void *rows, ptrdiff_t stride,
                             uint32_t count, uint32_t *taken)
{
    ro_status status = ro_halftone_push(stream->plane[0], rows, stride, count, taken);
    for (int i = 1; i < stream->planes->count && status == RO_OK; i++) {
        uint32_t same;
        status = ro_halftone_push(stream->plane[i], rows, stride, *taken, &same);
        if (status == RO_OK && same != *taken)
            status = ro_context_fail(stream->work.context, RO_E_STATE,
                                     "the planes of a picture have come apart");
    }
    return status;
}

static ro_status pull_planes(ro_halftone_stream *stream, void *rows, ptrdiff_t stride,
                             uint32_t count, uint32_t *given)
{
    const struct planes *planes = stream->planes;
    const uint32_t width = stream->work.in.width;
    for (unsigned char *to = rows; *given < count; to += stride, ++*given) {
        uint32_t got = 1;
        for (int i = 0; i < planes->count && got; i++) {
            unsigned char *row = stream->plane_rows + (size_t)i * width;
            ro_status status = ro_halftone_pull(stream->plane[i], row, width, 1, &got);
            if (status != RO_OK)
                return status;
        }
        if (!got)
            break;
        planes->combine(to, stream->plane_rows, width, width);
    }
    return RO_OK;
}

static bool rows_fit(const void *rows, ptrdiff_t stride, uint32_t count, size_t row)
{
    const size_t apart = stride < 0 ? -(size_t)stride : (size_t)stride;
    return count == 0 || (rows && (count == 1 || apart >= row));
}

ro_status ro_halftone_push(ro_halftone_stream *stream, const void *rows, ptrdiff_t stride,
                           uint32_t count, uint32_t *taken)
{
    struct halftoner *work = &stream->work;
    const uint32_t height = work->in.height;
    const unsigned char *from = rows;
    ro_status status = RO_OK;
    *taken = 0;
    if (!rows_fit(rows, stride, count, ro_format_row_bytes(work->in.format, work->in.width)))
        return ro_context_fail(work->context, RO_E_ARGUMENT, "rows to push are missing or overlap");
    if (stream->planes)
        return push_planes(stream, rows, stride, count, taken);
    if (stream->failed)
        return ro_context_fail(work->context, RO_E_STATE, "the stream has failed before");
    if (count > height - stream->pushed)
        return ro_context_fail(work->context, RO_E_STATE,
                               "the image has %u rows; %u more were pushed after row %u", height,
                               count, stream->pushed);
    while (status == RO_OK && *taken < count) {
        uint32_t offered = count - *taken;
        if (runs_straight(stream, offered)) {
            uint32_t direct = offered < stream->room ? offered : stream->room;
            if (stream->pushed + direct < height)
                direct -= direct % work->granularity;
            if (direct > 0) {
                status = run_rows(stream, from, stride, direct);
                stream->pushed += direct;
                *taken += direct;
                from += (ptrdiff_t)direct * stride;
                continue;
            }
        }
        if (stream->pending_rows < stream->capacity) {
            status = take_one(stream, from);
            if (status != RO_OK)
                break;
            from += stride;
            ++*taken;
        } else if (stream->ready_rows > 0) {
            break;
        }
        bool full = stream->pending_rows == stream->capacity || stream->pushed == height;
        if (full && stream->ready_rows == 0) {
            status = run_pending(stream);
        }
    }
    if (status == RO_OK && ro_context_cancelled(work->context))
        status = ro_context_fail(work->context, RO_E_CANCELLED, "cancelled");
    stream->failed = status != RO_OK;
    return status;
}

ro_status ro_halftone_pull(ro_halftone_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                           uint32_t *given)
{
    *given = 0;
    if (count > 0 && !rows)
        return ro_context_fail(stream->work.context, RO_E_ARGUMENT, "rows to pull have no place");
    if (stream->planes)
        return pull_planes(stream, rows, stride, count, given);
    /* The last rows may still wait behind finished ones that have now been pulled. */
    if (stream->ready_rows == 0 && stream->pending_rows > 0 &&
        (stream->pushed == stream->work.in.height || stream->pending_rows == stream->capacity)) {
        ro_status status = run_pending(stream);
        if (status != RO_OK) {
            stream->failed = true;
            return status;
        }
    }
    unsigned char *to = rows;
    while (*given < count && stream->ready_rows > 0) {
        memcpy(to, stream->ready + stream->ready_first * stream->out_row_bytes,
               stream->out_row_bytes);
        to += stride;
        stream->ready_first++;
        stream->ready_rows--;
        ++*given;
    }
    return RO_OK;
}

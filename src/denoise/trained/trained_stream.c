/* SPDX-License-Identifier: MIT */
#include "denoise/trained/trained_stream.h"

#include "core/checked.h"
#include "core/image.h"
#include "denoise/trained/trained_picture.h"

#include <stdlib.h>
#include <string.h>

struct trained_stream {
    struct denoiser *work;
    struct trained_picture picture;
    struct trained_band *band[3];
    size_t row_bytes, width;
    uint32_t rows; /* room in the rings */
    char *samples;
    int32_t *change; /* of every plane, rows one after another */
    uint32_t taken, ready, given;
    uint64_t carry[3];
};

static char *samples_at(const struct trained_stream *stream, uint32_t y)
{
    return stream->samples + (size_t)(y % stream->rows) * stream->row_bytes;
}

static int32_t *change_at(const struct trained_stream *stream, int plane, uint32_t y)
{
    return stream->change + ((size_t)plane * stream->rows + y % stream->rows) * stream->width;
}

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory for rows of %u pixels",
                           work->in.width);
}

static ro_status open_stream(struct trained_stream *stream)
{
    struct denoiser *work = stream->work;
    ro_status status = trained_picture_make(&stream->picture, work);
    if (status != RO_OK)
        return status;
    size_t samples, change;
    stream->width = work->in.width;
    stream->row_bytes = ro_format_row_bytes(work->in.format, work->in.width);
    stream->rows =
        2 * (uint32_t)trained_reach(work->network) + 2; /* those of the end, and as many */
    if (!size_multiply(stream->row_bytes, stream->rows, &samples) ||
        !size_multiply(stream->width * sizeof(int32_t), 3 * (size_t)stream->rows, &change) ||
        !(stream->samples = malloc(samples)) || !(stream->change = malloc(change)))
        return no_memory(work);
    for (int p = 0; p < stream->picture.planes && !stream->picture.idle; p++) {
        stream->band[p] = trained_band_open(&stream->picture.plan[p], stream->picture.kernel,
                                            work->in.width, work->in.height, 0, work->in.height);
        if (!stream->band[p])
            return no_memory(work);
    }
    for (int c = 0; c < 3; c++)
        stream->carry[c] = trained_start(&stream->picture);
    return RO_OK;
}

ro_status trained_stream_open(struct denoiser *work, struct trained_stream **made)
{
    struct trained_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return no_memory(work);
    stream->work = work;
    ro_status status = open_stream(stream);
    if (status != RO_OK) {
        trained_stream_close(stream);
        return status;
    }
    *made = stream;
    return RO_OK;
}

void trained_stream_close(struct trained_stream *stream)
{
    if (!stream)
        return;
    for (int p = 0; p < 3; p++)
        trained_band_close(stream->band[p]);
    free(stream->samples);
    free(stream->change);
    free(stream);
}

bool trained_stream_take(struct trained_stream *stream, const char *samples)
{
    const uint32_t y = stream->taken;
    const int planes = stream->picture.planes;
    /* A row may make all rows ready that wait in the bands. */
    if (stream->ready > stream->given)
        return false;
    memcpy(samples_at(stream, y), samples, stream->row_bytes);
    stream->taken++;
    if (stream->picture.idle) {
        stream->ready = stream->taken;
        return true;
    }
    uint32_t ready = stream->ready;
    for (int p = 0; p < planes; p++) {
        trained_see(&stream->picture, p, samples, trained_band_room(stream->band[p]));
        trained_band_push(stream->band[p]);
        ready = stream->ready;
        for (const int32_t *line; (line = trained_band_pull(stream->band[p])); ready++)
            memcpy(change_at(stream, p, ready), line, stream->width * sizeof *line);
    }
    stream->ready = ready;
    return true;
}

bool trained_stream_give(struct trained_stream *stream, char *out)
{
    const uint32_t y = stream->given;
    struct step_figures before = step_figures_none, after = step_figures_none;
    if (stream->ready == y)
        return false;
    const int32_t *const change[3] = {change_at(stream, 0, y), change_at(stream, 1, y),
                                      change_at(stream, 2, y)};
    trained_write(&stream->picture, samples_at(stream, y), change, out, stream->carry, &before,
                  &after);
    figures_add(&stream->work->before, &before);
    figures_add(&stream->work->after, &after);
    stream->given++;
    return true;
}

uint32_t trained_stream_taken(const struct trained_stream *stream) { return stream->taken; }

uint32_t trained_stream_given(const struct trained_stream *stream) { return stream->given; }

void trained_stream_report(struct trained_stream *stream)
{
    trained_report(stream->work, "stream", stream->picture.kernel->cpu, 1);
}

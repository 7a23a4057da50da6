/* SPDX-License-Identifier: MIT */
/* How long a halftone takes on many ranks: how measured parts fit together. docs/scale.md has the
 * formulas. */
#include "model.h"

#include "core/misuse.h"

#include <stdbool.h>

struct pace model_cut(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks,
                      int threads)
{
    const struct pace_needs needs = {.width = width,
                                     .height = height,
                                     .lanes = costs->rows,
                                     .lines = (uint32_t)costs->lines,
                                     .ranks = (uint32_t)ranks,
                                     .threads = (uint32_t)threads,
                                     .row_bytes =
                                         ((size_t)width * (size_t)costs->in_bits + 7) / 8 +
                                         ((size_t)width * (size_t)costs->out_bits + 7) / 8};
    struct pace pace = pace_of(&needs);
    if (!costs->lines || ranks == 1)
        pace.rows = pace_usual(needs.row_bytes);
    if (pace.rows > height)
        pace.rows = height;
    return pace;
}

/* When bands begin and end, in seconds from the first; a rank's next one follows its last. */
struct schedule {
    uint32_t bands, last_rows, rows;
    int ranks;
    double band, lag, turn;
};

static double begin_of(const struct schedule *s, uint32_t band)
{
    const uint32_t ranks = (uint32_t)s->ranks;
    return (double)(band / ranks) * s->turn + (double)(band % ranks) * s->lag;
}

/* The last band may be low, and the one before end later. */
static double end_of(const struct schedule *s)
{
    const uint32_t last = s->bands - 1;
    const double end = begin_of(s, last) + s->band * s->last_rows / s->rows;
    const double before = last ? begin_of(s, last - 1) + s->band : 0;
    return end > before ? end : before;
}

void model_predict(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks,
                   int threads, const struct pace *pace, ro_mpi_prediction *prediction)
{
    const double in = costs->in_bits / 8.0, out = costs->out_bits / 8.0;
    const bool carries = costs->lines && ranks > 1;
    const uint32_t bands = height / pace->rows + (height % pace->rows != 0);
    const double pixels = (double)pace->rows * width, all = (double)width * height;
    const double computing = pixels * costs->pixel * costs->clock / threads;
    const double reading = pixels * in * costs->read_byte;
    const double pieces = carries ? (width + pace->piece - 1) / pace->piece : 0;
    const double bytes = 4.0 * costs->lines;
    /* What is handed on is received and sent by those who compute. */
    const double handing =
        carries ? pieces * costs->message + bytes * width * costs->message_byte : 0;
    struct schedule s = {.bands = bands,
                         .rows = pace->rows,
                         .last_rows = height - (bands - 1) * pace->rows,
                         .ranks = ranks,
                         .band = reading + computing + handing + pixels * out * costs->write_byte};
    /* The next band begins when the last row of this one has passed a piece, and that has come. */
    if (carries)
        s.lag = computing * (pace->piece + pace_lag(pace->rows, costs->rows)) / width +
                costs->message + bytes * pace->piece * costs->message_byte;
    s.turn = s.band > ranks * s.lag ? s.band : ranks * s.lag;
    const double busy = bands < (uint32_t)ranks ? (double)bands : ranks;
    const double end = end_of(&s);
    *prediction = (ro_mpi_prediction){
        .rows = pace->rows,
        .bands = bands,
        .columns = costs->lines ? pace->piece : 0,
        .seconds = end + costs->fixed + all * out * costs->sync_byte,
        .fill = reading + (busy - 1) * s.lag,
        .computing = all * costs->pixel + busy * costs->fixed_processor,
        .rank_bytes = pixels * (in + out) + 8.0 * costs->lines * width,
        .sent = carries ? bytes * width * (bands - 1.0) : 0,
        .most_ranks = carries ? s.band / s.lag : bands,
        /* All but the work, in seconds of ranks; what a machine's others take of it belongs here.
         */
        .waiting = ranks * end - all / pixels * (s.band - handing) +
                   all * costs->pixel * (costs->clock - 1) / threads,
    };
    prediction->efficiency = prediction->computing / (prediction->seconds * ranks * threads);
}

void ro_mpi_plan(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks, int threads,
                 ro_mpi_prediction *prediction)
{
    if (ABSENT(prediction))
        return;
    *prediction = (ro_mpi_prediction){0};
    if (ABSENT(costs) || costs->rows == 0 || width == 0 || height == 0)
        return;
    ranks = ranks < 1 ? 1 : ranks;
    threads = threads < 1 ? 1 : threads;
    const struct pace pace = model_cut(costs, width, height, ranks, threads);
    model_predict(costs, width, height, ranks, threads, &pace, prediction);
}

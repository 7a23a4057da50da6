/* SPDX-License-Identifier: MIT */
/*
 * Many steps in one pass over the rows. A stage is one step and remembers two rows; stages behind
 * one another form a pipe: rows of step 0 go in, rows of the last step come out, each stage one row
 * later. It is the parallelism in depth of Figures 4.24 and 4.25: memory is read and written once
 * for all steps of a pipe, and what happens between stays in the cache.
 */
#ifndef RO_PDE_STREAM_H
#define RO_PDE_STREAM_H

#include "core/pool.h"
#include "pde/rows.h"

struct ro_stage {
    bool smooth;
    bool first_smoothing; /* its guide is the image itself */
    bool skip;            /* the next row that would come out lacks what is above it */
    const char *previous; /* the last row that came in; NULL: none yet */
    uint64_t count;       /* rows that came in */
    char *rows[2];        /* where they are written, in turn */
    char *weights, *carry;
};

struct ro_pipe {
    const struct ro_rows *rows;
    int stages;
    int flushed; /* stages whose last row has come out */
    struct ro_stage *stage;
    char *memory;
};

/* A pipe of the stages from `from` to `to` of the endless sequence of iterations, each of which is
 * some smoothings and a step. RO_E_MEMORY, RO_E_SIZE. */
ro_status ro_pipe_open(struct ro_pipe *pipe, const struct ro_rows *rows, int from, int to);
void ro_pipe_close(struct ro_pipe *pipe);

/* Stages of an iteration, and bytes of a row between two stages. */
int ro_pipe_stages_of(const struct ro_rows *rows);
size_t ro_pipe_row_bytes(const struct ro_rows *rows);

/* Makes it ready for rows first .. of an image, so that the first row out is `wanted` or earlier.
 */
void ro_pipe_begin(struct ro_pipe *pipe, uint32_t first, uint32_t wanted);

/* A row goes in and must stay where it is until the next one went in; true when a row came out. */
bool ro_pipe_feed(struct ro_pipe *pipe, const char *row, char *out);
/* After the last row of the image, once per stage: true when a row came out. */
bool ro_pipe_flush(struct ro_pipe *pipe, char *out);

/* An image in the order of the rows' kernel. */
struct ro_field {
    char *data;
    size_t pitch;
};

/* Passes of `iterations` iterations from one field to another, bands of rows shared out among the
 * threads; a band recomputes the few rows round it that its steps look at. */
struct ro_stream {
    struct ro_pool *pool;
    int threads;
    uint32_t bands;
    struct ro_pipe *pipes; /* one per thread */
};
ro_status ro_stream_open(struct ro_stream *stream, struct ro_pool *pool, const struct ro_rows *rows,
                         int iterations);
void ro_stream_pass(struct ro_stream *stream, const struct ro_field *from,
                    const struct ro_field *to);
void ro_stream_close(struct ro_stream *stream);

#endif

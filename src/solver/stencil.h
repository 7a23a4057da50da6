/* SPDX-License-Identifier: MIT */
/*
 * Many steps in one pass over the rows. A stage is one step and remembers two rows; stages behind
 * one another form a pipe: rows of step 0 go in, rows of the last step come out, each stage one row
 * later. It is the parallelism in depth of Figures 4.24 and 4.25: memory is read and written once
 * for all steps of a pipe, and what happens between stays in the cache.
 */
#ifndef RO_SOLVER_STENCIL_H
#define RO_SOLVER_STENCIL_H

#include "roundoff/core.h"
#include "thread/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a stage makes row y of its output from. */
struct stencil_work {
    uint32_t y;
    const char *above, *row, *below; /* NULL outside the image; `above` also where it is not known,
                                        and then the row is not wanted */
    char *out;
    char *memory; /* of the stage */
    bool wanted;  /* false: the row lacks what is above it and is thrown away */
    int behind;   /* stages that follow in the pipe */
};

/* An iteration of some method as one or more stages, each of which sees three rows. */
struct stencil {
    const void *data;
    uint32_t height;
    size_t row_bytes;    /* of a row between two stages, and of one that goes in */
    size_t memory_bytes; /* that a stage keeps from row to row, zero at the start */
    int stages;          /* of an iteration */
    bool looks_up;       /* `above` is used: rows that go in stay for one row more */
    void (*run)(const struct stencil *stencil, int stage, const struct stencil_work *work);
};

struct stencil_stage {
    int place;            /* in its iteration */
    bool skip;            /* the next row that would come out lacks what is above it */
    uint32_t y;           /* of the last row that came in */
    const char *before;   /* the row before it; NULL: none yet */
    const char *previous; /* the last row that came in; NULL: none yet */
    uint64_t count;       /* rows that came in */
    char *rows[3];        /* where they are written, in turn */
    char *memory;
};

struct stencil_pipe {
    const struct stencil *stencil;
    int stages;
    int flushed; /* stages whose last row has come out */
    struct stencil_stage *stage;
    char *memory;
};

/* A pipe of the stages from `from` to `to` of the endless sequence of iterations. RO_E_MEMORY,
 * RO_E_SIZE. */
ro_status pipe_open(struct stencil_pipe *pipe, const struct stencil *stencil, int from, int to);
void pipe_close(struct stencil_pipe *pipe);

/* Bytes that a stage of a pipe takes. */
size_t pipe_stage_bytes(const struct stencil *stencil);

/* Makes it ready for rows first .. of an image, so that the first row out is `wanted` or earlier.
 */
void pipe_begin(struct stencil_pipe *pipe, uint32_t first, uint32_t wanted);

/* A row goes in and must stay where it is until the next one went in, or the next two where the
 * stencil looks up; true when a row came out. */
bool pipe_feed(struct stencil_pipe *pipe, const char *row, char *out);
/* After the last row of the image, once per stage: true when a row came out. */
bool pipe_flush(struct stencil_pipe *pipe, char *out);

/* An image in the order of the stencil's rows. */
struct stencil_rows {
    char *data;
    size_t pitch;
};

/* Passes of `iterations` iterations from one field to another, bands of rows shared out among the
 * threads; a band recomputes the few rows round it that its steps look at. */
struct stencil_stream {
    struct thread_pool *pool;
    int threads;
    uint32_t bands;
    struct stencil_pipe *pipes; /* one per thread */
    const atomic_bool
        *stop; /* set by the caller; once it is true, passes end early and unfinished */
};
ro_status stencil_stream_open(struct stencil_stream *stream, struct thread_pool *pool,
                              const struct stencil *stencil, int iterations);
void stream_pass(struct stencil_stream *stream, const struct stencil_rows *from,
                 const struct stencil_rows *to);
void stream_close(struct stencil_stream *stream);

#endif

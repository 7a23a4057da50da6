/* SPDX-License-Identifier: MIT */
/* Level sets as a stencil of rows, for passes of one or many steps. */
#include "segment/levelset/schedule.h"

#include <string.h>

static void run_stage(const struct stencil *stencil, int stage, const struct stencil_work *work)
{
    struct level_passes *passes = (struct level_passes *)stencil->data;
    const struct level_front *front = passes->front;
    const size_t bytes = front->level.real ? sizeof(float) : sizeof(int16_t);
    const size_t end = bytes * front->level.width;
    const char *row = work->row + RO_LEVEL_PAD;
    char *out = work->out + RO_LEVEL_PAD;
    (void)stage;
    struct level_row level_row = {
        .above = work->above ? work->above + RO_LEVEL_PAD : row,
        .row = row,
        .below = work->below ? work->below + RO_LEVEL_PAD : row,
        .speed = front->speed.data + work->y * front->speed.pitch,
        .out = out,
        .count = front->level.width,
    };
    if (front->level.moved_by_field) {
        level_row.vx = front->vx.data + work->y * front->vx.pitch;
        level_row.vy = front->vy.data + work->y * front->vy.pitch;
    }
    unsigned moves = passes->kernel->step(&front->level, &level_row);
    memcpy(out - bytes, out, bytes);
    memcpy(out + end, out + end - bytes, bytes);
    moves &= work->wanted ? work->behind == 0 ? LEVEL_MOVED | LEVEL_CROSSED : LEVEL_CROSSED : 0;
    if (moves)
        atomic_fetch_or_explicit(&passes->moves, moves, memory_order_relaxed);
}

void level_passes_open(struct level_passes *passes, struct level_front *front,
                       const struct level_kernel *kernel, uint32_t depth)
{
    *passes = (struct level_passes){.front = front, .kernel = kernel, .depth = depth};
    passes->stencil = (struct stencil){
        .data = passes,
        .height = front->level.height,
        .row_bytes = front->phi[0].pitch,
        .stages = 1,
        .looks_up = true,
        .run = run_stage,
    };
}

void level_passes_close(struct level_passes *passes)
{
    stream_close(&passes->stream);
    *passes = (struct level_passes){0};
}

static struct stencil_rows rows_of(const struct level_field *field)
{
    return (struct stencil_rows){field->data - RO_LEVEL_PAD, field->pitch};
}

ro_status level_passes_run(struct level_passes *passes, struct thread_pool *pool, uint32_t steps,
                           unsigned *moves)
{
    struct level_front *front = passes->front;
    *moves = 0;
    while (steps > 0) {
        uint32_t depth = steps < passes->depth ? steps : passes->depth;
        if (depth != passes->open) {
            stream_close(&passes->stream);
            passes->open = 0;
            ro_status status =
                stencil_stream_open(&passes->stream, pool, &passes->stencil, (int)depth);
            if (status != RO_OK)
                return status;
            passes->open = depth;
        }
        struct stencil_rows from = rows_of(&front->phi[front->now]);
        struct stencil_rows to = rows_of(&front->phi[1 - front->now]);
        atomic_store(&passes->moves, 0);
        stream_pass(&passes->stream, &from, &to);
        front->now = 1 - front->now;
        steps -= depth;
        *moves &= LEVEL_CROSSED;
        *moves |= atomic_load(&passes->moves);
    }
    return RO_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Bands of rows that run from left to right, each some columns behind the one above:
 *
 *     band 0   ###################>
 *     band 1   ###########>            how far a band has come stands in its gate;
 *     band 2   ###>                    the band below waits there
 *
 * Threads take bands by ticket, in order, so that whoever waits, waits for a band that runs. Gates
 * and what bands leave to the next one lie in a ring: bands end in order, so a slot is free again
 * when its turn comes. What lies in a slot, and what a step computes, is the caller's business.
 *
 * Bands that wait for one another form a chain. An image is one chain, and may come in several
 * runs; the hogels of a hologram are chains side by side, whose first bands are taken first.
 */
#ifndef RO_THREAD_WAVEFRONT_H
#define RO_THREAD_WAVEFRONT_H

#include "thread/pool.h"

#include <stddef.h>

struct band_chain {
    int64_t columns; /* of a band: nobody waits for more */
    uint64_t first;  /* bands of earlier runs, all finished */
    uint32_t bands;  /* of this run */
};

/* Memory of a wavefront: gates, slots and a scratch for each thread. */
struct wavefront_shape {
    int chains, slots; /* slots of a chain */
    size_t slot_bytes, scratch_bytes;
    size_t gates_at, slots_at, scratch_at, walks_at, total;
};

/* `threads` is how many bands are under way at the same time, `reach` how many bands above a band
 * reads from. */
struct wavefront_shape wavefront_shape(int threads, int chains, int reach, size_t slot_bytes,
                                       size_t scratch_bytes);

/*
 * The ends of a chain that is a piece of a longer one: somebody else, on this machine or another,
 * runs the bands above its first, or those below its last.
 *
 *     elsewhere  #############>         `given` columns have come from there
 *     band 0     #########>
 *     band 1     ####>                  `finished` columns may go on from here
 *     elsewhere  >
 */
struct wavefront_link {
    struct gate_room room;
    struct thread_gate given, finished; /* columns, counted from the left */
    const atomic_bool *stop;            /* ends waiting; what is then computed is of no use */
    bool above, below;                  /* whether there is anybody at that end */

    /* The caller's, or NULL: called by the thread that would wait for columns, to bring them, and
     * by the one that has finished some. */
    void (*bring)(void *data, uint64_t columns);
    void (*take)(void *data);
    void *data;
};
void wavefront_link_open(struct wavefront_link *link, const atomic_bool *stop);
void wavefront_link_close(struct wavefront_link *link);
void wavefront_link_begin(struct wavefront_link *link, bool above, bool below);

/* Until columns before `columns` have come; and these may go on. */
void wavefront_link_wait(struct wavefront_link *link, uint64_t columns);
void wavefront_link_tell(struct wavefront_link *link, uint64_t columns);

/* Lies at the beginning of shape.total bytes, aligned to 64, which were zero at the start. */
struct wavefront;
typedef void band_fn(struct wavefront *front, void *data, int chain, uint32_t number, int thread);

struct wavefront {
    struct wavefront_shape shape;
    struct gate_room room;
    const struct band_chain *chains;
    int count;
    uint32_t most; /* bands of the longest chain */
    band_fn *band;
    void *data;
    atomic_uint_fast64_t ticket;

    /* The caller's. */
    uint64_t begun;              /* bands of earlier runs of an image */
    struct wavefront_link *link; /* of an image's one chain; NULL: none */
    bool last;                   /* this run ends the image */
    int abreast; /* bands of an image that a thread runs side by side, by turns; 0 or 1: one by one.
                    The shape is that of as many times the threads. */
};

/* Makes ready for the first band of another image; all else stays. */
void wavefront_restart(struct wavefront *front, const struct wavefront_shape *shape);

/* Calls `band` for every band of `count` chains and returns when all are done. */
void wavefront_run(struct wavefront *front, const struct wavefront_shape *shape,
                   struct thread_pool *pool, int threads, const struct band_chain *chains,
                   int count, band_fn *band, void *data);

/* What band `number` of a chain leaves to those below it; from -reach on. Of an image that comes in
 * several runs and is one chain, bands can also be counted from its first one. */
void *wavefront_slot(const struct wavefront *front, int chain, int64_t number);
void *wavefront_slot_of_all(const struct wavefront *front, const struct wavefront_shape *shape,
                            int64_t number);
void *wavefront_scratch(const struct wavefront *front, int thread);

/* A band's way: after step s its columns before s - lag are finished, and for step s it needs those
 * before s + ahead of the band above. `steps` runs steps from first to last - 1. */
struct band_way {
    int64_t end, interval, ahead, lag;
};
typedef void wavefront_steps_fn(void *work, int64_t first, int64_t last);
/* Called by `band` with its thread, at its end: of bands that run side by side the steps are still
 * to come, with a copy of `work`. */
enum { RO_WAVEFRONT_WORK = 768 }; /* bytes at most */
void wavefront_walk(struct wavefront *front, int chain, uint32_t number, int thread,
                    const struct band_way *way, wavefront_steps_fn *steps, void *work,
                    size_t work_bytes);

/* For a band that will not run: nobody may wait for it. It ends in its turn, after the one above;
 * so not for bands side by side, where the same thread runs that one. */
void wavefront_skip(struct wavefront *front, int chain, uint32_t number);

/*
 * How far a band goes before it tells the next, in whole chunks, and how many threads are of use.
 * Handing over must be frequent enough to start the next band early, and rare enough to cost
 * nothing. No more threads run at once than fit between the image's sides, each an interval and its
 * lag behind the last, with as much to spare: threads that always wait fall asleep, and waking them
 * takes longer.
 */
struct wavefront_pace {
    int64_t interval;
    int threads;
};
struct wavefront_pace wavefront_pace(int64_t columns, int64_t lag, int chunk, uint32_t bands,
                                     int threads);

#endif

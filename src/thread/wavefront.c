/* SPDX-License-Identifier: MIT */
#include "thread/wavefront.h"

#include <string.h>

/* A band on its way, among others of its thread. */
struct walk {
    uint32_t number;
    struct band_way way;
    wavefront_steps_fn *steps;
    int64_t step;
    _Alignas(64) unsigned char work[RO_WAVEFRONT_WORK];
};

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

struct wavefront_shape wavefront_shape(int threads, int chains, int reach, size_t slot_bytes,
                                       size_t scratch_bytes)
{
    struct wavefront_shape shape = {
        .chains = chains,
        .slots = threads + 1 + reach,
        .slot_bytes = round_up(slot_bytes),
        .scratch_bytes = round_up(scratch_bytes),
        .gates_at = round_up(sizeof(struct wavefront)),
    };
    size_t slots = (size_t)chains * (size_t)shape.slots;
    shape.slots_at = shape.gates_at + slots * sizeof(struct thread_gate);
    shape.scratch_at = shape.slots_at + slots * shape.slot_bytes;
    shape.walks_at = shape.scratch_at + (size_t)threads * shape.scratch_bytes;
    shape.total = shape.walks_at + (size_t)threads * sizeof(struct walk);
    return shape;
}

/* Numbers are shifted by the slots, so that the bands above the first have slots too. */
static size_t place_of(const struct wavefront *front, int chain, int64_t number)
{
    uint64_t slots = (uint64_t)front->shape.slots;
    uint64_t band = front->chains[chain].first + slots + (uint64_t)number;
    return (size_t)((uint64_t)chain * slots + band % slots);
}

void *wavefront_slot(const struct wavefront *front, int chain, int64_t number)
{
    return (unsigned char *)front + front->shape.slots_at +
           place_of(front, chain, number) * front->shape.slot_bytes;
}

void *wavefront_slot_of_all(const struct wavefront *front, const struct wavefront_shape *shape,
                            int64_t number)
{
    const uint64_t slots = (uint64_t)shape->slots;
    return (unsigned char *)front + shape->slots_at +
           (slots + (uint64_t)number) % slots * shape->slot_bytes;
}

void *wavefront_scratch(const struct wavefront *front, int thread)
{
    return (unsigned char *)front + front->shape.scratch_at +
           (size_t)thread * front->shape.scratch_bytes;
}

static struct thread_gate *gate_of(const struct wavefront *front, int chain, uint32_t number)
{
    struct thread_gate *gates = (void *)((unsigned char *)front + front->shape.gates_at);
    return gates + place_of(front, chain, number);
}

/* Grows from band to band, since a gate serves many. */
static uint64_t gate_value(const struct wavefront *front, int chain, uint32_t number,
                           int64_t columns)
{
    return (front->chains[chain].first + number + 1) << 32 | (uint64_t)columns;
}

static void wait_for_above(struct wavefront *front, int chain, uint32_t number, int64_t columns)
{
    struct wavefront_link *link = front->link;
    const int64_t most = front->chains[chain].columns;
    if (number == 0) { /* an earlier run finished the one above, or somebody else runs it */
        if (link && link->above && front->begun == 0)
            wavefront_link_wait(link, (uint64_t)(columns < most ? columns : most));
        return;
    }
    gate_wait(&front->room, gate_of(front, chain, number - 1),
              gate_value(front, chain, number - 1, columns < most ? columns : most));
}

static void tell_below(struct wavefront *front, int chain, uint32_t number, int64_t columns)
{
    struct wavefront_link *link = front->link;
    if (columns <= 0)
        return;
    gate_raise(&front->room, gate_of(front, chain, number),
               gate_value(front, chain, number, columns));
    if (link && link->below && front->last && number + 1 == front->chains[chain].bands)
        wavefront_link_tell(link, (uint64_t)columns);
}

void wavefront_skip(struct wavefront *front, int chain, uint32_t number)
{
    if (number > 0) /* else it overtakes bands that run, whose gates it shares */
        wait_for_above(front, chain, number, front->chains[chain].columns);
    tell_below(front, chain, number, front->chains[chain].columns);
}

static int64_t next_of(const struct band_way *way, int64_t step)
{
    return step + way->interval < way->end ? step + way->interval : way->end;
}

static void step_on(struct wavefront *front, int chain, uint32_t number, const struct band_way *way,
                    wavefront_steps_fn *steps, void *work, int64_t *step)
{
    const int64_t columns = front->chains[chain].columns, next = next_of(way, *step);
    steps(work, *step, next);
    /* The last column is told when nothing more will be written: a band below that saw it may
     * finish, and with it the slot of this band is free for another. */
    int64_t told = next - way->lag < columns ? next - way->lag : columns - 1;
    tell_below(front, chain, number, next < way->end ? told : columns);
    *step = next;
}

static struct walk *walk_of(const struct wavefront *front, int place)
{
    return (struct walk *)((unsigned char *)front + front->shape.walks_at) + place;
}

void wavefront_walk(struct wavefront *front, int chain, uint32_t number, int thread,
                    const struct band_way *way, wavefront_steps_fn *steps, void *work,
                    size_t work_bytes)
{
    if (front->abreast > 1) {
        struct walk *walk = walk_of(front, thread);
        walk->number = number;
        walk->way = *way;
        walk->steps = steps;
        walk->step = 0;
        memcpy(walk->work, work, work_bytes);
        return;
    }
    for (int64_t step = 0; step < way->end;) {
        wait_for_above(front, chain, number, next_of(way, step) + way->ahead);
        step_on(front, chain, number, way, steps, work, &step);
    }
}

void wavefront_link_open(struct wavefront_link *link, const atomic_bool *stop)
{
    gate_room_open(&link->room, 1);
    link->stop = stop;
}

void wavefront_link_close(struct wavefront_link *link) { gate_room_close(&link->room); }

void wavefront_link_begin(struct wavefront_link *link, bool above, bool below)
{
    link->above = above;
    link->below = below;
    link->bring = NULL;
    link->take = NULL;
    atomic_store(&link->given.reached, 0);
    atomic_store(&link->finished.reached, 0);
}

void wavefront_link_wait(struct wavefront_link *link, uint64_t columns)
{
    if (link->bring && atomic_load(&link->given.reached) < columns)
        link->bring(link->data, columns);
    gate_wait_or_stop(&link->room, &link->given, columns, link->stop);
}

void wavefront_link_tell(struct wavefront_link *link, uint64_t columns)
{
    gate_raise(&link->room, &link->finished, columns);
    if (link->take)
        link->take(link->data);
}

void wavefront_restart(struct wavefront *front, const struct wavefront_shape *shape)
{
    struct thread_gate *gates = (void *)((unsigned char *)front + shape->gates_at);
    for (int i = 0; i < shape->chains * shape->slots; i++)
        atomic_store_explicit(&gates[i].reached, 0, memory_order_relaxed);
    front->begun = 0;
}

/* ---- Bands side by side ---------------------------------------------------------------------- */

/* Whether the band above, which the same thread runs, is far enough. */
static bool can_step(const struct wavefront *front, const struct walk *walk)
{
    const int64_t most = front->chains[0].columns;
    const int64_t columns = next_of(&walk->way, walk->step) + walk->way.ahead;
    return atomic_load_explicit(&gate_of(front, 0, walk->number - 1)->reached,
                                memory_order_acquire) >=
           gate_value(front, 0, walk->number - 1, columns < most ? columns : most);
}

/* The first that has not ended may wait for somebody else; the others follow it as they can. */
static void walk_abreast(struct wavefront *front, int place, int count)
{
    for (int first = 0; first < count;) {
        for (int i = first; i < count; i++) {
            struct walk *walk = walk_of(front, place + i);
            if (walk->step >= walk->way.end)
                continue;
            if (i == first)
                wait_for_above(front, 0, walk->number,
                               next_of(&walk->way, walk->step) + walk->way.ahead);
            else if (!can_step(front, walk))
                continue;
            step_on(front, 0, walk->number, &walk->way, walk->steps, walk->work, &walk->step);
        }
        while (first < count &&
               walk_of(front, place + first)->step >= walk_of(front, place + first)->way.end)
            first++;
    }
}

static void take_bands_abreast(void *data, int thread)
{
    struct wavefront *front = data;
    const int most = front->abreast, place = thread * most;
    for (;;) {
        const uint64_t first = atomic_fetch_add(&front->ticket, (uint_fast64_t)most);
        if (first >= front->most)
            return;
        const uint64_t left = front->most - first;
        const int count = left < (uint64_t)most ? (int)left : most;
        for (int i = 0; i < count; i++)
            front->band(front, front->data, 0, (uint32_t)first + (uint32_t)i, place + i);
        walk_abreast(front, place, count);
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

static void take_bands(void *data, int thread)
{
    struct wavefront *front = data;
    for (;;) {
        uint64_t ticket = atomic_fetch_add(&front->ticket, 1);
        uint64_t number = ticket / (uint64_t)front->count;
        int chain = (int)(ticket % (uint64_t)front->count);
        if (number >= front->most)
            return;
        if (number < front->chains[chain].bands)
            front->band(front, front->data, chain, (uint32_t)number, thread);
    }
}

void wavefront_run(struct wavefront *front, const struct wavefront_shape *shape,
                   struct thread_pool *pool, int threads, const struct band_chain *chains,
                   int count, band_fn *band, void *data)
{
    front->shape = *shape;
    front->chains = chains;
    front->count = count;
    front->band = band;
    front->data = data;
    front->most = 0;
    for (int i = 0; i < count; i++)
        front->most = chains[i].bands > front->most ? chains[i].bands : front->most;
    atomic_store(&front->ticket, 0);
    gate_room_open(&front->room, threads);
    pool_run(pool, threads, front->abreast > 1 ? take_bands_abreast : take_bands, front);
    gate_room_close(&front->room);
}

struct wavefront_pace wavefront_pace(int64_t columns, int64_t lag, int chunk, uint32_t bands,
                                     int threads)
{
    enum { MOST = 512 };
    struct wavefront_pace pace = {.interval = columns / (4 * threads) / chunk * chunk};
    pace.interval = pace.interval < chunk ? chunk : pace.interval > MOST ? MOST : pace.interval;
    int64_t useful = 1 + columns / (2 * (lag + pace.interval));
    useful = useful < bands ? useful : bands;
    pace.threads = useful < threads ? (int)useful : threads;
    return pace;
}

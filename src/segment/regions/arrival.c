/* SPDX-License-Identifier: MIT */
/*
 * The race in rounds. No way is shorter than 5 units, so all arrivals within 5 units of one another
 * are final once those before them are: they are a round, and its pixels can go on in any order, by
 * any number of threads. What goes on is the least of all arrivals at a pixel, which no order
 * changes. Pixels wait in a ring of lists, a round each, every thread with its own.
 */
#include "segment/regions/compete.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUND = RO_RACE_SIDE * RO_RACE_UNIT, /* units of time */
    MOST_COST = 64 * RO_RACE_UNIT,
    RING = RO_RACE_CORNER * MOST_COST / ROUND + 2,
    WORTH_SHARING = 4096, /* pixels of a round for which other threads are woken */
    PORTION = 512,
};

struct list {
    uint32_t *pixels;
    size_t count, room;
};

struct running {
    const struct front_race *race;
    int threads;
    struct list *lists; /* of a thread, one behind another: a ring each */
    uint64_t round;
    struct list now; /* the pixels of this round */
    atomic_size_t ticket;
    atomic_bool no_memory;
};

static bool add(struct list *list, uint32_t pixel)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 1024;
        uint32_t *more = realloc(list->pixels, room * sizeof *more);
        if (!more)
            return false;
        list->pixels = more;
        list->room = room;
    }
    list->pixels[list->count++] = pixel;
    return true;
}

static inline uint64_t round_of(uint64_t arrival) { return (arrival >> RO_FRONT_BITS) / ROUND; }

/* A front arrives at p; of all that do the least stays. Threads that share a round must take turns
 * at a pixel. */
static inline void arrive(struct running *run, int thread, bool shared, uint32_t p,
                          uint64_t arrival)
{
    _Atomic uint64_t *place = (_Atomic uint64_t *)&run->race->arrival[p];
    uint64_t old = atomic_load_explicit(place, memory_order_relaxed);
    if (arrival >= old)
        return;
    if (!shared)
        atomic_store_explicit(place, arrival, memory_order_relaxed);
    while (shared && !atomic_compare_exchange_weak_explicit(
                         place, &old, arrival, memory_order_relaxed, memory_order_relaxed))
        if (arrival >= old)
            return;
    const uint64_t round = round_of(arrival);
    if ((old == RO_NEVER || round_of(old) != round) &&
        !add(&run->lists[(size_t)thread * RING + round % RING], p))
        atomic_store(&run->no_memory, true);
}

static inline void go_on(struct running *run, int thread, bool shared, uint32_t p)
{
    const struct front_race *race = run->race;
    const uint64_t own = race->arrival[p], time = own >> RO_FRONT_BITS;
    if (round_of(own) != run->round)
        return; /* it was here earlier, by another way */
    const uint64_t number = own & ((1U << RO_FRONT_BITS) - 1);
    const struct region_front *front = &race->fronts[number];
    const uint32_t pitch = race->plane->pitch;
    const uint32_t beside[4] = {p - pitch, p - 1, p + 1, p + pitch};
    bool open[4];
    for (int i = 0; i < 4; i++) {
        open[i] = race_takes(race, front, beside[i]);
        if (!open[i])
            continue;
        const uint64_t cost = race->cost ? race->cost[beside[i]] : RO_RACE_UNIT;
        arrive(run, thread, shared, beside[i],
               (time + RO_RACE_SIDE * cost) << RO_FRONT_BITS | number);
    }
    for (int i = 0; i < 4; i++) {
        const int up_down = i < 2 ? 0 : 3, left_right = i % 2 ? 2 : 1;
        if (!open[up_down] && !open[left_right])
            continue;
        const uint32_t q = beside[up_down] + beside[left_right] - p;
        if (!race_takes(race, front, q))
            continue;
        const uint64_t cost = race->cost ? race->cost[q] : RO_RACE_UNIT;
        arrive(run, thread, shared, q, (time + RO_RACE_CORNER * cost) << RO_FRONT_BITS | number);
    }
}

static void go_on_with_portions(void *data, int thread)
{
    struct running *run = data;
    for (size_t at; (at = atomic_fetch_add(&run->ticket, PORTION)) < run->now.count;)
        for (size_t i = at; i < at + PORTION && i < run->now.count; i++)
            go_on(run, thread, true, run->now.pixels[i]);
}

/* The pixels of a round, from the lists of all threads; false: none are waiting anywhere. */
static bool next_round(struct running *run)
{
    for (int ahead = 0; ahead < RING; ahead++, run->round++) {
        run->now.count = 0;
        for (int thread = 0; thread < run->threads; thread++) {
            struct list *list = &run->lists[(size_t)thread * RING + run->round % RING];
            for (size_t i = 0; i < list->count; i++)
                if (!add(&run->now, list->pixels[i]))
                    atomic_store(&run->no_memory, true);
            list->count = 0;
        }
        if (run->now.count)
            return true;
    }
    return false;
}

void race_clear(const struct front_race *race)
{
    const struct region_plane *plane = race->plane;
    memset(race->arrival, 0, plane_size(plane) * sizeof *race->arrival);
    for (uint32_t y = 0; y < plane->height; y++)
        memset(&race->arrival[plane_value_at(plane, 0, y)], 0xff, plane->width * sizeof RO_NEVER);
}

static void start(struct running *run)
{
    const struct front_race *race = run->race;
    race_clear(race);
    for (uint32_t f = 0; f < race->count; f++)
        for (uint32_t i = 0; i < race->fronts[f].count; i++)
            if (race_takes(race, &race->fronts[f], race->fronts[f].pixels[i]))
                arrive(run, 0, false, race->fronts[f].pixels[i], RO_START + f);
}

ro_status race_run(ro_context *context, const struct front_race *race)
{
    struct running run = {.race = race, .threads = pool_threads(context->pool)};
    ro_status status = RO_OK;
    run.lists = calloc((size_t)run.threads * RING, sizeof *run.lists);
    if (!run.lists)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u fronts", race->count);
    start(&run);
    while (status == RO_OK && next_round(&run)) {
        atomic_store(&run.ticket, 0);
        if (run.threads == 1 || run.now.count < WORTH_SHARING)
            for (size_t i = 0; i < run.now.count; i++)
                go_on(&run, 0, false, run.now.pixels[i]);
        else
            pool_run(context->pool, run.threads, go_on_with_portions, &run);
        run.round++;
        if (atomic_load(&run.no_memory))
            status = ro_context_fail(context, RO_E_MEMORY, "no memory for %u fronts", race->count);
        else if (run.round % 64 == 0)
            status = ro_context_progress(context, "segment", 0.5);
    }
    for (size_t i = 0; i < (size_t)run.threads * RING; i++)
        free(run.lists[i].pixels);
    free(run.lists);
    free(run.now.pixels);
    return status;
}

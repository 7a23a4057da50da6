/* SPDX-License-Identifier: MIT */
/*
 * A pass is cut into as many parts as there are threads, and whoever is there takes the next one:
 * when a core is taken away, the thread that leads does its part as well instead of waiting for it.
 * Parts are taken from one number that holds the pass, how many parts it has and which is next, so
 * that nobody can take a part of a pass that is over.
 */
#include "thread/team.h"

#include <stdbool.h>
#include <stddef.h>

/* Below this a pass takes no longer than handing half of it over. */
enum { LEAST_WORK = 12000 };

struct thread_team {
    int threads;
    void (*lead)(struct thread_team *team, void *data);
    void *lead_data;
    pass_task_fn *pass;
    void *data;
    _Atomic uint64_t next; /* pass, parts and next part: 32, 16 and 16 bits */
    atomic_int done;       /* parts of the pass */
    atomic_bool over;
    uint64_t passes;
    struct gate_room room;
    struct thread_gate begun, finished; /* numbers of passes */
};

/* Does parts until all are taken; the number of the pass that is. */
static uint64_t take_parts(struct thread_team *team)
{
    uint64_t now = atomic_load(&team->next);
    for (;;) {
        const int part = (int)(now & 0xffff), parts = (int)(now >> 16 & 0xffff);
        if (part >= parts)
            return now >> 32;
        if (!atomic_compare_exchange_weak(&team->next, &now, now + 1))
            continue;
        team->pass(team->data, part, parts);
        if (atomic_fetch_add(&team->done, 1) + 1 == parts)
            gate_raise(&team->room, &team->finished, now >> 32);
        now = atomic_load(&team->next);
    }
}

static void member(void *data, int thread)
{
    struct thread_team *team = data;
    if (thread == 0) {
        team->lead(team, team->lead_data);
        atomic_store(&team->over, true);
        gate_raise(&team->room, &team->begun, team->passes + 1);
        return;
    }
    for (uint64_t seen = 0;;) {
        gate_wait(&team->room, &team->begun, seen + 1);
        if (atomic_load(&team->over))
            return;
        seen = take_parts(team);
    }
}

void team_open(struct thread_pool *pool, int threads,
               void (*lead)(struct thread_team *team, void *data), void *data)
{
    struct thread_team team = {.threads = threads, .lead = lead, .lead_data = data};
    if (team.threads > pool_threads(pool))
        team.threads = pool_threads(pool);
    gate_room_open(&team.room, team.threads);
    pool_run(pool, team.threads, member, &team);
    gate_room_close(&team.room);
}

void team_pass(struct thread_team *team, size_t work, pass_task_fn *pass, void *data)
{
    if (team->threads == 1 || work < LEAST_WORK) {
        pass(data, 0, 1);
        return;
    }
    team->pass = pass;
    team->data = data;
    atomic_store(&team->done, 0);
    team->passes++;
    atomic_store(&team->next, team->passes << 32 | (uint64_t)team->threads << 16);
    gate_raise(&team->room, &team->begun, team->passes);
    take_parts(team);
    gate_wait(&team->room, &team->finished, team->passes);
}

int team_size(const struct thread_team *team) { return team->threads; }

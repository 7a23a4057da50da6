/* SPDX-License-Identifier: MIT */
#include "pde/team.h"

#include <stdbool.h>
#include <stddef.h>

/* Below this a pass takes no longer than handing half of it over. */
enum { LEAST_WORK = 12000 };

struct ro_team {
    int threads;
    void (*lead)(struct ro_team *team, void *data);
    void *lead_data;
    ro_pass_fn *pass; /* NULL: the work is over */
    void *data;
    uint64_t passes;
    struct ro_gate_room room;
    struct ro_gate begun;                /* passes handed out */
    struct ro_gate done[RO_MAX_THREADS]; /* passes finished by each thread */
};

static void member(void *data, int thread)
{
    struct ro_team *team = data;
    if (thread == 0) {
        team->lead(team, team->lead_data);
        team->pass = NULL;
        ro_gate_raise(&team->room, &team->begun, ++team->passes);
        return;
    }
    for (uint64_t number = 1;; number++) {
        ro_gate_wait(&team->room, &team->begun, number);
        if (!team->pass)
            return;
        team->pass(team->data, thread, team->threads);
        ro_gate_raise(&team->room, &team->done[thread], number);
    }
}

void ro_team_open(struct ro_pool *pool, int threads, void (*lead)(struct ro_team *team, void *data),
                  void *data)
{
    struct ro_team team = {.threads = threads, .lead = lead, .lead_data = data};
    if (team.threads > ro_pool_threads(pool))
        team.threads = ro_pool_threads(pool);
    ro_gate_room_open(&team.room);
    ro_pool_run(pool, team.threads, member, &team);
    ro_gate_room_close(&team.room);
}

void ro_team_pass(struct ro_team *team, size_t work, ro_pass_fn *pass, void *data)
{
    if (team->threads == 1 || work < LEAST_WORK) {
        pass(data, 0, 1);
        return;
    }
    team->pass = pass;
    team->data = data;
    ro_gate_raise(&team->room, &team->begun, ++team->passes);
    pass(data, 0, team->threads);
    for (int i = 1; i < team->threads; i++)
        ro_gate_wait(&team->room, &team->done[i], team->passes);
}

int ro_team_size(const struct ro_team *team) { return team->threads; }

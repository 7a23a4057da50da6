/* SPDX-License-Identifier: MIT */
/*
 * Many short parallel passes in a row. Waking a pool costs tens of microseconds, a multigrid sweep
 * over a small grid takes less: here the pool's threads are woken once, watch a gate between passes
 * and sleep only when there is nothing for long.
 */
#ifndef RO_THREAD_TEAM_H
#define RO_THREAD_TEAM_H

#include "thread/pool.h"

struct thread_team;

/* Rows are shared out in order: part `part` of `parts` of a pass. */
typedef void pass_task_fn(void *data, int part, int parts);

/* Runs `lead` on the calling thread, with the pool's other threads as its team. */
void team_open(struct thread_pool *pool, int threads,
               void (*lead)(struct thread_team *team, void *data), void *data);

/* A pass of as many parts as there are threads, or in one part on this thread where the work (in
 * pixels) is too little to share. */
void team_pass(struct thread_team *team, size_t work, pass_task_fn *pass, void *data);
int team_size(const struct thread_team *team);

static inline void team_share(int count, int part, int parts, int *from, int *to)
{
    *from = (int)((int64_t)count * part / parts);
    *to = (int)((int64_t)count * (part + 1) / parts);
}

#endif

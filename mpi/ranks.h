/* SPDX-License-Identifier: MIT */
/* What all calls share: the ranks of a communicator, how they agree, wait and count their time. */
#ifndef RO_MPI_RANKS_H
#define RO_MPI_RANKS_H

#include "roundoff_mpi.h"

#include <stdbool.h>

enum { TAG_CARRIED = 1, TAG_PLACE, TAG_UP, TAG_DOWN, TAG_ENERGY, TAG_HASH };

struct ranks {
    MPI_Comm comm; /* a copy of the caller's */
    ro_context *context;
    int rank, count;
};

/* How a rank spends its time, seconds. */
struct times {
    double start;
    double begun; /* when its first band could begin; 0: it has none */
    double computing, reading, writing, waiting;
    uint64_t sent;
};

/* Collective, as all that takes no other word. */
ro_status ranks_open(struct ranks *ranks, MPI_Comm comm, ro_context *context);
void ranks_close(struct ranks *ranks);

/* The worst of the ranks' status, which all then return; who has no reason of its own says that of
 * rank 0 or of the first that has one. */
ro_status ranks_agree(const struct ranks *ranks, ro_status status);

/* Whether all ranks have the same number; if not, all return a sentence with `what` in it. */
ro_status ranks_same(const struct ranks *ranks, uint64_t number, const char *what);

/* Of one rank: waits without keeping a processor busy, until ro_context_cancel. */
ro_status ranks_wait(const struct ranks *ranks, MPI_Request *request);

/* A number that tells files apart: of size, first and last bytes. */
uint64_t file_mark(const char *path);
uint64_t mark_of(const void *bytes, size_t size, uint64_t before);

/* Sums and extremes of all ranks. */
void ranks_report(const struct ranks *ranks, const struct times *times, int threads,
                  ro_mpi_report *report);

double thread_seconds(void);  /* of this thread on a processor */
double process_seconds(void); /* of all threads */

#endif

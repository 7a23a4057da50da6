/* SPDX-License-Identifier: MIT */
#include "ranks.h"
#include "roundoff/library.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

ro_status ranks_open(struct ranks *ranks, MPI_Comm comm, ro_context *context)
{
    int level = MPI_THREAD_SINGLE, started = 0;
    *ranks = (struct ranks){.comm = MPI_COMM_NULL, .context = context};
    MPI_Initialized(&started);
    if (started)
        MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "MPI must be started with MPI_THREAD_MULTIPLE");
    if (comm == MPI_COMM_NULL)
        return ro_context_fail(context, RO_E_ARGUMENT, "the communicator has no ranks");
    MPI_Comm_dup(comm, &ranks->comm);
    MPI_Comm_rank(ranks->comm, &ranks->rank);
    MPI_Comm_size(ranks->comm, &ranks->count);
    return RO_OK;
}

void ranks_close(struct ranks *ranks)
{
    if (ranks->comm != MPI_COMM_NULL)
        MPI_Comm_free(&ranks->comm);
}

ro_status ranks_agree(const struct ranks *ranks, ro_status status)
{
    char reason[512] = "";
    int speaker = status == RO_OK ? ranks->count : ranks->rank, worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, ranks->comm);
    if (speaker == ranks->count)
        return RO_OK;
    MPI_Bcast(&worst, 1, MPI_INT, speaker, ranks->comm);
    if (ranks->rank == speaker)
        snprintf(reason, sizeof reason, "%s", ro_context_message(ranks->context));
    MPI_Bcast(reason, sizeof reason, MPI_CHAR, speaker, ranks->comm);
    return ro_context_fail(ranks->context, (ro_status)worst, "%s", reason);
}

ro_status ranks_same(const struct ranks *ranks, uint64_t number, const char *what)
{
    uint64_t ends[2] = {number, ~number};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, ranks->comm);
    if (ends[0] == ~ends[1])
        return RO_OK;
    return ro_context_fail(ranks->context, RO_E_IO, "the ranks do not see the same %s", what);
}

ro_status ranks_wait(const struct ranks *ranks, MPI_Request *request)
{
    enum { QUICK = 200, LONGEST = 500000 };
    int done = 0;
    long pause = 2000;
    for (int i = 0;; i++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return RO_OK;
        if (ro_context_cancelled(ranks->context))
            return ro_context_fail(ranks->context, RO_E_CANCELLED, "cancelled");
        if (i < QUICK)
            continue;
        nanosleep(&(struct timespec){0, pause}, NULL);
        pause = 2 * pause < LONGEST ? 2 * pause : LONGEST;
    }
}

/* FNV-1a, by bytes: the same on all machines. */
uint64_t mark_of(const void *bytes, size_t size, uint64_t before)
{
    uint64_t mark = before ? before : UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        mark = (mark ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return mark;
}

uint64_t file_mark(const char *path)
{
    enum { LOOK = 1 << 16 };
    static _Thread_local uint8_t bytes[LOOK];
    uint64_t mark = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    mark = mark_of(bytes, fread(bytes, 1, LOOK, file), 0);
    if (fseek(file, 0, SEEK_END) == 0) {
        const uint64_t size = (uint64_t)ftell(file);
        mark = mark_of(&size, sizeof size, mark);
        if (fseek(file, size > LOOK ? -LOOK : 0, size > LOOK ? SEEK_END : SEEK_SET) == 0)
            mark = mark_of(bytes, fread(bytes, 1, LOOK, file), mark);
    }
    fclose(file);
    return mark;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double process_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

void ranks_report(const struct ranks *ranks, const struct times *times, int threads,
                  ro_mpi_report *report)
{
    double longest[2] = {MPI_Wtime() - times->start, times->begun > 0 ? times->begun : 0};
    double sums[4] = {times->computing, times->reading, times->writing, times->waiting};
    uint64_t counts[2] = {times->sent, times->begun > 0 ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, longest, 2, MPI_DOUBLE, MPI_MAX, ranks->comm);
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, ranks->comm);
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, ranks->comm);
    report->ranks = ranks->count;
    report->idle = (int)counts[1];
    report->seconds = longest[0];
    report->fill = longest[1];
    report->computing = sums[0];
    report->reading = sums[1];
    report->writing = sums[2];
    report->waiting = sums[3];
    report->sent = counts[0];
    report->efficiency = sums[0] / (longest[0] * ranks->count * (threads > 0 ? threads : 1));
}

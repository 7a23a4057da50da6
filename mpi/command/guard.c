/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives rank 0, to remove the partial file of a run that was killed: some mpiruns
 * kill all ranks at once where one has died, and nobody can catch that. It hears through a pipe
 * which file there is (ro_mpi_guard); when the pipe ends and there is still one, it goes.
 */
#include "guard.h"

#include "roundoff_mpi.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_guard = -1;

/* Lines: the last one is the file; an empty one: none. */
static void watch(int from)
{
    static char path[8192];
    size_t length = 0;
    char byte;
    int complete = 1;
    while (read(from, &byte, 1) == 1) {
        if (complete)
            length = 0;
        complete = byte == '\n';
        if (length + 1 < sizeof path)
            path[length++] = complete ? '\0' : byte;
    }
    if (complete && length > 1)
        unlink(path);
    _exit(0);
}

void guard_begin(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return;
    const pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) /* its parent is nobody, who waits for all */
            _exit(0);
        setsid();
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        for (int i = 0; i < 1024; i++) /* nobody may wait for what it holds open */
            if (i != ends[0])
                close(i);
        watch(ends[0]);
    }
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    to_guard = ends[1];
}

void guard_keep(int rank)
{
    if (rank == 0) {
        ro_mpi_guard(to_guard);
    } else if (to_guard >= 0) {
        close(to_guard);
        to_guard = -1;
    }
}

/* SPDX-License-Identifier: MIT */
/* roundoff-mpi: commands over ranks, as `mpirun -n 64 roundoff-mpi halftone in.tif out.tif`. */
#include "cli/common/program.h"
#include "command.h"
#include "guard.h"

#include <stdlib.h>

const struct command *const commands[] = {
    &ranks_halftone, &ranks_denoise, &ranks_hologram,
    &ranks_testcard, &ranks_verify,  &ranks_hash,
    &ranks_plan,     &ranks_bench,   NULL,
};

const struct program program = {
    .name = "roundoff-mpi",
    .summary = "Pictures beyond one machine: ranks of MPI make the bytes that roundoff makes.",
    .names = "  Files that ranks write together: PBM, PGM, PPM, NPY and TIFF\n",
    .examples = "  mpirun -n 4 roundoff-mpi testcard card.pgm --size 30000x30000\n"
                "  mpirun -n 4 roundoff-mpi halftone card.pgm card.tif --method stucki",
};

/* Each would take itself for all ranks, and write the file for itself. */
static bool are_strangers(void)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    int ranks = 1, told = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *text = getenv(counts[i]);
        if (text && atoi(text) > told)
            told = atoi(text);
    }
    return ranks == 1 && told > 1;
}

int main(int argc, char **argv)
{
    int granted = MPI_THREAD_SINGLE, rank = 0, status;
    program_begin();
    guard_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    speak(rank == 0);
    guard_keep(rank);
    if (rank > 0 && !freopen("/dev/null", "w", stdout))
        rank = 0;
    if (are_strangers())
        status =
            fail("mpirun started processes that do not know each other: it is that of another MPI");
    else if (granted < MPI_THREAD_MULTIPLE)
        status = fail("this MPI does not let threads send (MPI_THREAD_MULTIPLE)");
    else
        status = program_run(argc, argv);
    MPI_Finalize();
    return status;
}

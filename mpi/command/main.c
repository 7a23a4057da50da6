/* SPDX-License-Identifier: MIT */
/* roundoff-mpi: commands over ranks, as `mpirun -n 64 roundoff-mpi halftone in.tif out.tif`. */
#include "cli/frame/program.h"
#include "command.h"

#include <stdlib.h>

const struct command *const commands[] = {
    &ranks_halftone, &ranks_denoise, &ranks_testcard, &ranks_plan, &ranks_bench, NULL,
};

const struct program program = {
    .name = "roundoff-mpi",
    .summary = "Pictures beyond one machine: ranks of MPI make the bytes that roundoff makes.",
    .names = "  Files that ranks write together: PBM, PGM, PPM, NPY and TIFF\n",
    .examples = "  mpirun -n 4 roundoff-mpi testcard card.pgm --size 30000x30000\n"
                "  mpirun -n 4 roundoff-mpi halftone card.pgm card.tif --method stucki",
};

int main(int argc, char **argv)
{
    int granted = MPI_THREAD_SINGLE, rank = 0, status;
    program_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    speak(rank == 0);
    if (rank > 0 && !freopen("/dev/null", "w", stdout))
        rank = 0;
    if (granted < MPI_THREAD_MULTIPLE)
        status = fail("this MPI does not let threads send (MPI_THREAD_MULTIPLE)");
    else
        status = program_run(argc, argv);
    MPI_Finalize();
    return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Roundoff over MPI: pictures too large for one machine, with the bits of one machine. Part of
 * libroundoff_mpi; needs MPI_THREAD_MULTIPLE.
 */
#ifndef ROUNDOFF_MPI_H
#define ROUNDOFF_MPI_H

#include "roundoff.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ro_mpi_report {
    ro_report run; /* of one of the rank's bands */
    int ranks;
    uint32_t bands, rows; /* of the picture, and of a band */
    uint32_t columns;     /* of a piece of what bands hand on */
    double seconds;       /* of the slowest rank */
    double pushing; /* the share of all ranks' time that they computed, or waited for errors */
} ro_mpi_report;

/*
 * Halftones a file into another (PGM of 8 or 16 bits into PBM, PGM or NPY; one plane of grey), by
 * all ranks of a communicator together. `rows` of a band: 0 for the default; bands go round the
 * ranks, and each hands its errors on to the next in pieces of columns while both run. Every rank
 * holds one band. All ranks give the same arguments, but for the context, which each has opened for
 * itself.
 *
 * The output appears when all of it is complete. What can be told before the first row is the same
 * on all ranks and returned by all. Later a rank that fails returns alone, while the others wait
 * for it: end them by MPI_Abort.
 */
ro_status ro_mpi_halftone(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_halftone_options *options, uint32_t rows, ro_mpi_report *report);

#ifdef __cplusplus
}
#endif

#endif

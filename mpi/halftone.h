/* SPDX-License-Identifier: MIT */
/* ro_mpi_halftone, cut as somebody says who wants to know what that costs. */
#ifndef RO_MPI_HALFTONE_H
#define RO_MPI_HALFTONE_H

#include "pace.h"
#include "roundoff_mpi.h"

/* `pace` NULL: as the ranks suggest. */
ro_status halftone_by(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                      const ro_halftone_options *options, const ro_read_options *read,
                      const ro_write_options *write, const ro_mpi_options *how,
                      const struct pace *pace, ro_mpi_report *report);

#endif

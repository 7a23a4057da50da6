/* SPDX-License-Identifier: MIT */
/* Who removes the partial file of a run that is killed. */
#ifndef RO_MPI_COMMAND_GUARD_H
#define RO_MPI_COMMAND_GUARD_H

void guard_begin(void);    /* before MPI starts */
void guard_keep(int rank); /* once it has: rank 0 needs one */

#endif

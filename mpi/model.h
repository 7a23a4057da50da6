/* SPDX-License-Identifier: MIT */
#ifndef RO_MPI_MODEL_H
#define RO_MPI_MODEL_H

#include "pace.h"
#include "roundoff_mpi.h"

/* How so many ranks would cut a picture; of `costs` rows, lines and bits count. */
struct pace model_cut(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks,
                      int threads);

/* ro_mpi_plan of a picture that is cut so. */
void model_predict(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks,
                   int threads, const struct pace *pace, ro_mpi_prediction *prediction);

#endif

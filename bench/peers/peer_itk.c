/* SPDX-License-Identifier: MIT */
#include "peer_itk.h"

#include "peer_process.h"

#include <stdio.h>

double peer_itk_diffusion(int size, int iterations, int threads)
{
    char arguments[64];
    double seconds;
    snprintf(arguments, sizeof arguments, "%d %d %d", size, iterations, threads);
    return peer_beside("peer_itk", arguments, &seconds, 1) == 1 ? seconds : 0;
}

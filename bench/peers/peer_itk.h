/* SPDX-License-Identifier: MIT */
/* ITK's GradientAnisotropicDiffusion, if the program peer_itk was built. */
#ifndef RO_BENCH_PEERS_PEER_ITK_H
#define RO_BENCH_PEERS_PEER_ITK_H

/* Seconds for `iterations` on a square grey float image; 0 if it is not here. */
double peer_itk_diffusion(int size, int iterations, int threads);

#endif

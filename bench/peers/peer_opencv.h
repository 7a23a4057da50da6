/* SPDX-License-Identifier: MIT */
/* OpenCV's ximgproc.anisotropicDiffusion through python3, where both are installed. */
#ifndef RO_BENCH_PEERS_PEER_OPENCV_H
#define RO_BENCH_PEERS_PEER_OPENCV_H

/* The best time in seconds of some runs on a square 8-bit image of three channels (it takes no
 * other); 0 where there is no OpenCV. */
double peer_opencv_diffusion(int size, int iterations, int threads);

#endif

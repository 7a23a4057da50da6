/* SPDX-License-Identifier: MIT */
/* Contours of scikit-image, through python3 where it is installed, and of ITK, if the program
 * peer_itk_levelset was built. */
#ifndef RO_BENCH_PEERS_PEER_LEVELSET_H
#define RO_BENCH_PEERS_PEER_LEVELSET_H

/* Seconds an iteration takes on a square image on one thread; 0 where there is no scikit-image. */
struct peer_skimage {
    double chan_vese, geodesic;
};
struct peer_skimage peer_skimage_contours(int size);

/* Seconds that ITK's sparse field takes from a disc to a five-lobed shape, and the likeness (Dice)
 * of what it finds; seconds 0 where there is no ITK. */
struct peer_itk {
    double seconds, dice;
    int iterations;
};
struct peer_itk peer_itk_lobes(int size, double radius, double start, int threads);

#endif

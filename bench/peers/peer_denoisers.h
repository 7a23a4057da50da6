/* SPDX-License-Identifier: MIT */
/* Denoisers of OpenCV and scikit-image through python3, where they are installed. */
#ifndef RO_BENCH_PEERS_PEER_DENOISERS_H
#define RO_BENCH_PEERS_PEER_DENOISERS_H

enum { PEER_DENOISERS = 5 };

struct peer_denoiser {
    const char *name;
    double seconds; /* of the best run; below 0: it is not installed */
    double error;   /* mean squared */
};

/* Runs them on one thread on a square picture of bytes; noise is its standard deviation. */
void peer_denoisers(int size, const unsigned char *clean, const unsigned char *noisy, double noise,
                    struct peer_denoiser peers[PEER_DENOISERS]);

#endif

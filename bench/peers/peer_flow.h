/* SPDX-License-Identifier: MIT */
/* Other programs that find displacements: OpenCV, scikit-image, elastix and ITK, where they are. */
#ifndef RO_BENCH_PEERS_PEER_FLOW_H
#define RO_BENCH_PEERS_PEER_FLOW_H

#include "roundoff.h"

#include <stdbool.h>

enum { PEER_FLOW_MISSING = -1 };

struct peer_flow {
    const char *name; /* as the table says it */
    double seconds;   /* of its best run; 0: it failed; PEER_FLOW_MISSING: it is not installed */
};

/* The peers, one after the other; false past the last. Pixels are RO_GREY8; `field` is filled in as
 * by ro_register. */
bool peer_flow_run(int number, const ro_image *fixed, const ro_image *moving, int threads,
                   const ro_image *field, struct peer_flow *peer);

#endif

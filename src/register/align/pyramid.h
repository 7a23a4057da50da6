/* SPDX-License-Identifier: MIT */
/* Small copies of the images of a registration, the largest first, each half the one before. */
#ifndef RO_REGISTER_ALIGN_PYRAMID_H
#define RO_REGISTER_ALIGN_PYRAMID_H

#include "register/align/align.h"
#include "register/register.h"

enum { RO_COPIES = 8, RO_SMALLEST_COPY = 64 }; /* side of the last one at most */

struct pyramid_copies {
    int count;
    struct pyramid_copy copy[RO_COPIES];
    void *memory; /* of all of them */
};

/* Copies with sides of at most `longest`. `flat`: a pixel less the mean, by the deviation, of an
 * eighth of the side all round: shading tells nothing, and one strong edge does not say it all. */
ro_status copies_open(const struct registration *flow, const struct align_kernels *kernels,
                      int longest, bool flat, struct pyramid_copies *copies);
void copies_close(struct pyramid_copies *copies);

#endif

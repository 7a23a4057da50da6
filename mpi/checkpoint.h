/* SPDX-License-Identifier: MIT */
/*
 * How far a run is, in a file that all ranks write in turn:
 *
 *     record A | record B | sizes of packed parts | carried numbers A | B
 *
 * The rank that has written a band, all before it being complete, writes what that band carries on,
 * brings it to the disk, and then the record; bands take A and B in turns. So one of the records
 * is always whole, whenever a rank is killed, and the whole one with the later band counts.
 */
#ifndef RO_MPI_CHECKPOINT_H
#define RO_MPI_CHECKPOINT_H

#include "ranks.h"

enum { PART_NAME = 264 };

struct checkpoint_record {
    uint64_t magic, mark; /* of the call: options, input, sizes */
    uint64_t rows, bands; /* of a band, and how many */
    uint64_t parts;       /* packed ones; 0: none */
    uint64_t carried;     /* numbers that a band hands on */
    char part[PART_NAME]; /* the partial file, beside the output; "": not made yet */
    uint64_t next;        /* the first band that is not complete */
    uint64_t place;       /* where its bytes begin, of packed parts */
    uint64_t carried_mark;
    uint64_t own_mark; /* of all before it */
};

struct checkpoint {
    const struct ranks *ranks;
    const char *path;
    int fd;
    struct checkpoint_record record;
    char replaced[PART_NAME]; /* the partial file of a run before that begins anew; rank 0 */
};

/* Collective. `record` says what the run is: all but part, next, place and the last two. With
 * `resume` it is read, and its rows, bands and what follows are those of the run before. */
ro_status checkpoint_open(struct checkpoint *checkpoint, const struct ranks *ranks,
                          const char *path, bool resume, const struct checkpoint_record *record);

/* Notes the name of the partial file, on each rank; rank 0 writes it down. */
ro_status checkpoint_note(struct checkpoint *checkpoint, const char *part);

/* Of one rank: band `next` - 1 is on the disk and all before it. `sizes` of its parts, of which the
 * first is `part`; NULL: they are not packed. */
ro_status checkpoint_save(struct checkpoint *checkpoint, uint64_t next, uint64_t place,
                          const uint64_t *sizes, uint64_t part, uint64_t parts,
                          const int32_t *carried);

/* What a run before left; of one rank. */
ro_status checkpoint_sizes(const struct checkpoint *checkpoint, uint64_t *sizes, uint64_t parts);
ro_status checkpoint_carried(const struct checkpoint *checkpoint, int32_t *carried);

/* `done`: it has no use any more; rank 0 removes it. */
void checkpoint_close(struct checkpoint *checkpoint, bool done);

#endif

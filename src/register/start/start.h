/* SPDX-License-Identifier: MIT */
/* The start of a registration from points that match; see search.c. */
#ifndef RO_REGISTER_START_START_H
#define RO_REGISTER_START_START_H

#include "register/start/maps.h"

struct registration;

/* A point of the fixed copy and one of the moving copy that look the same. */
struct start_match {
    struct point fixed, moving;
    double log_size, turn; /* of the moving one against the fixed one, log2 and radians */
    double size;           /* of the moving one */
    double quality;        /* 0: nothing else looks like it; 1: something does as much */
    bool same;             /* sign of contrast */
};

/* What was found, in pixels of the copies. */
struct found_start {
    struct start_copy copy[2]; /* moving, fixed */
    bool noisy[2];             /* they were smoothed */
    struct start_match *matches;
    int count;
    bool found; /* a map at all */
    struct plane_map map;
    int support; /* matches on it, those near one another counting once */
    double same; /* share of those with the same sign of contrast */
};

/* Matches between two sets of points, the best one first. Their number, or -1: no memory. */
int match_features(struct thread_team *team, const struct start_kernels *kernels,
                   const struct feature_set *fixed, const struct feature_set *moving,
                   struct start_match **matches);

/* The map with the most matches on it: fills in found, map, support and same. False: no memory. */
bool map_from_matches(struct found_start *start);

/* How far a match may be off: of maps, and of fields. */
double start_tolerance(const struct found_start *start);
double field_tolerance(const struct found_start *start);

/* How many of the matches are less than `within` off, those near one another counting once; `off`
 * has how far each is off. -1: no memory. */
int count_support(const struct found_start *start, const double *off, double within);

/* Everything: copies, points, matches and the map. `start` is to be closed in any case. */
ro_status start_find(struct registration *flow, struct found_start *start);
void start_close(struct found_start *start);

/* The map between the images' pixels, from that between the copies'. */
struct plane_map start_of_images(const struct found_start *start);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Fronts that compete: every seed is one, with a window of intensities of its own. All start at
 * once, a pixel belongs to the first that arrives, and a label is a set of fronts. What is here
 * knows a picture of 16-bit intensities and lists of pixels; compete.c makes them from what a user
 * gives.
 */
#ifndef RO_SEGMENT_REGIONS_COMPETE_H
#define RO_SEGMENT_REGIONS_COMPETE_H

#include "context/context.h"
#include "roundoff/regions.h"

#include <stdbool.h>

/* A picture with two pixels more on every side, which are not part of it and are never entered:
 * pixel (x, y) is at plane_value_at. All planes and lists of pixels here are so. */
enum { RO_PLANE_MARGIN = 2 };
struct region_plane {
    uint32_t width, height, pitch;
    const uint16_t *grey;  /* smoothed */
    const uint16_t *label; /* of the seed that covers a pixel, 0: none */
    uint16_t least, most;  /* of grey */
    uint32_t spread;       /* of the middle 98 % of the intensities before they were smoothed */
};

/* Seeds that are single pixels start on a grid of levels that is common to all of them. */
enum { RO_GRID_LEVELS = 256, RO_GRID_STEPS = 2 /* of the grid, in a level of a flood */ };
static inline uint32_t plane_step(const struct region_plane *plane)
{
    return ((uint32_t)plane->most - plane->least) / RO_GRID_LEVELS + 1;
}

static inline uint32_t plane_value_at(const struct region_plane *plane, uint32_t x, uint32_t y)
{
    return (y + RO_PLANE_MARGIN) * plane->pitch + x + RO_PLANE_MARGIN;
}
static inline size_t plane_size(const struct region_plane *plane)
{
    return (size_t)plane->pitch * (plane->height + 2 * RO_PLANE_MARGIN);
}

/* What was flooded up to a level. */
struct flood_level {
    uint64_t area, pairs;
    int64_t contrast; /* summed over pairs */
    uint64_t inner;   /* pairs of which both are inside */
    uint64_t unrest;  /* differences of these, summed */
    uint64_t sum;     /* of the intensities */
};

/* What a seed tells: quartiles of its intensities and the width of a level. */
struct window_start {
    uint16_t low, high;
    uint32_t unit;
};

/* A front: where it starts and what it may take. */
struct region_front {
    const uint32_t *pixels; /* of its seed, in raster order */
    uint32_t count;
    uint16_t label;
    bool click;    /* its seed is the pixel of a click */
    bool home;     /* it stays where its label's seed is the nearest */
    bool numbered; /* its label is its own, for none was given */
    uint32_t own;  /* pixels of seeds of its label */
    struct window_start start;
    uint16_t low, high;       /* of the window, both inside */
    enum ro_region_kind kind; /* of hypothesis that won */
    struct flood_level at;    /* of its flood; without pairs there was none */
    double confidence;        /* of a thing that was found */
};

static inline bool front_takes(const struct region_plane *plane, const struct region_front *front,
                               uint32_t p)
{
    return plane->grey[p] >= front->low && plane->grey[p] <= front->high;
}

/* ---- The window of a seed (window.c, flood_ref.c)
 * ------------------------------------------- */

enum {
    RO_WINDOW_LEVELS = 128,
    RO_WINDOW_KINDS = 3,
    RO_WINDOW_MARGIN = 96, /* pairs that are added to those of an outline */
    RO_WINDOW_LEAP = 4096, /* pixels: half a millisecond of a flood */
};

enum { RO_CLICK_RADIUS = 5 };
struct window_start window_start(const struct region_plane *plane, const struct region_front *front,
                                 uint16_t *scratch);

struct window_start window_start_click(const struct region_plane *plane, uint32_t pixel);

/* How far an intensity is from the quartiles, on the wrong side of them. */
static inline uint32_t window_away(const struct window_start *start, enum ro_region_kind kind,
                                   uint16_t grey)
{
    const uint32_t below = start->low > grey ? (uint32_t)start->low - grey : 0;
    const uint32_t above = grey > start->high ? (uint32_t)grey - start->high : 0;
    return kind == RO_REGION_BRIGHT ? below
           : kind == RO_REGION_DARK ? above
           : below > above          ? below
                                    : above;
}

/* How much more an inside pixel is like the seed than an outside one. */
static inline int32_t window_contrast(enum ro_region_kind kind, uint16_t in, uint16_t out)
{
    const int32_t more = (int32_t)in - out;
    return kind == RO_REGION_BRIGHT ? more
           : kind == RO_REGION_DARK ? -more
           : more < 0               ? -more
                                    : more;
}

/* How a flood goes and ends. */
struct flood_rule {
    enum ro_region_kind kind;
    uint64_t least;  /* pixels of a level that counts */
    uint64_t most;   /* pixels */
    uint64_t leap;   /* pixels that a level may always have more than the one before */
    bool inland;     /* level 0 must not touch the border of the picture */
    uint64_t seeded; /* pixels of seeds that it may hold; 0: none of other labels */
    const uint16_t
        *nearest; /* label of the nearest seed, if it must stay at home; NULL: anywhere */
};
struct window_flood {
    int count; /* levels that are complete; 0: refused */
    int best;  /* of them, the first with the highest score */
    bool cut;  /* it ended at a seed of another label, at the border or at its size */
    struct flood_level level[RO_WINDOW_LEVELS];
};

/* A flood by one method or the other: the same levels. */
struct flooder;
struct flooder *flooder_open(const struct region_plane *plane); /* NULL: no memory */
void flooder_close(struct flooder *flooder);
void flooder_run(struct flooder *flooder, const struct region_front *front,
                 const struct window_start *start, const struct flood_rule *rule,
                 struct window_flood *flood);
/* In plain code; `inside` has a byte a pixel. */
void flood_ref(const struct region_plane *plane, const struct region_front *front,
               const struct window_start *start, const struct flood_rule *rule,
               unsigned char *inside, struct window_flood *flood);

/* The most pixels that the next level may have: a picture full of them, or less once there is an
 * outline of such contrast that a leap over its border must be a leak. */
uint64_t flood_room(const struct window_flood *flood, const struct flood_rule *rule,
                    const struct region_plane *plane);

/* Adds a level that is complete. False: an outline has been passed, the flood ends before this
 * level. */
bool flood_add(struct window_flood *flood, const struct flood_level *now);

/* What the fronts of a label have in common; kind 0 and most 0: nothing. */
struct seed_fellows {
    enum ro_region_kind kind;
    uint64_t least; /* pixels: clicks find no less */
    uint64_t most;  /* pixels */
    uint64_t vast;  /* pixels: more of that kind is a thing of its own, not a leak over theirs */
    uint16_t low, high; /* the middle one of their windows of that kind */
};
struct seed_fellows window_fellows(const struct region_front *const *fronts, size_t count,
                                   uint64_t *scratch);
bool window_odd(const struct region_front *front, const struct seed_fellows *fellows);

/* Decides on the window of a front; `flood` is called for each hypothesis. `nearest` has the label
 * of the nearest seed, or is NULL if there is one label only. Floods that were cut stay at home the
 * next time. A kind that had no outline before is doubted there: it ran over all the picture at
 * once, and walls alone do not make a thing of that. */
typedef void flood_fn(void *data, const struct region_front *front,
                      const struct window_start *start, const struct flood_rule *rule,
                      struct window_flood *flood);
void window_decide(const struct region_plane *plane, struct region_front *front,
                   const uint16_t *nearest, flood_fn *flood, void *data);

/* Decides again, as the fellows do. The front keeps its window where that would lose more than half
 * of its contrast, or three quarters of that of a small thing; but not one that is of another kind
 * and too large as well, which has leaked, and gives way to the fellows' window where there is none
 * of its own. */
void window_decide_again(const struct region_plane *plane, struct region_front *front,
                         const struct seed_fellows *fellows, const uint16_t *nearest,
                         flood_fn *flood, void *data);

/* ---- The race (arrival.c, arrival_ref.c)
 * ----------------------------------------------------------- */

/* An arrival is its time and the front, the earlier and then the lower one less. */
enum { RO_RACE_SIDE = 5, RO_RACE_CORNER = 7, RO_RACE_UNIT = 16, RO_FRONT_BITS = 24 };
/* Time starts at 1: beside the picture an arrival is 0, which nothing undercuts. */
static const uint64_t RO_NEVER = UINT64_MAX, RO_START = UINT64_C(1) << RO_FRONT_BITS;

struct front_race {
    const struct region_plane *plane;
    const uint16_t *cost; /* of entering a pixel, RO_RACE_UNIT being the usual; 0: a wall; NULL: no
                             others */
    const uint16_t *nearest; /* label of the nearest seed; NULL: no front is kept at home */
    const struct region_front *fronts;
    uint32_t count;
    uint64_t *arrival; /* of every pixel: time << RO_FRONT_BITS | front; RO_NEVER. 0 beside the
                          picture */
};
static inline bool race_takes(const struct front_race *race, const struct region_front *front,
                              uint32_t p)
{
    return front_takes(race->plane, front, p) && (!race->cost || race->cost[p]) &&
           (!race->nearest || !front->home || race->nearest[p] == front->label);
}
/* All pixels of the picture to RO_NEVER, those beside it to 0. */
void race_clear(const struct front_race *race);
void race_ref(const struct front_race *race);
ro_status race_run(ro_context *context, const struct front_race *race);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The paper's scene: three dice before a checkerboard, and plain targets. What is seen from the
 * front is cut into layers of equal depth; a pixel belongs to one of them.
 */
#ifndef RO_HOLOGRAM_SCENE_SCENE_H
#define RO_HOLOGRAM_SCENE_SCENE_H

#include "roundoff/hologram.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCENE_DICE = 3, SCENE_LAYERS = 16, SCENE_PLANES = SCENE_DICE * SCENE_LAYERS + 1 };

struct die {
    double x, y, z, half; /* centre, half an edge */
    double turn[3][3];    /* rows: the die's axes */
    double reach;         /* nothing of it lies farther from the centre */
    double near, far;     /* of what can be seen */
};

struct scene {
    ro_hologram_scene options; /* all lengths filled in */
    int target;
    bool smooth;
    double board, board_depth; /* side of the checkerboard or target */
    struct die dice[SCENE_DICE];
    int planes; /* from the back */
    double depth[SCENE_PLANES];
    int plane_die[SCENE_PLANES]; /* -1: the board */
};

/* Options as they were read. */
ro_status scene_open(ro_context *context, const ro_hologram_scene *options, double side,
                     struct scene *scene);

/* The range of rows and columns, in metres, outside of which a plane is empty. */
void scene_extent(const struct scene *scene, int plane, double low[2], double high[2]);

/* How far from the axis anything of it lies: to the corners of its outline. */
void scene_reach(const struct scene *scene, int plane, double reach[2]);

#ifdef __cplusplus
}
#endif

#endif

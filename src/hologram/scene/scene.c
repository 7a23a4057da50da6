/* SPDX-License-Identifier: MIT */
#include "hologram/scene/scene.h"

#include "hologram/field/field.h"
#include "hologram/scene/picture_light.h"
#include "hologram/scene/scene_light.h"
#include "hologram/scene/viewer.h"
#include "options/table.h"
#include "roundoff/library.h"

#include <math.h>
#include <string.h>

enum { USUAL_LAYERS = 4 };

/* Tables 1 and 2 of the paper; where the dice stand sideways is not said there. */
static const struct {
    double side, wavelength, pitch, viewer_z, viewing_area;
    double board, board_depth, die[SCENE_DICE], die_depth[SCENE_DICE];
    double x[SCENE_DICE], y[SCENE_DICE], yaw[SCENE_DICE], tilt[SCENE_DICE];
} paper = {
    .side = 18.4e-3,
    .wavelength = 635e-9,
    .pitch = 750e-9,
    .viewer_z = -36e-3,
    .viewing_area = 9.2e-3,
    .board = 18.4e-3,
    .board_depth = 103e-3,
    .die = {6e-3, 8e-3, 6e-3}, /* top left, bottom, top right */
    .die_depth = {97e-3, 91e-3, 81e-3},
    .x = {-4.6e-3, 0, 4.6e-3},
    .y = {-4.4e-3, 3.9e-3, -4.4e-3},
    .yaw = {0.35, -0.3, -0.4},
    .tilt = {-0.3, -0.35, -0.25},
};

/* ---- A die ---------------------------------------------------------------------------------- */

static void turn_die(struct die *die, double yaw, double tilt)
{
    const double c = cos(yaw), s = sin(yaw), d = cos(tilt), t = sin(tilt);
    const double turn[3][3] = {{c, s * t, s * d}, {0, d, -t}, {-s, c * t, c * d}};
    memcpy(die->turn, turn, sizeof turn);
}

/* ---- Scenes --------------------------------------------------------------------------------- */

static void place_dice(double scale, double away, struct scene *scene)
{
    for (int i = 0; i < SCENE_DICE; i++) {
        struct die *die = &scene->dice[i];
        *die = (struct die){.x = scale * paper.x[i],
                            .y = scale * paper.y[i],
                            .z = away * scale * paper.die_depth[i],
                            .half = scale * paper.die[i] / 2,
                            .reach = scale * paper.die[i] / 2 * sqrt(3)};
        turn_die(die, paper.yaw[i], paper.tilt[i]);
        /* What is seen reaches from the nearest corner back to the corners of the outline. */
        double corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = die->half * fabs(die->turn[k][2]);
        double most = corner[0] + corner[1] + corner[2];
        double least = fmin(fmin(corner[0], corner[1]), corner[2]);
        die->near = die->z - most;
        die->far = die->z + most - 2 * least;
    }
}

static double length(double asked, double usual) { return asked != 0 ? asked : usual; }

static ro_status fill_in(ro_context *context, double side, struct scene *scene)
{
    ro_optics *o = &scene->options.optics;
    const double scale = side / paper.side;
    for (int i = 0; i < 2; i++)
        o->viewing_area[i] = length(o->viewing_area[i], scale * paper.viewing_area);
    /* Coarse pixels bend light less than the paper's: all is farther away by as much. */
    const double least = viewer_distance(side, fmax(o->viewing_area[0], o->viewing_area[1]), o);
    const double away = fmax(1, least / (-scale * paper.viewer_z));
    o->viewer[2] = length(o->viewer[2], away * scale * paper.viewer_z);
    scene->board = scale * paper.board;
    scene->board_depth = away * scale * paper.board_depth;
    if (!(scene->board_depth < 100))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a scene at a depth of %g m: must be less than 100",
                               scene->board_depth);
    place_dice(scale, away, scene);
    if (!(o->viewer[2] < 0 && o->viewing_area[0] > 0 && o->viewing_area[1] > 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a viewing area of %g x %g m at z = %g m: it must lie in front of "
                               "the hologram, where z is negative",
                               o->viewing_area[0], o->viewing_area[1], o->viewer[2]);
    if (scene->options.layers == 0)
        scene->options.layers = USUAL_LAYERS;
    return RO_OK;
}

static void add_plane(struct scene *scene, double depth, int die)
{
    int at = scene->planes++;
    for (; at > 0 && scene->depth[at - 1] < depth; at--) {
        scene->depth[at] = scene->depth[at - 1];
        scene->plane_die[at] = scene->plane_die[at - 1];
    }
    scene->depth[at] = depth;
    scene->plane_die[at] = die;
}

ro_status scene_open(ro_context *context, const ro_hologram_scene *options, double side,
                     struct scene *scene)
{
    *scene = (struct scene){.options = *options};
    scene->target = (int)options_word(&scene_table, options, target);
    scene->smooth = options_word(&scene_table, options, phase) == PICTURE_SMOOTH;
    ro_status status = fill_in(context, side, scene);
    if (status != RO_OK)
        return status;
    add_plane(scene, scene->board_depth, -1);
    for (int i = 0; i < SCENE_DICE && scene->target == SCENE_DICE_TARGET; i++)
        for (int layer = 0; layer < scene->options.layers; layer++)
            add_plane(scene, plane_depth(scene, &scene->dice[i], layer), i);
    return RO_OK;
}

void scene_extent(const struct scene *scene, int plane, double low[2], double high[2])
{
    int die = scene->plane_die[plane];
    double reach = die < 0 ? scene->board / 2 : scene->dice[die].reach;
    double centre[2] = {die < 0 ? 0 : scene->dice[die].x, die < 0 ? 0 : scene->dice[die].y};
    for (int i = 0; i < 2; i++) {
        low[i] = centre[i] - reach;
        high[i] = centre[i] + reach;
    }
}

void scene_reach(const struct scene *scene, int plane, double reach[2])
{
    const int number = scene->plane_die[plane];
    for (int i = 0; i < 2; i++) {
        reach[i] = scene->board / 2;
        if (number < 0)
            continue;
        const struct die *die = &scene->dice[number];
        reach[i] = fabs(i ? die->y : die->x);
        for (int axis = 0; axis < 3; axis++)
            reach[i] += die->half * fabs(die->turn[axis][i]);
    }
}

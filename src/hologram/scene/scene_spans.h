/* SPDX-License-Identifier: MIT */
/*
 * Where a row of a plane may have something of a die: few of its pixels are in any one layer.
 *
 * Along a row the depth at which rays enter the die is the largest of three straight lines, that at
 * which they leave it the smallest of three. So rays that meet the die are between two ends, those
 * that enter before a depth too, and a layer is what lies between two such depths.
 */
#ifndef RO_HOLOGRAM_SCENE_SCENE_SPANS_H
#define RO_HOLOGRAM_SCENE_SCENE_SPANS_H

#include "hologram/scene/scene.h"

/* Spans of x, in metres, outside of which the plane has nothing at y; 0 to 2 of them. They are
 * wider than what is there by a billionth of the die at least; boards have one. */
int scene_spans(const struct scene *scene, int plane, double y, double spans[2][2]);

#endif

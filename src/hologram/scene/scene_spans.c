/* SPDX-License-Identifier: MIT */
#include "hologram/scene/scene_spans.h"

#include "hologram/scene/scene_light.h"

struct line {
    double at_0, slope;
};

/* Leaves of a span where the line is at most `most`. */
static void keep(double span[2], struct line line, double most)
{
    const double room = most - line.at_0;
    if (line.slope > 0)
        span[1] = fmin(span[1], room / line.slope);
    else if (line.slope < 0)
        span[0] = fmax(span[0], room / line.slope);
    else if (room < 0)
        span[1] = -INFINITY;
}

int scene_spans(const struct scene *scene, int plane, double y, double spans[2][2])
{
    double low[2], high[2];
    scene_extent(scene, plane, low, high);
    if (y < low[1] || y > high[1])
        return 0;
    spans[0][0] = low[0];
    spans[0][1] = high[0];
    if (scene->plane_die[plane] < 0)
        return 1;
    const struct die *die = &scene->dice[scene->plane_die[plane]];
    const double spare = 1e-9 * die->half;
    struct line enter[3], leave[3];
    double before[2] = {-INFINITY, INFINITY};
    int layer = 0;
    while (layer + 1 < scene->options.layers &&
           plane_depth(scene, die, layer) != scene->depth[plane])
        layer++;
    for (int i = 0; i < 3; i++) { /* meet_die */
        const double along = fabs(die->turn[i][2]) < 1e-9 ? 1e-9 : die->turn[i][2];
        const double thick = die->half / fabs(along);
        const double middle = -die->turn[i][1] * (y - die->y) / along;
        const double slope = -die->turn[i][0] / along;
        enter[i] = (struct line){middle - thick - slope * die->x, slope};
        leave[i] = (struct line){middle + thick - slope * die->x, slope};
    }
    const double step = (die->far - die->near) / scene->options.layers;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            if (i != k)
                keep(spans[0],
                     (struct line){enter[i].at_0 - leave[k].at_0, enter[i].slope - leave[k].slope},
                     spare);
        if (layer + 1 < scene->options.layers)
            keep(spans[0], enter[i], die->near + (layer + 1) * step - die->z + spare);
        if (layer > 0)
            keep(before, enter[i], die->near + layer * step - die->z - spare);
    }
    if (layer == 0 || before[0] >= before[1]) /* nothing lies before the layer */
        return spans[0][0] <= spans[0][1];
    spans[1][0] = fmax(before[1], spans[0][0]);
    spans[1][1] = spans[0][1];
    spans[0][1] = fmin(before[0], spans[0][1]);
    return 2;
}

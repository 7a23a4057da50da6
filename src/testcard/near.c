/* SPDX-License-Identifier: MIT */
/*
 * What stands nearer: a house on the far shore, and on this side the bank with grass and firs,
 * dark against the light, full of fine detail.
 */
#include "testcard/lake.h"

/* ---- the house ---------------------------------------------------------------------------- */

void draw_house(const struct draw_scene *scene, double u, double v, struct draw_light *seen)
{
    double x = (u - scene->house_x) / scene->house_size;
    double y =
        (scene->house_y - v) / scene->house_size; /* up from the ground, the house is 1 high */
    double side = x < 0 ? -x : x;
    bool wall = side < 0.62 && y < 0.5;
    bool roof = y >= 0.46 && y < 1.0 && side < 0.78 - 0.58 * (y - 0.46) / 0.54;
    bool chimney = x > 0.18 && x < 0.32 && y >= 0.5 && y < 1.2;
    if (y < -0.15 || (!wall && !roof && !chimney))
        return;
    bool window = y > 0.14 && y < 0.36 &&
                  ((x > -0.48 && x < -0.26) || (x > 0.02 && x < 0.24) || (x > 0.34 && x < 0.52));
    bool door = y < 0.36 && x > -0.18 && x < -0.04;
    if (roof)
        *seen = light_scale(light(0.20, 0.050, 0.030), 0.6 + 0.5 * y);
    else if (wall && window)
        *seen = light(1.5, 1.0, 0.38);
    else if (wall && door)
        *seen = light(0.06, 0.04, 0.03);
    else
        *seen = light_scale(light(0.62, 0.54, 0.44), chimney && !wall ? 0.5 : 0.7 + 0.5 * y);
}

/* ---- bank and trees ----------------------------------------------------------------------- */

static const struct tree {
    double u, foot, height, lean;
} trees[] = {
    {-1.02, 0.93, 0.60, 0.01}, {-0.80, 0.95, 0.84, -0.01},  {-0.93, 0.97, 0.72, 0.00},
    {-0.66, 0.97, 0.50, 0.01}, {-0.565, 0.975, 0.26, 0.00}, {0.90, 0.95, 0.42, 0.00},
    {1.00, 0.97, 0.56, -0.01}, {0.80, 0.975, 0.24, 0.01},   {-1.45, 0.95, 0.70, 0.00},
    {1.42, 0.95, 0.62, 0.00},  {1.75, 0.95, 0.45, 0.00},    {-1.80, 0.95, 0.52, 0.00},
};
enum { TREES = sizeof trees / sizeof *trees };

static double tree_reach(const struct tree *tree) { return 0.03 + 0.19 * tree->height; }

static double bank_top(double u)
{
    double left = smooth(-0.25, -1.1, u), right = smooth(0.45, 1.15, u);
    return 0.985 - 0.085 * left - 0.055 * right;
}

double draw_near_top(double u)
{
    double top = bank_top(u) - 0.05;
    for (int i = 0; i < TREES; i++) {
        double away = u - trees[i].u;
        double high = trees[i].foot - trees[i].height;
        if (away > -tree_reach(&trees[i]) && away < tree_reach(&trees[i]) && high < top)
            top = high;
    }
    return top;
}

void draw_bank(const struct draw_noise *noise, double u, double v, struct draw_light *seen)
{
    double deep = v - bank_top(u);
    if (deep < -0.05)
        return;
    /* blades lean with the wind: the row of noise is sheared */
    double blade = draw_noise_at(noise, (u + 0.25 * v) * 260, 3.5) *
                       (0.4 + 0.6 * draw_noise_at(noise, u * 37, 8.5)) +
                   0.5 * draw_noise_at(noise, u * 23, 5.5);
    double cover = smooth(-0.004, 0.003, deep + 0.036 * blade - 0.012);
    double tuft = draw_noise_at(noise, (u + 0.3 * v) * 230, v * 38);
    double patch = draw_noise_sum(noise, u * 9, v * 22, 4);
    double tip = 1 - smooth(0, 0.09, deep + 0.02);
    struct draw_light dark = light(0.008, 0.014, 0.006), warm = light(0.23, 0.19, 0.055);
    struct draw_light grass =
        light_mix(dark, warm, tuft * tuft * (0.20 + 0.8 * tip) * (0.25 + patch));
    *seen = light_mix(*seen, grass, cover);
}

void draw_trees(const struct draw_noise *noise, double u, double v, struct draw_light *seen)
{
    for (int i = 0; i < TREES; i++) {
        const struct tree *tree = &trees[i];
        double down =
            (v - tree->foot + tree->height) / tree->height; /* 0 at the top, 1 at the foot */
        double away = u - tree->u - tree->lean * down;
        double side = away < 0 ? -away : away, reach = tree_reach(tree);
        if (side > reach || down < 0 || down > 1.02)
            continue;
        if (side < 0.006 * tree->height * (0.3 + 2 * down)) {
            *seen = light_mix(light(0.016, 0.012, 0.009), light(0.12, 0.07, 0.035),
                              smooth(-0.2, 1, away / (0.02 * tree->height)));
        }
        /* boughs hang: rows of them sink outwards, each with its own length */
        double hang = down * 19 - side / reach * 2.6 + (away < 0 ? 0.45 : 0);
        int64_t bough = floor_int(hang);
        double within = hang - (double)bough;
        double length =
            0.55 +
            0.6 * draw_noise_at(noise, (double)bough * 7.31 + (away < 0 ? 3 : 50), i * 5.7 + 0.5);
        double rim = reach * (0.03 + 0.95 * down) * length * (0.42 + 0.58 * within) *
                     (1 - smooth(0.86, 0.99, down));
        if (side > 1.22 * rim + 0.002)
            continue;
        double needles = draw_noise_sum(noise, away * 430 + i * 9.3, v * 330, 2);
        double clump = draw_noise_at(noise, away * 130 + i * 3.1, v * 150);
        double inside = rim * (0.72 + 0.5 * needles) - side;
        double part = smooth(-0.002, 0.002, inside) *
                      (1 - smooth(0.70, 0.80, clump) * smooth(0.25, 0.8, side / (rim + 1e-9)));
        if (part <= 0)
            continue;
        double lit = smooth(-0.5, 1.1, away / (rim + 1e-9)) * needles * (1.1 - 0.5 * within);
        struct draw_light leaf = light_mix(light(0.006, 0.012, 0.008), light(0.12, 0.15, 0.045),
                                           lit * (0.4 + 0.6 * clump));
        *seen = light_mix(*seen, leaf, part);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * The photograph-like scene: a mountain lake in evening light.
 *
 * It is cast column by column. From the far shore on, the land is followed away from the eye; each
 * point that rises above all before it fills the rows up to where it is seen:
 *
 *          sky          . ' .          rows are filled upwards,
 *                  _ . '     ' .       nearest land first
 *     house ^  _ -
 *     ~~~~~~~~~~~~~~~~~~~~~~~~ shore
 *     water mirrors the rows above it
 *
 * Rows are filled by the exact part of them that is covered, so that ridges come out smooth; small
 * pictures cast several columns side by side for every column of pixels.
 */
#include "testcard/lake.h"

#define NEAREST 8.0 /* no land before */
#define FARTHEST 80.0

void draw_scene_open(struct draw_scene *scene)
{
    draw_noise_fill(&scene->noise, 1974);
    /* the house stands where the land begins to rise */
    double z = NEAREST, u = 0.36;
    double y = 0;
    while ((y = draw_land_height(&scene->noise, u * z / FOCUS, z, 0.2, ANY_HEIGHT)) < 0.05)
        z *= 1.001;
    scene->house_x = u;
    scene->house_y = HORIZON + (EYE - y) * FOCUS / z;
    scene->house_size = 0.32 * FOCUS / z;
}

static void fill(struct draw_sample *sample, struct draw_light seen, double weight)
{
    sample->sum = light_add(sample->sum, light_scale(seen, weight));
    sample->weight += (float)weight;
}

/* Fills the rows from `top` to `bottom`, both in rows, blending from `above` down to `below`. */
static void fill_span(struct draw_sample *column, int64_t rows, double top, double bottom,
                      struct draw_light above, struct draw_light below, double weight)
{
    if (top < 0)
        top = 0;
    if (bottom > (double)rows)
        bottom = (double)rows;
    for (int64_t row = (int64_t)top; (double)row < bottom; row++) {
        double from = (double)row > top ? (double)row : top;
        double to = (double)row + 1 < bottom ? (double)row + 1 : bottom;
        double t = bottom > top ? (0.5 * (from + to) - top) / (bottom - top) : 0;
        fill(&column[row], light_mix(above, below, t), weight * (to - from));
    }
}

/* Casts the land along one column. Gives the row of the shore; returns that of the highest land. */
static double cast_land(const struct draw_scene *scene, double u, int64_t rows,
                        struct draw_sample *column, double weight, double *shore)
{
    const struct draw_noise *noise = &scene->noise;
    double steps = (double)rows * 0.5;
    steps = steps < 260 ? 260 : steps > 700 ? 700 : steps;
    double ratio = 1 + 2.3 / steps, sun = 1;
    double top = HORIZON * (double)rows; /* of a lake without end */
    struct draw_light last = light(0, 0, 0);
    bool landed = false, joined = false; /* the point before this one was seen too */
    double lit = top,
           shaded = 2 * top; /* the rows of the last light and the last shadow computed */
    *shore = top;
    for (double z = NEAREST; z < FARTHEST; z *= ratio) {
        double x = u * z / FOCUS, pixel = z / (FOCUS * (double)rows);
        double hidden = EYE + (HORIZON - top / (double)rows) * z / FOCUS; /* what ends below here */
        double y = draw_land_height(noise, x, z, pixel, landed ? hidden : ANY_HEIGHT);
        if (!landed) {
            if (y <= 0)
                continue;
            *shore = lit = top = (HORIZON + EYE * FOCUS / z) * (double)rows;
            last = draw_land_light(noise, x, y, z, pixel, 1);
            landed = joined = true;
        }
        double row = (HORIZON - (y - EYE) * FOCUS / z) * (double)rows;
        if (row >= top) {
            joined = false;
            continue;
        }
        struct draw_light seen = last;
        if (!joined || lit - row > 0.8) { /* a light for every row is enough */
            if (!joined || shaded - row > 0.0025 * (double)rows) { /* shadows are soft */
                sun = draw_land_sun(noise, x, y, z);
                shaded = row;
            }
            seen = draw_land_light(noise, x, y, z, pixel, sun);
            lit = row;
        }
        fill_span(column, rows, row, top, seen, joined ? last : seen, weight);
        last = seen;
        joined = true;
        top = row;
    }
    return top;
}

/* ---- water -------------------------------------------------------------------------------- */

static struct draw_light row_at(const struct draw_sample *column, int64_t rows, double row)
{
    row = row < 0 ? 0 : row > (double)(rows - 1) ? (double)(rows - 1) : row;
    int64_t above = (int64_t)row, below = above + 1 < rows ? above + 1 : above;
    return light_mix(column[above].sum, column[below].sum, row - (double)above);
}

static struct draw_light water(const struct draw_scene *scene, const struct draw_sample *column,
                               int64_t rows, double u, double v, double shore)
{
    const struct draw_noise *noise = &scene->noise;
    double below = v - HORIZON > 0.02 ? v - HORIZON : 0.02;
    double z = EYE * FOCUS / below, x = u * z / FOCUS;
    double pixel = z * z / (EYE * FOCUS * (double)rows); /* a row's depth on the water */
    double calm = draw_noise_sum(noise, x * 0.35 + 60, z * 0.5, 2);
    double rough = 0.25 + smooth(0.45, 0.62, calm);
    double ripple = draw_noise_sum(noise, x * 2.2, z * 5, 2) - 0.5;
    ripple +=
        0.5 * (draw_noise_at(noise, x * 14 + 7, z * 26) - 0.5) * (1 - smooth(0.02, 0.10, pixel));
    ripple +=
        0.25 * (draw_noise_at(noise, x * 39, z * 70) - 0.5) * (1 - smooth(0.008, 0.04, pixel));
    /* the mirror image is a little higher where a wave leans towards the eye */
    double mirrored = 2 * shore - v * (double)rows;
    double dry = (double)(int64_t)shore - 1.5; /* the last row that land fills whole */
    double push = ripple * rough * (0.012 + 0.16 * below) * (double)rows;
    double image_row = mirrored - (push < 0 ? -push : push) * 0.6 - push;
    struct draw_light image = row_at(column, rows, image_row < dry ? image_row : dry);
    double cosine = below / sqrt(below * below + FOCUS * FOCUS) + 0.25 * ripple * rough;
    double turned = 1 - clamp01(cosine), square = turned * turned;
    double mirror = 0.06 + 0.86 * square * square * turned;
    struct draw_light deep = light(0.012, 0.040, 0.048);
    return light_add(light_scale(image, mirror), light_scale(deep, 1 - mirror));
}

/* ---- a column ----------------------------------------------------------------------------- */

/* The curve of a film, then the display's: square root. Black and white are reached, not cut. */
static float develop(float x)
{
    float y = x * (2.1f * x + 0.06f) / (x * (2.0f * x + 0.62f) + 0.16f);
    return sqrtf(y < 1 ? y : 1);
}

/* Each row of a column is seen at some points; a point shows the house, or what was there. */
static void build_house(const struct draw_scene *scene, int64_t rows, double middle,
                        struct draw_sample *column)
{
    enum { POINTS = 4 };
    double unit = 1 / (double)rows, size = scene->house_size;
    if (middle < scene->house_x - size || middle > scene->house_x + size)
        return;
    int64_t from = (int64_t)((scene->house_y - 1.3 * size) * (double)rows);
    int64_t to = (int64_t)((scene->house_y + 0.2 * size) * (double)rows);
    for (int64_t y = from; y < to; y++) {
        struct draw_light sum = light(0, 0, 0);
        for (int i = 0; i < POINTS * POINTS; i++) {
            struct draw_light seen = column[y].sum;
            draw_house(scene, middle + ((i % POINTS + 0.5) / POINTS - 0.5) * unit,
                       ((double)y + (i / POINTS + 0.5) / POINTS) * unit, &seen);
            sum = light_add(sum, light_scale(seen, 1.0 / (POINTS * POINTS)));
        }
        column[y].sum = sum;
    }
}

static void plant_bank(const struct draw_scene *scene, int64_t rows, double middle, int fine,
                       struct draw_sample *column)
{
    double unit = 1 / (double)rows, top = draw_near_top(middle) * (double)rows;
    for (int64_t y = top > 0 ? (int64_t)top : 0; y < rows; y++) {
        struct draw_light sum = light(0, 0, 0);
        for (int i = 0; i < fine * fine; i++) {
            double u = middle + ((i % fine + 0.5) / fine - 0.5) * unit;
            double v = ((double)y + (i / fine + 0.5) / fine) * unit;
            struct draw_light seen = column[y].sum;
            draw_trees(&scene->noise, u, v, &seen);
            draw_bank(&scene->noise, u, v, &seen);
            sum = light_add(sum, light_scale(seen, 1.0 / (fine * fine)));
        }
        column[y].sum = sum;
    }
}

void draw_scene_column(const struct draw_scene *scene, const struct draw_panel *panel, int64_t x,
                       struct draw_sample *column, struct draw_pixel *out, int64_t out_step)
{
    int64_t rows = panel->height;
    int fine = rows >= 1000 ? 1 : rows >= 400 ? 2 : rows >= 200 ? 3 : 4;
    double unit = 1 / (double)rows, weight = 1.0 / fine;
    double middle = ((double)x + 0.5 - 0.5 * (double)panel->width) * unit;
    for (int64_t y = 0; y < rows; y++)
        column[y] = (struct draw_sample){{0, 0, 0}, 0};

    double shore = 0, land_end = 0;
    for (int i = 0; i < fine; i++) {
        double u = middle + ((i + 0.5) / fine - 0.5) * unit, edge;
        double top = cast_land(scene, u, rows, column, weight, &edge);
        shore += edge * weight;
        land_end = top > land_end ? top : land_end;
    }
    for (int64_t y = 0; y < rows && (double)y <= land_end; y++)
        if (column[y].weight < 0.9999f)
            fill(&column[y], draw_sky(&scene->noise, middle, ((double)y + 0.5) * unit),
                 1 - (double)column[y].weight);

    build_house(scene, rows, middle, column);
    for (int64_t y = (int64_t)shore - 1 > 0 ? (int64_t)shore - 1 : 0; y < rows; y++)
        if (column[y].weight < 0.9999f)
            fill(&column[y], water(scene, column, rows, middle, ((double)y + 0.5) * unit, shore),
                 1 - (double)column[y].weight);

    plant_bank(scene, rows, middle, fine, column);
    for (int64_t y = 0; y < rows; y++) {
        struct draw_light c = column[y].sum;
        out[y * out_step] = display(light(develop(c.r), develop(c.g), develop(c.b)));
    }
}

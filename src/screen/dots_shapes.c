/* SPDX-License-Identifier: MIT */
/*
 * Shapes of dots. Those of two halves are chequered at the middle tone: below it dots grow, above
 * it holes shrink, which are the dots of the other colour. The others grow over the whole cell.
 */
#include "core/names.h"
#include "screen/dots.h"

#include <math.h>
#include <stdio.h>

static struct dots_place dot_round(double x, double y)
{
    return (struct dots_place){false, x * x + y * y};
}

/* The same circles, but from half tone on what is left belongs to the hole at the corner, so that
 * it closes as one. */
static struct dots_place dot_round_whole(double x, double y)
{
    const double half = 0.15915494309189535, square = x * x + y * y; /* 1 / 2 pi */
    return square > half ? (struct dots_place){true, 0.5 - square}
                         : (struct dots_place){false, square};
}

static struct dots_place dot_square(double x, double y)
{
    return (struct dots_place){false, fmax(fabs(x), fabs(y)) + (fabs(x) + fabs(y)) / 64};
}

static struct dots_place dot_line(double x, double y)
{
    return (struct dots_place){false, fabs(y) + fabs(x) / 64};
}

static struct dots_place dot_cross(double x, double y)
{
    return (struct dots_place){false, fmin(fabs(x), fabs(y)) + (fabs(x) + fabs(y)) / 64};
}

/* From the corner, for holes. */
static double from_corner(double x) { return 0.5 - fabs(x); }

static struct dots_place dot_euclidean(double x, double y)
{
    if (fabs(x) + fabs(y) <= 0.5)
        return (struct dots_place){false, x * x + y * y};
    x = from_corner(x);
    y = from_corner(y);
    return (struct dots_place){true, x * x + y * y};
}

static struct dots_place dot_diamond(double x, double y)
{
    if (fabs(x) + fabs(y) <= 0.5)
        return (struct dots_place){false, fabs(x) + fabs(y)};
    return (struct dots_place){true, from_corner(x) + from_corner(y)};
}

/* Dots a third longer than wide, which touch along x first (from about 3/8 on) and along y last (at
 * about 5/8): ellipses, then straight lines between them. */
static struct dots_place dot_ellipse(double x, double y)
{
    const double along = 6 * fabs(x) + 8 * fabs(y) - 3; /* 0: the ellipse ends; 1: the hole does */
    const bool hole = along > 0.5;
    if (hole) {
        x = from_corner(x);
        y = from_corner(y);
    } else {
        x = fabs(x);
        y = fabs(y);
    }
    const double ellipse = x * x + y * y * (16.0 / 9);
    if (along >= 0 && along <= 1) /* beyond all ellipses, which end at 1/4 */
        return (struct dots_place){hole, 1 + (hole ? 1 - along : along)};
    return (struct dots_place){hole, ellipse};
}

static const struct {
    const char *name;
    dots_shape_fn *shape;
    dots_shape_fn *whole; /* where dots of paper grow whole, as dots of ink do; NULL: they cannot */
} shapes[] = {
    {"round", dot_round, dot_round_whole},
    {"ellipse", dot_ellipse, dot_ellipse},
    {"square", dot_square, NULL},
    {"diamond", dot_diamond, dot_diamond},
    {"line", dot_line, NULL},
    {"euclidean", dot_euclidean, dot_euclidean},
    {"cross", dot_cross, NULL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

dots_shape_fn *dots_shape_find(ro_context *context, const char *name, uint32_t dot)
{
    if (!name)
        name = dot > 1 ? "euclidean" : "round";
    for (int i = 0; i < SHAPES; i++) {
        if (!ro_name_equal(name, shapes[i].name))
            continue;
        if (dot <= 1)
            return shapes[i].shape;
        if (shapes[i].whole)
            return shapes[i].whole;
        ro_context_fail(context, RO_E_ARGUMENT,
                        "a smallest dot of %u pixels needs the shape round, ellipse, diamond or "
                        "euclidean, not %s, whose paper is left in lines",
                        dot, name);
        return NULL;
    }
    ro_context_fail(context, RO_E_ARGUMENT,
                    "there is no dot shape '%s'; use round, ellipse, square, diamond, line, "
                    "euclidean or cross",
                    name);
    return NULL;
}

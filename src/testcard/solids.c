/* SPDX-License-Identifier: MIT */
/*
 * A still life of plaster solids: cylinder, cone, cube and sphere on a table, lit from the left.
 *
 * All solids are convex, so the signed distance to one, followed along a ray, is a convex function:
 * it falls, has one minimum and rises. A golden-section search finds that minimum, and it says
 * everything: for a ray from the eye, how much of a pixel at the rim is covered; for a ray to the
 * lamp, distance over way gone, how much of the lamp is hidden. No sampling, so no noise: edges and
 * penumbras come out as smooth as the number format.
 */
#include "testcard/draw.h"

#include <stddef.h>

struct vec {
    double x, y, z;
};

static struct vec vec(double x, double y, double z) { return (struct vec){x, y, z}; }
static struct vec add(struct vec a, struct vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static struct vec sub(struct vec a, struct vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static struct vec scale(struct vec a, double s) { return vec(a.x * s, a.y * s, a.z * s); }
static double dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct vec unit(struct vec a) { return scale(a, 1 / sqrt(dot(a, a))); }

enum shape { CYLINDER, CONE, CUBE, SPHERE };

/* Ordered from the back to the front as the eye sees them. `middle` and `reach` are a ball round
 * the solid; `round` is the radius its edges are rounded by, and how deep it sinks into the cloth.
 */
static const struct solid {
    enum shape shape;
    struct vec middle;
    double reach, radius, half_height, round;
    double cosine, sine; /* turned about the upright axis */
    struct draw_light paint;
} solids[] = {
    {CYLINDER, {-0.78, 0.915, 1.25}, 1.12, 0.52, 0.95, 0.035, 1, 0, {0.26f, 0.42f, 0.24f}},
    {CONE, {0.60, 0.87, 0.75}, 1.18, 0.72, 0.90, 0.030, 1, 0, {0.80f, 0.56f, 0.12f}},
    {CUBE, {1.55, 0.485, -0.35}, 0.92, 0.52, 0.52, 0.035, 0.8660254, 0.5, {0.10f, 0.25f, 0.52f}},
    {SPHERE, {-0.75, 0.66, -0.45}, 0.66, 0.66, 0.66, 0, 1, 0, {0.66f, 0.13f, 0.08f}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };
static const struct draw_light plaster = {0.72f, 0.72f, 0.72f};

static double box_distance(double x, double y)
{
    double inside = x > y ? x : y;
    if (inside <= 0)
        return inside;
    x = x > 0 ? x : 0;
    y = y > 0 ? y : 0;
    return sqrt(x * x + y * y);
}

static double segment_square(double x, double y, double ax, double ay, double bx, double by)
{
    double dx = bx - ax, dy = by - ay;
    double t = clamp01(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy));
    double ex = x - ax - t * dx, ey = y - ay - t * dy;
    return ex * ex + ey * ey;
}

static double distance(const struct solid *s, struct vec p)
{
    p = sub(p, s->middle);
    double r = s->radius - s->round, h = s->half_height - s->round;
    switch (s->shape) {
    case SPHERE:
        return sqrt(dot(p, p)) - s->radius;
    case CYLINDER:
        return box_distance(sqrt(p.x * p.x + p.z * p.z) - r, (p.y < 0 ? -p.y : p.y) - h) - s->round;
    case CONE: {
        double q = sqrt(p.x * p.x + p.z * p.z);
        double side = segment_square(q, p.y, 0, h, r, -h);
        double base = q < r ? (p.y + h) * (p.y + h) : 1e9;
        bool inside = p.y > -h && q * 2 * h < r * (h - p.y);
        double d = sqrt(side < base ? side : base);
        return (inside ? -d : d) - s->round;
    }
    case CUBE:
        break;
    }
    double x = p.x * s->cosine - p.z * s->sine, z = p.x * s->sine + p.z * s->cosine;
    x = (x < 0 ? -x : x) - r;
    z = (z < 0 ? -z : z) - r;
    double y = (p.y < 0 ? -p.y : p.y) - h;
    return box_distance(y, z > x && x <= 0  ? z
                           : x > 0 && z > 0 ? sqrt(x * x + z * z)
                                            : (x > z ? x : z)) -
           s->round;
}

static struct vec normal(const struct solid *s, struct vec p)
{
    const double e = 1e-4;
    double d = distance(s, p);
    return unit(vec(distance(s, vec(p.x + e, p.y, p.z)) - d,
                    distance(s, vec(p.x, p.y + e, p.z)) - d,
                    distance(s, vec(p.x, p.y, p.z + e)) - d));
}

/* The smallest of distance(from + t way) / t for t between `near` and `far`, and where it is.
 * Divided by t, a convex function still has one minimum. Values beyond -limit and limit need not be
 * exact: the search ends once it is known to be beyond. */
static double least(const struct solid *s, struct vec from, struct vec way, double near, double far,
                    double limit, double *at)
{
    const double golden = 0.6180339887498949;
    double a = far - golden * (far - near), b = near + golden * (far - near);
    double fa = distance(s, add(from, scale(way, a))) / a;
    double fb = distance(s, add(from, scale(way, b))) / b;
    for (int i = 0; i < 14; i++) {
        if (fa < -limit || fb < -limit)
            break;
        /* a distance changes by no more than the way gone */
        if (fa * a - (far - near) > limit * far && fb * b - (far - near) > limit * far)
            break;
        if (fa < fb) {
            far = b;
            b = a;
            fb = fa;
            a = far - golden * (far - near);
            fa = distance(s, add(from, scale(way, a))) / a;
        } else {
            near = a;
            a = b;
            fa = fb;
            b = near + golden * (far - near);
            fb = distance(s, add(from, scale(way, b))) / b;
        }
    }
    *at = fa < fb ? a : b;
    return fa < fb ? fa : fb;
}

/* Where a ray passes the ball round a solid, widened by `margin` per unit of way. */
static bool passes(const struct solid *s, struct vec from, struct vec way, double margin,
                   double *near, double *far)
{
    struct vec to = sub(s->middle, from);
    double along = dot(to, way), square = dot(to, to) - along * along;
    double reach = s->reach + margin * (along > 0 ? along : 0);
    if (square > reach * reach)
        return false;
    double half = sqrt(reach * reach - square);
    *near = along - half > 1e-3 ? along - half : 1e-3;
    *far = along + half;
    return *far > *near;
}

static const struct vec lamp = {-0.56, 0.72, -0.41};
static const double lamp_size = 0.11; /* half its width as seen from the table */

static double lit(struct vec p, const struct solid *skip)
{
    double all = 1;
    for (int i = 0; i < SOLIDS; i++) {
        double near, far, at;
        if (&solids[i] == skip || !passes(&solids[i], p, lamp, lamp_size, &near, &far))
            continue;
        all *= smooth(-lamp_size, lamp_size, least(&solids[i], p, lamp, near, far, lamp_size, &at));
    }
    return all;
}

/* How open the surroundings are above a point: a solid close by takes light of the room away. */
static double open_space(struct vec p, const struct solid *skip)
{
    double all = 1;
    for (int i = 0; i < SOLIDS; i++) {
        struct vec to = sub(solids[i].middle, p);
        double room = solids[i].reach + 0.7;
        if (&solids[i] != skip && dot(to, to) < room * room)
            all *= 0.45 + 0.55 * smooth(-0.25, 0.7, distance(&solids[i], p));
    }
    return all;
}

static struct draw_light table_light(struct vec eye, struct vec way, bool colour)
{
    struct draw_light cloth = colour ? light(0.74, 0.68, 0.60) : light(0.70, 0.70, 0.70);
    struct draw_light wall = colour ? light(0.30, 0.34, 0.37) : light(0.33, 0.33, 0.33);
    if (way.y > -0.02)
        return wall;
    struct vec p = add(eye, scale(way, -eye.y / way.y));
    struct vec from_middle = sub(p, vec(-0.9, 0, -0.6));
    double pool = 1 / (1 + 0.035 * dot(from_middle, from_middle));
    double bright = 0.20 * open_space(p, NULL) + 0.85 * pool * lit(p, NULL);
    /* the table runs out into the wall without an edge */
    return light_mix(light_scale(cloth, bright), wall, smooth(3, 9, p.z));
}

static struct draw_light solid_light(const struct solid *s, struct vec p, bool colour)
{
    struct vec n = normal(s, p);
    double lambert = dot(n, lamp);
    double direct = lambert > 0 ? lambert * lit(p, s) : 0;
    double room = (0.16 + 0.08 * n.y) * open_space(p, s);
    double bounce = 0.17 * (0.5 - 0.5 * n.y) * (0.55 + 0.45 * smooth(0, 1, p.y));
    struct draw_light paint = colour ? s->paint : plaster;
    struct draw_light fill = colour ? light(0.92, 0.98, 1.06) : light(1, 1, 1);
    struct draw_light warm = colour ? light(1.04, 1.0, 0.92) : light(1, 1, 1);
    return light_filter(
        paint, light_add(light_scale(fill, room), light_scale(warm, 1.05 * direct + bounce)));
}

/* Where a ray that is outside at `out` and inside at `in` enters: false position, and where one end
 * stays, its weight is halved. */
static double enter(const struct solid *s, struct vec from, struct vec way, double out, double in)
{
    double f_out = distance(s, add(from, scale(way, out)));
    double f_in = distance(s, add(from, scale(way, in))), t = out;
    int stayed = 0;
    for (int k = 0; k < 20 && f_out > 0; k++) {
        t = in - f_in * (in - out) / (f_in - f_out);
        double f = distance(s, add(from, scale(way, t)));
        if (f < 1e-5 && f > -1e-5)
            break;
        if (f > 0) {
            out = t;
            f_out = f;
            if (stayed == 1)
                f_in *= 0.5;
            stayed = 1;
        } else {
            in = t;
            f_in = f;
            if (stayed == 2)
                f_out *= 0.5;
            stayed = 2;
        }
    }
    return t;
}

/* The light along one ray; `pixel` is the width of a pixel at unit distance. */
static struct draw_light cast(struct vec eye, struct vec way, double pixel, bool colour)
{
    double hits[SOLIDS], cover[SOLIDS];
    int first = 0; /* the front most solid that hides everything behind */
    bool hidden = false;
    for (int i = 0; i < SOLIDS; i++) {
        double near, far;
        cover[i] = 0;
        if (!passes(&solids[i], eye, way, pixel, &near, &far))
            continue;
        double d = least(&solids[i], eye, way, near, far, 0.6 * pixel, &hits[i]);
        cover[i] = clamp01(0.5 - d / pixel);
        if (d < 0)
            hits[i] = enter(&solids[i], eye, way, near, hits[i]);
        if (cover[i] >= 1) {
            first = i;
            hidden = true;
        }
    }
    struct draw_light seen = hidden ? light(0, 0, 0) : table_light(eye, way, colour);
    for (int i = first; i < SOLIDS; i++)
        if (cover[i] > 0)
            seen = light_mix(seen, solid_light(&solids[i], add(eye, scale(way, hits[i])), colour),
                             cover[i]);
    return seen;
}

void draw_solids(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    const struct vec eye = {0.30, 2.55, -8.2}, target = {0.27, 0.74, 0};
    struct vec ahead = unit(sub(target, eye));
    struct vec right = unit(vec(ahead.z, 0, -ahead.x));
    struct vec up =
        vec(ahead.y * right.z - ahead.z * right.y, ahead.z * right.x - ahead.x * right.z,
            ahead.x * right.y - ahead.y * right.x);
    double wide = (double)panel->width / 1.42, tall = (double)panel->height;
    double pixel = 0.355 / (wide < tall ? wide : tall); /* a pixel on a plane at distance 1 */
    double v = (0.5 * tall - 0.5 - (double)y) * pixel;
    for (int64_t x = 0; x < panel->width; x++) {
        double u = ((double)x + 0.5 - 0.5 * (double)panel->width) * pixel;
        struct vec way = unit(add(ahead, add(scale(right, u), scale(up, v))));
        struct draw_light seen = cast(eye, way, pixel, panel->colour);
        out[x] = display(light(sqrtf(seen.r), sqrtf(seen.g), sqrtf(seen.b)));
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * The nearest point of a palette's hull, exactly. Green counts twice: it is doubled here, halved in
 * the end, and all between is Euclidean.
 *
 * Seen from the colour, the hull is the hull of the palette's colours less the colour, and the
 * nearest point is its point of least norm (Gilbert, Johnson and Keerthi, 1988; Wolfe, 1976). A
 * corner set of at most four colours carries it. x being the point of least norm of the set's own
 * hull, the colour k of least x.p(k) shows whether there is anything nearer; if so, k joins and the
 * set shrinks to those that carry the new point. Integers throughout, so that it ends, and palettes
 * in a line or in a plane need no care: only sets of independent corners are looked at.
 *
 * Colours are 16 bits a channel here, points relative to the colour 17 bits and a sign.
 */
#include "halftone/palette/palette.h"

#include <math.h>

typedef __int128 wide;

struct point {
    int64_t at[3];
};

/* The corners that carry a point, and a vector along it. */
struct carrier {
    int count, corner[4];
    wide along[3]; /* zeros: the colour itself lies in the hull */
    wide over[3];  /* the point is over / under */
    wide under;
};

static int times(int channel) { return channel == 1 ? PALETTE_GREEN : 1; }

static struct point less(struct point a, struct point b)
{
    return (struct point){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static int64_t dot(struct point a, struct point b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static wide wide_dot(struct point a, struct point b)
{
    return (wide)a.at[0] * b.at[0] + (wide)a.at[1] * b.at[1] + (wide)a.at[2] * b.at[2];
}

static struct point cross(struct point a, struct point b)
{
    return (struct point){{a.at[1] * b.at[2] - a.at[2] * b.at[1],
                           a.at[2] * b.at[0] - a.at[0] * b.at[2],
                           a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

/* Whether the point of least norm of all that the corners span lies between them, and where. */
static bool carry_one(const struct point *p, struct carrier *to)
{
    for (int c = 0; c < 3; c++)
        to->along[c] = to->over[c] = p[0].at[c];
    to->under = 1;
    return true;
}

static bool carry_two(const struct point *p, struct carrier *to)
{
    const struct point u = less(p[1], p[0]);
    const int64_t square = dot(u, u), first = dot(p[1], u), second = -dot(p[0], u);
    if (first <= 0 || second <= 0)
        return false;
    for (int c = 0; c < 3; c++)
        to->along[c] = to->over[c] = (wide)p[0].at[c] * first + (wide)p[1].at[c] * second;
    to->under = square;
    return true;
}

static bool carry_three(const struct point *p, struct carrier *to)
{
    const struct point n = cross(less(p[1], p[0]), less(p[2], p[0]));
    const wide square = wide_dot(n, n);
    if (square == 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (wide_dot(n, cross(p[(i + 1) % 3], p[(i + 2) % 3])) <= 0)
            return false;
    const int64_t height = dot(n, p[0]);
    for (int c = 0; c < 3; c++) {
        to->along[c] = height < 0 ? -n.at[c] : height > 0 ? n.at[c] : 0;
        to->over[c] = (wide)n.at[c] * height;
    }
    to->under = square;
    return true;
}

static bool carry_four(const struct point *p, struct carrier *to)
{
    const int64_t whole = dot(less(p[1], p[0]), cross(less(p[2], p[0]), less(p[3], p[0])));
    const int64_t parts[4] = {
        dot(p[1], cross(p[2], p[3])),
        -dot(p[0], cross(p[2], p[3])),
        dot(p[0], cross(p[1], p[3])),
        -dot(p[0], cross(p[1], p[2])),
    };
    for (int i = 0; i < 4; i++)
        if (whole == 0 || (whole > 0 ? parts[i] <= 0 : parts[i] >= 0))
            return false;
    for (int c = 0; c < 3; c++)
        to->along[c] = to->over[c] = 0;
    to->under = 1;
    return true;
}

static wide height_of(const struct carrier *carrier, struct point p)
{
    return carrier->along[0] * p.at[0] + carrier->along[1] * p.at[1] + carrier->along[2] * p.at[2];
}

static bool carries(const struct point *points, struct carrier *carrier)
{
    static bool (*const by_count[])(const struct point *, struct carrier *) = {
        carry_one, carry_two, carry_three, carry_four};
    struct point p[4];
    for (int i = 0; i < carrier->count; i++)
        p[i] = points[carrier->corner[i]];
    return by_count[carrier->count - 1](p, carrier);
}

/* The corners of `from` and `added` that carry the point of least norm of them all. */
static struct carrier shrink(const struct point *points, const struct carrier *from, int added)
{
    struct carrier made = {0};
    for (int subset = 0; subset < 1 << from->count; subset++) {
        bool least = true;
        made.count = 0;
        for (int i = 0; i < from->count; i++)
            if (subset >> i & 1)
                made.corner[made.count++] = from->corner[i];
        made.corner[made.count++] = added;
        if (!carries(points, &made))
            continue;
        const wide height = height_of(&made, points[added]);
        for (int i = 0; i < from->count && least; i++)
            least = height_of(&made, points[from->corner[i]]) >= height;
        if (least)
            return made;
    }
    return made; /* not reached: one of the subsets carries it */
}

static bool is_zero(const struct carrier *carrier)
{
    return !carrier->along[0] && !carrier->along[1] && !carrier->along[2];
}

/* The floor of a / b, which is small: from an estimate, for a division of wide numbers is slow. */
static int64_t floor_of(wide a, wide b)
{
    int64_t whole = (int64_t)((double)a / (double)b);
    wide rest = a - whole * b;
    for (; rest < 0; rest += b)
        whole--;
    for (; rest >= b; rest -= b)
        whole++;
    return whole;
}

/* The lowest of all colours along the carrier's vector; of the carrier itself where none is lower.
 * For planes, which are the rule, 64 bits are enough. */
static int lowest_along(const struct palette_hull *hull, const struct point *points,
                        const struct carrier *carrier)
{
    int lowest = carrier->corner[0];
    if (carrier->count == 3) {
        const struct point n = {
            {(int64_t)carrier->along[0], (int64_t)carrier->along[1], (int64_t)carrier->along[2]}};
        int64_t least = dot(n, points[lowest]);
        for (int k = 0; k < hull->count; k++)
            if (dot(n, points[k]) < least) {
                least = dot(n, points[k]);
                lowest = k;
            }
        return lowest;
    }
    wide least = height_of(carrier, points[lowest]);
    for (int k = 0; k < hull->count; k++)
        if (height_of(carrier, points[k]) < least) {
            least = height_of(carrier, points[k]);
            lowest = k;
        }
    return lowest;
}

bool palette_project(const struct palette_hull *hull, const uint16_t colour[3],
                     struct palette_corners *guess, int32_t to[3])
{
    struct point points[PALETTE_MOST];
    for (int k = 0; k < hull->count; k++)
        for (int c = 0; c < 3; c++)
            points[k].at[c] = times(c) * ((int64_t)hull->colour[k][c] - colour[c]);
    struct carrier carrier = {.count = guess->count};
    for (int i = 0; i < guess->count; i++)
        carrier.corner[i] = guess->corner[i];
    if (carrier.count == 0 || !carries(points, &carrier)) {
        carrier = (struct carrier){.count = 1};
        for (int k = 1; k < hull->count; k++)
            if (dot(points[k], points[k]) <
                dot(points[carrier.corner[0]], points[carrier.corner[0]]))
                carrier.corner[0] = k;
        carries(points, &carrier);
    }
    while (!is_zero(&carrier)) {
        const int lowest = lowest_along(hull, points, &carrier);
        if (lowest == carrier.corner[0])
            break;
        carrier = shrink(points, &carrier, lowest);
    }
    guess->count = carrier.count;
    for (int i = 0; i < carrier.count; i++)
        guess->corner[i] = (uint8_t)carrier.corner[i];
    for (int c = 0; c < 3; c++)
        to[c] =
            16 * colour[c] + (int32_t)floor_of(2 * 16 * carrier.over[c] + times(c) * carrier.under,
                                               2 * times(c) * carrier.under);
    return is_zero(&carrier);
}

/* Floats of 24 bits are off by less than a twentieth of a unit of light. */
static const double certain = 0.25;

/* A plane that bounds the hull: a point of it, and the way inside. */
struct face {
    struct point at, up;
};

static bool lies_in(const struct face *face, struct point p)
{
    return dot(face->up, less(p, face->at)) == 0;
}

/* The plane through three colours, if all others lie on one side of it; not if all lie in it. */
static bool find_face(const struct point *points, int count, const int corner[3], struct face *face)
{
    const struct point first = points[corner[0]];
    const struct point n = cross(less(points[corner[1]], first), less(points[corner[2]], first));
    bool above = false, below = false;
    for (int k = 0; k < count; k++) {
        const int64_t height = dot(n, less(points[k], first));
        above |= height > 0;
        below |= height < 0;
    }
    face->at = first;
    face->up = above ? n : less((struct point){{0}}, n);
    return above != below;
}

static void heights_of(const struct face *face, float plane[4])
{
    double slope[3], square = 0, rest = -certain;
    for (int c = 0; c < 3; c++) {
        slope[c] = (double)face->up.at[c];
        square += slope[c] * slope[c];
    }
    for (int c = 0; c < 3; c++) {
        slope[c] /= sqrt(square);
        plane[c] = (float)slope[c];
        rest -= slope[c] * (double)face->at.at[c];
    }
    plane[3] = (float)rest;
}

void palette_faces_make(const struct palette_hull *hull, struct palette_faces *faces)
{
    struct point points[PALETTE_FACED];
    struct face found[PALETTE_FACES + 1];
    int count = 0;
    faces->count = 0;
    if (hull->count > PALETTE_FACED)
        return;
    for (int k = 0; k < hull->count; k++)
        for (int c = 0; c < 3; c++)
            points[k].at[c] = hull->colour[k][c];
    for (int i = 0; i < hull->count; i++)
        for (int j = i + 1; j < hull->count; j++)
            for (int k = j + 1; k < hull->count; k++) {
                bool again = false; /* more than three colours may lie in a plane */
                for (int f = 0; f < count && !again; f++)
                    again = lies_in(&found[f], points[i]) && lies_in(&found[f], points[j]) &&
                            lies_in(&found[f], points[k]);
                if (again ||
                    !find_face(points, hull->count, (const int[3]){i, j, k}, &found[count]))
                    continue;
                if (++count > PALETTE_FACES)
                    return;
            }
    for (int f = 0; f < count; f++)
        heights_of(&found[f], faces->plane[f]);
    faces->count = count;
}

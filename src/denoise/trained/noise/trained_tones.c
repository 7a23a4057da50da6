/* SPDX-License-Identifier: MIT */
/*
 * Noise that grows with the tone, as counts and raw samples of cameras have it. Blocks fall into
 * eight groups of about the same tone. The quietest tenth of each group, or twelve blocks, gives a
 * tone t and a variance v, and the line
 *
 *     v = base + gain t        with a small sum of (v / (base + gain t) - 1)^2
 *
 * is taken, groups with texture counting less, if it is steep, if six groups agree with it, and if
 * no constant fits nearly as well.
 *
 * Blocks with several black samples are left out: noise that is cut off at black grows with the
 * tone, too. They are only counted if base = 0, as it is of counts: many of them are 0, and nothing
 * is cut off. The variance of noise that is cut off is not proportional to the tone. Such a line is
 * taken unless the general one fits much better.
 */
#include "denoise/trained/noise/trained_noise.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = 8, AGREE = 6, QUIET = 12, LEAST_GROUP = 6 /* blocks */ };
/* How many times the variance of the darkest group the line has at the brightest, at least: in
 * general, if it is proportional to the tone, and if it is the tone. */
static const double STEEP = 1.5, WIDE = 3, STEEP_COUNTS = 1.3;
static const double DOUBT = 8;   /* times what was taken off for texture makes a group count less */
static const double NEAR = 0.25; /* a group agrees that is so near to the line */

enum line { CONSTANT, PROPORTIONAL, ANY };

struct group {
    double tone, variance;
    double texture; /* what was taken off the variance */
};

static int by_tone(const void *a, const void *b)
{
    const struct noise_block *one = a, *other = b;
    return one->tone != other->tone ? (one->tone > other->tone) - (one->tone < other->tone)
                                    : (one->place > other->place) - (one->place < other->place);
}

/* Returns false if there are too few blocks, or if half of them are left out. */
static bool make_groups(struct noise_block *blocks, size_t count, bool black, struct group *groups)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].white + (black ? 0 : blocks[i].black) <= NOISE_FEW_CLIPPED) {
            const struct noise_block other = blocks[kept];
            blocks[kept++] = blocks[i];
            blocks[i] = other;
        }
    if (kept < GROUPS * LEAST_GROUP || kept < count / 2)
        return false;
    qsort(blocks, kept, sizeof *blocks, by_tone);
    for (size_t g = 0; g < GROUPS; g++) {
        struct noise_block *first = blocks + kept * g / GROUPS;
        const size_t all = kept * (g + 1) / GROUPS - kept * g / GROUPS;
        const size_t least = all / 2 < QUIET ? all / 2 : QUIET;
        const size_t quiet = all / 10 < least ? least : all / 10;
        double fine[NOISE_ORDERS];
        int64_t sum = 0;
        groups[g].variance = noise_white(first, all, quiet, fine);
        groups[g].texture = fine[2] - groups[g].variance;
        for (size_t i = 0; i < quiet; i++)
            sum += first[i].tone;
        groups[g].tone = (double)sum / (double)(quiet * NOISE_SIDE * NOISE_SIDE);
    }
    return true;
}

static double line_at(const struct trained_noise *noise, const struct group *group)
{
    return noise->base + noise->gain * group->tone;
}

/* Returns how much a group counts: by its relative distance from a line, less if it has texture. */
static double weight_of(const struct group *group, double line)
{
    return 1 / (line + DOUBT * group->texture);
}

/* How far the groups are from the line. */
static double misfit(const struct group *groups, const struct trained_noise *noise)
{
    double sum = 0;
    for (int g = 0; g < GROUPS; g++) {
        const double line = line_at(noise, &groups[g]),
                     off = weight_of(&groups[g], line) * (groups[g].variance - line);
        sum += off * off;
    }
    return sum;
}

/* Finds the line through the groups with these weights: any, one through 0, or a constant. */
static void fit(const struct group *groups, const double *weights, enum line kind,
                struct trained_noise *noise)
{
    double one = 0, tone = 0, square = 0, of_one = 0, of_tone = 0;
    for (int g = 0; g < GROUPS; g++) {
        const double w = weights[g] * weights[g], t = groups[g].tone, v = groups[g].variance;
        one += w;
        tone += w * t;
        square += w * t * t;
        of_one += w * v;
        of_tone += w * t * v;
    }
    const double determinant = one * square - tone * tone;
    noise->gain = noise->base = 0;
    if (kind == CONSTANT && one > 0)
        noise->base = of_one / one;
    else if (kind == PROPORTIONAL && square > 0)
        noise->gain = of_tone / square;
    else if (kind == ANY && determinant > 1e-9 * one * square) {
        noise->gain = (one * of_tone - tone * of_one) / determinant;
        noise->base = (square * of_one - tone * of_tone) / determinant;
    }
}

/* The line whose relative distances from the groups are small: variances weigh them first, then the
 * line that was found. */
static bool find_line(const struct group *groups, enum line kind, struct trained_noise *noise)
{
    double weights[GROUPS];
    for (int round = 0; round < 3; round++) {
        for (int g = 0; g < GROUPS; g++) {
            const double v = round ? line_at(noise, &groups[g]) : groups[g].variance;
            weights[g] = v > 0 ? weight_of(&groups[g], v) : 0;
        }
        fit(groups, weights, kind, noise);
    }
    return kind == CONSTANT || noise->gain > 0;
}

static bool is_near(const struct group *group, const struct trained_noise *noise)
{
    const double line = line_at(noise, group);
    return fabs(group->variance - line) <= NEAR * line;
}

static bool agrees(const struct group *groups, enum line kind, struct trained_noise *noise)
{
    struct trained_noise same;
    if (!find_line(groups, kind, noise))
        return false;
    find_line(groups, CONSTANT, &same);
    int agree = 0;
    for (int g = 0; g < GROUPS; g++)
        agree += is_near(&groups[g], noise);
    noise->darkest = groups[0].tone;
    noise->brightest = groups[GROUPS - 1].tone;
    const double dark = line_at(noise, &groups[0]), bright = line_at(noise, &groups[GROUPS - 1]);
    const bool counts = kind == PROPORTIONAL && fabs(noise->gain - 1) <= NEAR;
    return agree >= AGREE && dark > 0 && 2 * misfit(groups, noise) < misfit(groups, &same) &&
           (counts || (is_near(&groups[0], noise) && is_near(&groups[GROUPS - 1], noise))) &&
           bright >= (counts                 ? STEEP_COUNTS
                      : kind == PROPORTIONAL ? WIDE
                                             : STEEP) *
                         dark;
}

bool noise_grows(struct noise_block *blocks, size_t count, struct trained_noise *noise)
{
    struct group groups[GROUPS], all[GROUPS];
    struct trained_noise counts;
    const bool grows = make_groups(blocks, count, false, groups) && agrees(groups, ANY, noise);
    const bool proportional =
        make_groups(blocks, count, true, all) && agrees(all, PROPORTIONAL, &counts);
    if (proportional && !(grows && misfit(all, &counts) > 4 * misfit(groups, noise)))
        *noise = counts;
    return grows || proportional;
}

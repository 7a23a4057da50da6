/* SPDX-License-Identifier: MIT */
/*
 * Palettes made for a picture. Its colours are counted in bins of six bits a channel, and where
 * these are few, as in a picture of greys, of eight; bins are points in OKLab. The cloud of all
 * points is cut in two where that leaves the least squares, then the worst of the parts, until
 * there are enough; then colours move to the middles of what is nearest to them, in 24 steps, and
 * some that are hardly missed change to where distances are large. Integers and doubles in a fixed
 * order, on one thread: the same picture always has the same palette.
 */
#include "core/misuse.h"
#include "halftone/palette/oklab.h"
#include "halftone/palette/palette.h"

#include "core/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BIN_BITS = 6,
    BINS = 1 << 3 * BIN_BITS,
    FEW_BINS = 2 * PALETTE_MOST,
    PART_BITS = 3, /* a bin has no more than five of the 256 samples of a channel */
    PARTS = 1 << 3 * PART_BITS,
    FIRST_STEPS = 24,
    SWAP_STEPS = 8,
    SWAP_WORK = 512, /* swaps that are tried, times the colours, */
    MOST_SWAPS = 32, /* and their number, and how many in a row without success */
    MOST_FAILURES = 4,
};

/* Axes of colour are doubled in what is called OKLab here; lightness counts less than they do. */
#define LIGHTNESS 1.2
/* Distances below this, in the same units, pull as if they were of this size. */
#define NEAR 0.02

struct bin {
    uint64_t pixels, sum[3]; /* of light, 0 to TONE_WHITE */
};

struct point {
    double at[3], pixels;
    int group;
    double along; /* while a group is cut */
};

struct cloud {
    struct point *points;
    int count;
};

/* ---- counting -------------------------------------------------------------------------------- */

/* Where pixels are counted: all bins, or the parts of a few of them. */
struct count {
    struct bin *bins;
    const uint16_t *parts_of; /* of bins: which PARTS are theirs; NULL: bins are not parted */
};

static struct bin *bin_of(const struct count *count, const uint32_t sample[3], uint32_t white)
{
    uint32_t at = 0, part = 0;
    for (int c = 0; c < 3; c++) {
        at = at << BIN_BITS | (uint32_t)((uint64_t)sample[c] * ((1 << BIN_BITS) - 1) / white);
        part = part << PART_BITS |
               ((uint32_t)((uint64_t)sample[c] * 255 / white) & ((1 << PART_BITS) - 1));
    }
    return count->bins + (count->parts_of ? (size_t)PARTS * count->parts_of[at] + part : at);
}

static ro_status count_colours(ro_context *context, const ro_image *in, const ro_tone *options,
                               const struct count *count)
{
    struct tone tone = {0};
    struct grey_form form = {.plane = PLANE_COLOUR, .tone = &tone};
    uint16_t *linear = NULL;
    unsigned char *row = NULL;
    ro_status status = RO_OK;
    const ro_halftone_options whole = RO_HALFTONE_OPTIONS;
    status = tone_range_of(context, in, &whole, &form.range);
    if (status == RO_OK && form.range.white > 0) /* else grey_form_of says what is wrong */
        status = tone_make(context, options, true, form.range.white, &tone);
    if (status == RO_OK)
        status = grey_form_of(context, in, &form);
    if (status == RO_OK) {
        linear = palette_linear(&tone);
        row = malloc(grey_row_bytes(&form, in->width));
        if (!linear || !row)
            status = ro_context_fail(context, RO_E_MEMORY, "no memory for a row of %u pixels",
                                     in->width);
    }
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++) {
        status = grey_row(context, in, (const char *)in->data + (ptrdiff_t)y * in->stride, y, &form,
                          row);
        for (size_t x = 0; x < in->width && status == RO_OK; x++) {
            uint32_t sample[3];
            palette_sample_of(form.sample_bytes, row, x, sample);
            struct bin *bin = bin_of(count, sample, form.white);
            bin->pixels++;
            for (int c = 0; c < 3; c++)
                bin->sum[c] += linear[sample[c]];
        }
    }
    free(linear);
    free(row);
    tone_free(&tone);
    return status;
}

static void place_points(const struct bin *bins, int count, struct cloud *cloud)
{
    cloud->count = 0;
    for (int i = 0; i < count; i++) {
        double light[3];
        if (bins[i].pixels == 0)
            continue;
        struct point *point = &cloud->points[cloud->count++];
        point->pixels = (double)bins[i].pixels;
        point->group = 0;
        for (int c = 0; c < 3; c++)
            light[c] = (double)bins[i].sum[c] / (point->pixels * TONE_WHITE);
        const struct palette_lab lab = palette_lab_of(light[0], light[1], light[2]);
        point->at[0] = LIGHTNESS * lab.at[0];
        point->at[1] = lab.at[1];
        point->at[2] = lab.at[2];
    }
}

/* Counts once more, in parts of the `few` bins that there are. */
static ro_status count_parts(ro_context *context, const ro_image *in, const ro_tone *tone,
                             const struct bin *bins, int few, struct cloud *cloud)
{
    _Static_assert(FEW_BINS * PARTS <= BINS, "there are points for all parts");
    struct bin *parts = calloc((size_t)few * PARTS, sizeof *parts);
    uint16_t *parts_of = calloc(BINS, sizeof *parts_of);
    ro_status status = RO_OK;
    uint16_t found = 0;
    if (!parts || !parts_of)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to count colours");
    for (int i = 0; i < BINS && status == RO_OK; i++)
        if (bins[i].pixels > 0)
            parts_of[i] = found++;
    if (status == RO_OK)
        status = count_colours(context, in, tone, &(struct count){parts, parts_of});
    if (status == RO_OK)
        place_points(parts, few * PARTS, cloud);
    free(parts);
    free(parts_of);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct group {
    double pixels, middle[3], spread[3][3];
    double error; /* sum of squares */
};

static void measure_group(const struct cloud *cloud, int number, struct group *group)
{
    double sum[3] = {0};
    *group = (struct group){0};
    for (int i = 0; i < cloud->count; i++)
        if (cloud->points[i].group == number) {
            group->pixels += cloud->points[i].pixels;
            for (int c = 0; c < 3; c++)
                sum[c] += cloud->points[i].pixels * cloud->points[i].at[c];
        }
    for (int c = 0; c < 3 && group->pixels > 0; c++)
        group->middle[c] = sum[c] / group->pixels;
    for (int i = 0; i < cloud->count; i++)
        if (cloud->points[i].group == number) {
            double off[3];
            for (int c = 0; c < 3; c++)
                off[c] = cloud->points[i].at[c] - group->middle[c];
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++)
                    group->spread[c][d] += cloud->points[i].pixels * off[c] * off[d];
        }
    group->error = group->spread[0][0] + group->spread[1][1] + group->spread[2][2];
}

/* The direction in which a group is longest, by sixteen steps of the power method. */
static void longest_axis(const struct group *group, double axis[3])
{
    int widest = 0;
    for (int c = 1; c < 3; c++)
        if (group->spread[c][c] > group->spread[widest][widest])
            widest = c;
    for (int c = 0; c < 3; c++)
        axis[c] = c == widest;
    for (int n = 0; n < 16; n++) {
        double next[3], square = 0;
        for (int c = 0; c < 3; c++) {
            next[c] = (group->spread[c][0] * axis[0] + group->spread[c][1] * axis[1]) +
                      group->spread[c][2] * axis[2];
            square += next[c] * next[c];
        }
        if (!(square > 0))
            return;
        for (int c = 0; c < 3; c++)
            axis[c] = next[c] / sqrt(square);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct point *x = *(struct point *const *)a, *y = *(struct point *const *)b;
    if (x->along < y->along || x->along > y->along)
        return x->along < y->along ? -1 : 1;
    return x < y ? -1 : x > y; /* no two are one */
}

/* Cuts a group across its longest axis where the squares left on both sides are least; false where
 * it is one point. */
static bool cut_group(struct cloud *cloud, const struct group *group, int number, int made,
                      struct point **order)
{
    double axis[3], below = 0, sum = 0, all = 0, best = -1;
    int count = 0, cut = 0;
    longest_axis(group, axis);
    for (int i = 0; i < cloud->count; i++)
        if (cloud->points[i].group == number) {
            struct point *point = &cloud->points[i];
            point->along = 0;
            for (int c = 0; c < 3; c++)
                point->along += axis[c] * (point->at[c] - group->middle[c]);
            all += point->pixels * point->along;
            order[count++] = point;
        }
    if (count < 2)
        return false;
    qsort(order, (size_t)count, sizeof *order, by_place);
    for (int i = 0; i + 1 < count; i++) {
        below += order[i]->pixels;
        sum += order[i]->pixels * order[i]->along;
        const double above = group->pixels - below, rest = all - sum;
        const double gain = sum * sum / below + rest * rest / above;
        if (gain > best) {
            best = gain;
            cut = i + 1;
        }
    }
    for (int i = cut; i < count; i++)
        order[i]->group = made;
    return true;
}

/* Cuts the worst group until there are `count`, or none can be cut; how many there are. */
static int cut_groups(struct cloud *cloud, int count, struct group *groups, struct point **order)
{
    int made = 1;
    measure_group(cloud, 0, &groups[0]);
    while (made < count) {
        int worst = 0;
        for (int g = 1; g < made; g++)
            if (groups[g].error > groups[worst].error)
                worst = g;
        if (!(groups[worst].error > 0) || !cut_group(cloud, &groups[worst], worst, made, order))
            break;
        measure_group(cloud, worst, &groups[worst]);
        measure_group(cloud, made, &groups[made]);
        made++;
    }
    return made;
}

/* ---- k-means --------------------------------------------------------------------------------- */

static double distance(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return (x * x + y * y) + z * z;
}

/* Every point to the nearest middle, its own among equals. The sum of all distances. */
static double join_nearest(struct cloud *cloud, const struct group *groups, int count)
{
    double sum = 0;
    for (int i = 0; i < cloud->count; i++) {
        struct point *point = &cloud->points[i];
        int nearest = point->group;
        double least = distance(point->at, groups[nearest].middle);
        for (int g = 0; g < count; g++) {
            const double here = distance(point->at, groups[g].middle);
            if (here < least) {
                least = here;
                nearest = g;
            }
        }
        point->group = nearest;
        sum += point->pixels * sqrt(least);
    }
    return sum;
}

/* Middles of all groups at once, such that distances and not their squares get less (Weiszfeld);
 * one that is empty stays where it was. */
static void find_middles(const struct cloud *cloud, struct group *groups, int count)
{
    double sum[PALETTE_MOST][4];
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < cloud->count; i++) {
        const struct point *point = &cloud->points[i];
        const double pull =
            point->pixels / (sqrt(distance(point->at, groups[point->group].middle)) + NEAR);
        for (int c = 0; c < 3; c++)
            sum[point->group][c] += pull * point->at[c];
        sum[point->group][3] += pull;
    }
    for (int g = 0; g < count; g++)
        for (int c = 0; c < 3 && sum[g][3] > 0; c++)
            groups[g].middle[c] = sum[g][c] / sum[g][3];
}

/* Lets middles and groups settle; the sum of all distances. */
static double settle(struct cloud *cloud, struct group *groups, int count, int steps)
{
    for (int n = 0; n < steps; n++) {
        join_nearest(cloud, groups, count);
        find_middles(cloud, groups, count);
    }
    return join_nearest(cloud, groups, count);
}

/* ---- swaps ----------------------------------------------------------------------------------- */

/* What the distances sum to in every group, and by how much more if the group were not there. */
static void weigh_groups(const struct cloud *cloud, const struct group *groups, int count,
                         double own[PALETTE_MOST], double missed[PALETTE_MOST])
{
    memset(own, 0, PALETTE_MOST * sizeof *own);
    memset(missed, 0, PALETTE_MOST * sizeof *missed);
    for (int i = 0; i < cloud->count; i++) {
        const struct point *point = &cloud->points[i];
        double least = INFINITY;
        for (int g = 0; g < count; g++) {
            const double here = distance(point->at, groups[g].middle);
            if (g != point->group && here < least)
                least = here;
        }
        const double apart = sqrt(distance(point->at, groups[point->group].middle));
        own[point->group] += point->pixels * apart;
        missed[point->group] += point->pixels * (sqrt(least) - apart);
    }
}

/* Leaves the points of `gone` to the others and gives its number to a half of `worst`; false where
 * that is one point. */
static bool swap_group(struct cloud *cloud, struct group *groups, int count, int gone, int worst,
                       struct point **order)
{
    for (int c = 0; c < 3; c++)
        groups[gone].middle[c] = INFINITY;
    for (int i = 0; i < cloud->count; i++)
        if (cloud->points[i].group == gone)
            cloud->points[i].group = worst;
    join_nearest(cloud, groups, count);
    measure_group(cloud, worst, &groups[worst]);
    if (!cut_group(cloud, &groups[worst], worst, gone, order))
        return false;
    measure_group(cloud, worst, &groups[worst]);
    measure_group(cloud, gone, &groups[gone]);
    return true;
}

/* Settled groups are the best only near by. The group that would be missed least is given up for a
 * second one where distances are largest, as long as that helps. */
static void swap_groups(struct cloud *cloud, struct group *groups, int count, struct point **order,
                        int *kept)
{
    struct group before[PALETTE_MOST];
    double own[PALETTE_MOST], missed[PALETTE_MOST];
    bool tried[PALETTE_MOST] = {false};
    double sum = settle(cloud, groups, count, FIRST_STEPS);
    const int most = SWAP_WORK / count < MOST_SWAPS ? SWAP_WORK / count : MOST_SWAPS;
    for (int n = 0, failures = 0; n < most && failures < MOST_FAILURES && count > 2; n++) {
        int gone = 0, worst = -1;
        weigh_groups(cloud, groups, count, own, missed);
        for (int g = 1; g < count; g++)
            gone = missed[g] < missed[gone] ? g : gone;
        for (int g = 0; g < count; g++)
            if (g != gone && !tried[g] && (worst < 0 || own[g] > own[worst]))
                worst = g;
        if (worst < 0)
            break;
        memcpy(before, groups, (size_t)count * sizeof *groups);
        for (int i = 0; i < cloud->count; i++)
            kept[i] = cloud->points[i].group;
        const double now = swap_group(cloud, groups, count, gone, worst, order)
                               ? settle(cloud, groups, count, SWAP_STEPS)
                               : INFINITY;
        if (now < sum) {
            sum = now;
            failures = 0;
            memset(tried, 0, sizeof tried);
            continue;
        }
        failures++;
        tried[worst] = true;
        memcpy(groups, before, (size_t)count * sizeof *groups);
        for (int i = 0; i < cloud->count; i++)
            cloud->points[i].group = kept[i];
    }
    settle(cloud, groups, count, SWAP_STEPS);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* A point as 8-bit sRGB. */
static void colour_of(const double at[3], uint8_t rgb[3])
{
    static const double roots[3][3] = {{1, 0.3963377774, 0.2158037573},
                                       {1, -0.1055613458, -0.0638541728},
                                       {1, -0.0894841775, -1.2914855480}};
    static const double lights[3][3] = {{4.0767416621, -3.3077115913, 0.2309699292},
                                        {-1.2684380046, 2.6097574011, -0.3413193965},
                                        {-0.0041960863, -0.7034186147, 1.7076147010}};
    double cone[3];
    for (int i = 0; i < 3; i++) {
        const double root = roots[i][0] * (at[0] / LIGHTNESS) +
                            (roots[i][1] * (at[1] / 2) + roots[i][2] * (at[2] / 2));
        cone[i] = root * root * root;
    }
    for (int i = 0; i < 3; i++) {
        const double light =
            (lights[i][0] * cone[0] + lights[i][1] * cone[1]) + lights[i][2] * cone[2];
        const double value = srgb_of_light(light < 0 ? 0 : light > 1 ? 1 : light);
        rgb[i] = (uint8_t)floor(255 * value + 0.5);
    }
}

/* The darkest first; colours that became one count once. */
static void put_colours(const struct group *groups, int count, ro_palette *palette)
{
    bool taken[PALETTE_MOST] = {false};
    *palette = (ro_palette){0};
    for (int n = 0; n < count; n++) {
        int darkest = -1;
        for (int g = 0; g < count; g++)
            if (!taken[g] && (darkest < 0 || groups[g].middle[0] < groups[darkest].middle[0]))
                darkest = g;
        taken[darkest] = true;
        uint8_t rgb[3];
        bool found = false;
        colour_of(groups[darkest].middle, rgb);
        for (int k = 0; k < palette->count; k++)
            found |= memcmp(palette->colours[k], rgb, 3) == 0;
        if (!found)
            memcpy(palette->colours[palette->count++], rgb, 3);
    }
}

ro_status ro_palette_adapt(ro_context *context, const ro_image *in, const ro_tone *tone, int count,
                           ro_palette *palette)
{
    if (MISSING(context, in, palette))
        return RO_E_ARGUMENT;
    struct group groups[PALETTE_MOST];
    ro_halftone_options given = RO_HALFTONE_OPTIONS, options;
    *palette = (ro_palette){0};
    if (tone)
        given.tone = *tone;
    ro_status status = halftone_read(context, &given, &options);
    if (status == RO_OK)
        status = image_check(context, in, "input");
    if (status != RO_OK)
        return status;
    if (count < 2 || count > PALETTE_MOST)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               count);
    struct bin *bins = calloc(BINS, sizeof *bins);
    struct cloud cloud = {calloc(BINS, sizeof *cloud.points), 0};
    struct point **order = calloc(BINS, sizeof(struct point *));
    int *kept = calloc(BINS, sizeof *kept);
    if (!bins || !cloud.points || !order || !kept)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to count colours");
    if (status == RO_OK)
        status = count_colours(context, in, &options.tone, &(struct count){bins, NULL});
    if (status == RO_OK)
        place_points(bins, BINS, &cloud);
    if (status == RO_OK && cloud.count <= FEW_BINS)
        status = count_parts(context, in, &options.tone, bins, cloud.count, &cloud);
    if (status == RO_OK) {
        const int made = cut_groups(&cloud, count, groups, order);
        swap_groups(&cloud, groups, made, order, kept);
        put_colours(groups, made, palette);
        if (palette->count < 2) /* a picture of one colour: the other is far from it */
            memset(palette->colours[palette->count++], palette->colours[0][1] < 128 ? 255 : 0, 3);
    }
    free(bins);
    free(cloud.points);
    free(order);
    free(kept);
    return status;
}

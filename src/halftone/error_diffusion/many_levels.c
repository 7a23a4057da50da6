/* SPDX-License-Identifier: MIT */
/* Lines of whole numbers by products in lanes, for many levels in narrow lanes. */
#include "halftone/error_diffusion/many_levels.h"

#include <stddef.h>

/* y(x) = floor((rise * x + add) / run), kept in 0 .. top, for x from 0 to last; or, as a guess, one
 * less. Where `of` is given, x are samples and y levels below them, and what lies on a level beside
 * a longer step may be counted to either (many_levels.h). */
struct line_wanted {
    int64_t rise, add, run;
    uint32_t last, top;
    bool guess;
    const struct diffusion_steps *of;
};

static int64_t level_at(const struct line_wanted *want, int64_t k)
{
    const int64_t n = (int64_t)want->top + 1, white = 16 * (int64_t)want->last;
    return (2 * white * k + n) / (2 * n);
}

/* From x on y is or may be as it is; *low to *high are its choices. */
static void choices(const struct line_wanted *want, int64_t x, int64_t *low, int64_t *high)
{
    const int64_t sum = want->rise * x + want->add;
    int64_t y = sum < 0 ? 0 : sum / want->run;
    y = y < want->top ? y : want->top;
    *low = y - want->guess;
    *high = y;
    if (!want->of)
        return;
    const int64_t widest = want->of->gap + 1, level = level_at(want, y);
    if (want->of->least && y < want->top && level_at(want, y + 1) == 16 * x &&
        16 * x - level == widest)
        *high = y + 1;
    if (!want->of->least && y > 0 && level == 16 * x && level_at(want, y + 1) - level == widest)
        *low = y - 1;
}

/* What may be added to the products. */
struct line_room {
    int64_t least, most;
};

static int64_t product_at(const struct steps_line *line, int64_t x, int lane_bits)
{
    return (int64_t)((uint64_t)(x << line->up) * line->by >> lane_bits);
}

static void narrow(const struct line_wanted *want, const struct steps_line *line, int lane_bits,
                   int64_t x, struct line_room *room)
{
    if (x < 0 || x > want->last)
        return;
    int64_t lowest, highest, product = product_at(line, x, lane_bits);
    choices(want, x, &lowest, &highest);
    int64_t low = lowest * ((int64_t)1 << line->down) - product;
    int64_t high = (highest + 1) * ((int64_t)1 << line->down) - 1 - product;
    if (lowest > 0 && low > room->least)
        room->least = low;
    if (highest < want->top && high < room->most)
        room->most = high;
}

/* Both sides of every place where y grows decide, and of the next where it may wait. */
static bool fit(const struct line_wanted *want, struct steps_line *line, int lane_bits)
{
    const int64_t product = product_at(line, want->last, lane_bits);
    struct line_room room = {-product, (((int64_t)1 << lane_bits) - 1) - product};
    narrow(want, line, lane_bits, 0, &room);
    narrow(want, line, lane_bits, want->last, &room);
    for (int64_t y = 1; y <= want->top && room.least <= room.most; y++) {
        int64_t x = (y * want->run - want->add + want->rise - 1) / want->rise;
        for (int64_t near = x - 1 - (want->of != NULL); near <= x + (want->of != NULL); near++)
            narrow(want, line, lane_bits, near, &room);
    }
    if (room.least > room.most)
        return false;
    int64_t add = room.least > 0 ? room.least : room.most < 0 ? room.most : 0;
    line->plus = add > 0 ? (uint32_t)add : 0;
    line->minus = add < 0 ? (uint32_t)-add : 0;
    line->plain = line->up == 0 && add == 0;
    return true;
}

static bool find_line(const struct line_wanted *want, int lane_bits, struct steps_line *line)
{
    const int64_t highest = ((int64_t)1 << lane_bits) - 1;
    *line = (struct steps_line){.top = want->top};
    if (want->rise == 0 || want->top == 0)
        return true;
    while ((int64_t)want->last << (line->up + 1) <= highest)
        line->up++;
    for (line->down = lane_bits - 1; line->down >= 0; line->down--) {
        double exact = (double)want->rise / (double)want->run * (double)((int64_t)1 << line->down) *
                       ((double)highest + 1) / (double)((int64_t)1 << line->up);
        if (exact > (double)highest)
            continue;
        for (int more = 0; more < 2; more++) {
            line->by = (uint32_t)exact + (uint32_t)more;
            if (fit(want, line, lane_bits))
                return true;
        }
        if (line->down < 4) /* coarser ones fit no better */
            break;
    }
    return false;
}

/*
 * The highest k with level(k) <= T, or < T. As level(k) is 2 * white * k / (2 * n), rounded to the
 * nearest and upwards from the middle, level(k) <= T means 2 * white * k < n * (2 * T + 1).
 */
static bool find_base(struct diffusion_steps *steps, uint32_t maxval, int64_t n, int lane_bits)
{
    const bool below = steps->least == 1;
    struct line_wanted want = {.rise = 32 * n,
                               .add = below ? -n - 1 : n - 1,
                               .run = 32 * (int64_t)maxval,
                               .last = maxval,
                               .top = (uint32_t)n - 1};
    bool found = find_line(&want, lane_bits, &steps->base);
    want.of = steps;
    if (!found && steps->uneven)
        found = find_line(&want, lane_bits, &steps->base);
    if (found) { /* white may be counted to the highest level: there is no step above it */
        const int64_t last = product_at(&steps->base, maxval, lane_bits) >> steps->base.down;
        const bool longer = 16 * (int64_t)maxval - level_at(&want, n - 1) > steps->gap;
        steps->base.plain &= last < n || !steps->uneven || (below && longer);
        return true;
    }
    want.of = NULL;
    steps->guess = want.guess = true;
    found = find_line(&want, lane_bits, &steps->base);
    steps->base.plain = false;
    return found;
}

/* near is the step's nearest whole number, so that what is left is small. */
static bool find_extra(struct diffusion_steps *steps, int64_t white, int64_t n, int lane_bits)
{
    const int64_t left = white % n;
    steps->extra_down = 2 * left > n;
    steps->near = steps->gap + steps->extra_down;
    const int64_t rise = steps->extra_down ? n - left : left;
    /* Downwards a middle is rounded down: -floor(-a/b + 1/2) = floor((2a + b - 1) / 2b). */
    struct line_wanted want = {.rise = 2 * rise,
                               .add = steps->extra_down ? n - 1 : n,
                               .run = 2 * n,
                               .last = (uint32_t)n,
                               .top = (uint32_t)rise};
    return find_line(&want, lane_bits, &steps->extra);
}

static int64_t extra_at(const struct diffusion_steps *steps, int64_t white, int64_t n, int64_t k)
{
    const int64_t beside = (2 * white * k + n) / (2 * n) - steps->near * k;
    return steps->extra_down ? -beside : beside;
}

static bool turns(const struct diffusion_steps *steps, const struct steps_turn *turn, int64_t white,
                  int64_t n)
{
    if ((n << turn->up) + turn->plus > UINT16_MAX)
        return false;
    for (int64_t k = 0, extra = extra_at(steps, white, n, 0), next; k < n; k++, extra = next) {
        const uint32_t at = (uint32_t)(k << turn->up) + turn->plus;
        const uint32_t turned = ((at * turn->low & UINT16_MAX) + turn->middle + 1) >> 16;
        next = extra_at(steps, white, n, k + 1);
        const bool longer = (next != extra) != steps->extra_down;
        if ((int64_t)((uint64_t)at * turn->by >> 16) != extra ||
            (turned != 0) != (longer == (steps->limit == 0)))
            return false;
    }
    const uint64_t last = (uint64_t)((n << turn->up) + turn->plus) * turn->by;
    return (int64_t)(last >> 16) == extra_at(steps, white, n, n);
}

/* by << up is what the extra of a level comes to in 65536ths, and plus times by what its middle
 * does. */
static void find_turn(struct diffusion_steps *steps, int64_t white, int64_t n)
{
    const int64_t left = white % n, rise = steps->extra_down ? n - left : left;
    const bool turned_over = steps->extra_down == (steps->limit != 0);
    if (!steps->uneven || n > 1 << 14)
        return;
    for (int up = 0; up < 6; up++)
        for (int more = 0; more < 2; more++) {
            const int64_t by = (rise * 65536 / n >> up) + more, middle = by ? 32768 / by : 0;
            for (int64_t plus = middle > 0 ? middle - 1 : 0; by && plus <= middle + 2; plus++) {
                const uint32_t rises = (uint32_t)(by << up);
                struct steps_turn turn = {up, (uint32_t)plus, (uint32_t)by, 0, 0};
                turn.low = turned_over ? turn.by : (uint32_t)(65536 - by);
                turn.middle = turned_over ? rises - 1 : 65534 - rises;
                if (by < 65536 && rises < 65535 && turns(steps, &turn, white, n)) {
                    steps->turn = turn;
                    return;
                }
            }
        }
}

struct diffusion_steps diffusion_steps_shape(uint32_t maxval, int32_t levels)
{
    const int64_t n = levels - 1, white = 16 * (int64_t)maxval;
    struct diffusion_steps steps = {.gap = (int32_t)(white / n), .uneven = white % n != 0};
    const int32_t widest = steps.gap + steps.uneven;
    steps.bias = steps.uneven && widest % 2 ? widest / 2 : (widest - 1) / 2;
    steps.limit = steps.uneven && widest % 2 ? widest : 0;
    steps.least = steps.uneven && widest % 2;
    return steps;
}

struct diffusion_steps diffusion_steps_of(uint32_t maxval, int32_t levels, int lane_bits)
{
    const int64_t n = levels - 1, white = 16 * (int64_t)maxval;
    struct diffusion_steps steps = diffusion_steps_shape(maxval, levels);
    if (find_base(&steps, maxval, n, lane_bits) && find_extra(&steps, white, n, lane_bits))
        steps.lane_bits = lane_bits;
    if (lane_bits == 16)
        find_turn(&steps, white, n);
    return steps;
}

bool steps_quotient(uint32_t step, uint32_t last, uint32_t top, int lane_bits,
                    struct steps_line *line)
{
    const struct line_wanted want = {.rise = 1, .run = step, .last = last, .top = top};
    return find_line(&want, lane_bits, line);
}

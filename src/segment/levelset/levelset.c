/* SPDX-License-Identifier: MIT */
/* Number systems and norms of level sets. */
#include "segment/levelset/levelset.h"

#include "core/names.h"
#include "number/number.h"

/* u8 has its zero in the middle: 128 stands for 0. It starts steep, because at the highest speed a
 * front of few units a pixel rounds to a square. Floats end at the distance that s16 reaches. */
static const struct level_number numbers[] = {
    {"u8", false, -128, 127, 32, 8},
    {"s12", false, -2048, 2047, 64, 11},
    {"s16", false, -32768, 32767, 256, 15},
    {"s23e8", true, -128, 128, 1, 0},
};

const struct level_number *level_number_find(const char *name)
{
    const struct ro_number *number = ro_number_find(ro_name_equal(name, "float") ? "s23e8" : name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && number; i++)
        if (ro_name_equal(number->name, numbers[i].name))
            return &numbers[i];
    return NULL;
}

/*
 * The choices of Eq. 2.72 for n components, in 1/128: interpolative 1/(sqrt(n) + 1), and by the
 * volume of the unit ball, (2^n - B_n) / (2^n - 2^n/n!), and for the least mean relative error of
 * vectors that are evenly distributed in a cube, 0.2745 and 0.3065. The sum has four terms, but a
 * front seldom has more than two that are not zero: n = 4 as in the thesis, and n = 2.
 */
static const struct level_norm norms[] = {
    {"lin", 43},        {"euclid", 0},           {"interpolative", 43},
    {"volume", 92},     {"interpolative-2", 53}, {"volume-2", 55},
    {"mean-error", 35}, {"mean-error-2", 39},
};

const struct level_norm *level_norm_at(int index)
{
    return index >= 0 && index < (int)(sizeof norms / sizeof *norms) ? &norms[index] : NULL;
}

const struct level_norm *level_norm_find(const char *name)
{
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
        if (ro_name_equal(name, norms[i].name))
            return &norms[i];
    return NULL;
}

/* Where the centre stands above all four neighbours the flux is F (1 + 3 c) of the largest
 * difference, which must not be passed; with the Euclidean norm it is 2 F. */
double level_bound(const struct level_norm *norm)
{
    return norm->a ? 128.0 / (128 + 3 * norm->a) : 0.5;
}

/* SPDX-License-Identifier: MIT */
/*
 * Ink on paper: a pixel of it prints as a disc that reaches over its neighbours. Nine points of
 * each pixel are covered by whatever disc reaches them:
 *
 *      . . .      of each point, the pixels round its own whose discs reach it
 *      . o .
 *      . . .
 */
#ifndef RO_CORE_DISCS_H
#define RO_CORE_DISCS_H

#include <stdint.h>

enum { RO_DISC_REACH = 2, RO_DISC_WINDOW = 2 * RO_DISC_REACH + 1, RO_DISC_POINTS = 9 };

struct ro_discs {
    struct {
        int count;
        int8_t at[RO_DISC_WINDOW * RO_DISC_WINDOW][2]; /* x, y */
    } points[RO_DISC_POINTS];
};

/* `diameter`: in pixels, up to 3. */
static inline void ro_discs_find(struct ro_discs *discs, double diameter)
{
    for (int p = 0; p < RO_DISC_POINTS; p++) {
        discs->points[p].count = 0;
        for (int y = -RO_DISC_REACH; y <= RO_DISC_REACH; y++)
            for (int x = -RO_DISC_REACH; x <= RO_DISC_REACH; x++) {
                const double dx = (p % 3 - 1) / 3.0 - x, dy = (p / 3 - 1) / 3.0 - y;
                if (4 * (dx * dx + dy * dy) > diameter * diameter)
                    continue;
                const int k = discs->points[p].count++;
                discs->points[p].at[k][0] = (int8_t)x;
                discs->points[p].at[k][1] = (int8_t)y;
            }
    }
}

/* Pixels over which light spreads in paper, 0.2 mm: a side, odd and 1 at least. */
static inline uint32_t ro_paper_spread(double dpi)
{
    const double pixels = 0.2 / 25.4 * (dpi > 0 ? dpi : 300);
    return 2 * (uint32_t)(pixels / 2) + 1;
}

#endif

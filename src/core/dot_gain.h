/* SPDX-License-Identifier: MIT */
/*
 * Ink on paper: a pixel of it prints as a disc that reaches over its neighbours. Each pixel has 64
 * points, bits of a number, which are covered by whatever disc reaches them:
 *
 *     . . . . . . . .
 *     . . . . . . . .    of each pixel round a pixel, those of its points that its disc covers
 *     . . . .o. . . .
 */
#ifndef RO_CORE_DOT_GAIN_H
#define RO_CORE_DOT_GAIN_H

#include <stdint.h>

enum { RO_DISC_REACH = 2, RO_DISC_WINDOW = 2 * RO_DISC_REACH + 1, RO_DISC_POINTS = 64 };

struct dot_discs {
    int count;
    struct {
        int x, y;
        uint64_t points;
    } from[RO_DISC_WINDOW * RO_DISC_WINDOW];
};

/* `diameter`: in pixels, up to 3; 0: squares, which cover themselves. */
static inline void discs_find(struct dot_discs *discs, double diameter)
{
    discs->count = 0;
    for (int y = -RO_DISC_REACH; y <= RO_DISC_REACH; y++)
        for (int x = -RO_DISC_REACH; x <= RO_DISC_REACH; x++) {
            uint64_t points = diameter == 0 && x == 0 && y == 0 ? UINT64_MAX : 0;
            for (int p = 0; p < RO_DISC_POINTS; p++) {
                const double dx = (p % 8 - 3.5) / 8 - x, dy = (p / 8 - 3.5) / 8 - y;
                if (4 * (dx * dx + dy * dy) <= diameter * diameter)
                    points |= (uint64_t)1 << p;
            }
            if (!points)
                continue;
            discs->from[discs->count].x = x;
            discs->from[discs->count].y = y;
            discs->from[discs->count++].points = points;
        }
}

/* Pixels over which light spreads in paper, 0.2 mm: a side, odd and 1 at least. */
static inline uint32_t paper_spread(double dpi)
{
    const double pixels = 0.2 / 25.4 * (dpi > 0 ? dpi : 300);
    return 2 * (uint32_t)(pixels / 2) + 1;
}

#endif

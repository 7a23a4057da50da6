/* SPDX-License-Identifier: MIT */
#include "halftone/tone/inks.h"

#include "halftone/tone/tone.h"
#include "roundoff/library.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = INKS_STEPS + 1, SWEEPS = 400 };

/* The darkest ink first: of colours that several mixtures give, that with less ink is found. */
static void order_inks(const double takes[RO_INKS_MOST][3], int count, int order[RO_INKS_MOST])
{
    for (int i = 0; i < count; i++) {
        int at = i;
        const double own = takes[i][0] + takes[i][1] + takes[i][2];
        for (; at > 0; at--) {
            const double *other = takes[order[at - 1]];
            if (other[0] + other[1] + other[2] >= own)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* The error is a square in each share alone, so each is set to its best in turn. */
static void find_shares(const double light[3], const double takes[RO_INKS_MOST][3],
                        const int order[RO_INKS_MOST], int count, double limit,
                        double shares[RO_INKS_MOST])
{
    double moved = 1;
    for (int i = 0; i < count; i++)
        shares[i] = 0;
    for (int sweep = 0; sweep < SWEEPS && moved > 1e-6; sweep++) {
        moved = 0;
        for (int n = 0; n < count; n++) {
            const int i = order[n];
            double over = 0, under = 0, room = limit;
            for (int c = 0; c < 3; c++) {
                double others = 1;
                for (int k = 0; k < count; k++)
                    if (k != i)
                        others = others * (1 - shares[k] * takes[k][c]);
                const double taken = others * takes[i][c];
                over = over + (others - light[c]) * taken;
                under = under + taken * taken;
            }
            for (int k = 0; k < count; k++)
                room = room - (k != i ? shares[k] : 0);
            double best = under > 0 ? over / under : 0;
            best = best > room ? room : best;
            best = best < 0 ? 0 : best > 1 ? 1 : best;
            const double by = best > shares[i] ? best - shares[i] : shares[i] - best;
            moved = by > moved ? by : moved;
            shares[i] = best;
        }
    }
}

ro_status ink_table_make(ro_context *context, const ro_ink *inks, int count, double limit,
                         struct ink_table *table)
{
    double takes[RO_INKS_MOST][3], shares[RO_INKS_MOST], light[3];
    *table = (struct ink_table){.count = count};
    table->shares = malloc(sizeof *table->shares * SIDE * SIDE * SIDE * (size_t)count);
    if (!table->shares)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a separation");
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            takes[i][c] = 1 - tone_from_srgb(inks[i].colour[c] / 255.0);
    uint16_t *to = table->shares;
    int order[RO_INKS_MOST] = {0};
    order_inks((const double(*)[3])takes, count, order);
    for (int r = 0; r < SIDE; r++)
        for (int g = 0; g < SIDE; g++)
            for (int b = 0; b < SIDE; b++) {
                light[0] = tone_from_srgb(r / (double)INKS_STEPS);
                light[1] = tone_from_srgb(g / (double)INKS_STEPS);
                light[2] = tone_from_srgb(b / (double)INKS_STEPS);
                find_shares(light, (const double(*)[3])takes, order, count,
                            limit > 0 ? limit : count, shares);
                for (int i = 0; i < count; i++)
                    *to++ = tone_round(shares[i]);
            }
    return RO_OK;
}

ro_status ink_table_copy(ro_context *context, const ro_separation *separation,
                         struct ink_table *table)
{
    const size_t bytes = sizeof *table->shares * SIDE * SIDE * SIDE * (size_t)separation->inks;
    *table = (struct ink_table){.count = separation->inks, .shares = malloc(bytes)};
    if (!table->shares)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a separation");
    memcpy(table->shares, separation->shares, bytes);
    return RO_OK;
}

void ink_table_free(struct ink_table *table)
{
    free(table->shares);
    *table = (struct ink_table){0};
}

void ink_table_at(const struct ink_table *table, const uint32_t rgb[3],
                  uint32_t paper[RO_INKS_MOST])
{
    static const size_t steps[3] = {SIDE * SIDE, SIDE, 1};
    int order[3] = {0, 1, 2}; /* channels, the largest part first */
    uint32_t part[3];
    size_t at = 0;
    for (int c = 0; c < 3; c++) {
        uint32_t corner = rgb[c] * INKS_STEPS / INKS_WHITE;
        corner -= corner == INKS_STEPS;
        part[c] = rgb[c] * INKS_STEPS - corner * INKS_WHITE; /* of INKS_WHITE */
        at += corner * steps[c];
    }
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && part[order[k]] > part[order[k - 1]]; k--) {
            const int swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    const size_t count = (size_t)table->count;
    const uint16_t *corner = table->shares + at * count;
    uint64_t sum[RO_INKS_MOST];
    for (size_t i = 0; i < count; i++)
        sum[i] = (uint64_t)(INKS_WHITE - part[order[0]]) * corner[i];
    for (int k = 0; k < 3; k++) {
        const uint32_t weight = part[order[k]] - (k < 2 ? part[order[k + 1]] : 0);
        corner += steps[order[k]] * count;
        for (size_t i = 0; i < count; i++)
            sum[i] += (uint64_t)weight * corner[i];
    }
    for (size_t i = 0; i < count; i++)
        paper[i] = INKS_WHITE - (uint32_t)((sum[i] + INKS_WHITE / 2) / INKS_WHITE);
}

/* SPDX-License-Identifier: MIT */
/*
 * Angles that make little moiré: every ink tries those of a grid in turn, the darkest first, the
 * first three together, and what is best stays; then half degrees about it. What a set is worth is
 * all of its moiré that is seen, what light shifts when plates lie beside each other, which keeps
 * inks off each other's angles, and the rows of dots themselves, which an eye sees least aslant.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "screen/moire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 360, STEP = 5, AROUND = 4, ROUNDS = 3 }; /* of half degrees */

/* Rows decide between sets that have the same moiré. */
static const double rows_count = 0.01;

/* Screens by their angle in half degrees, found when they are asked for; inks of one kind share
 * them. */
struct search {
    ro_context *context;
    const ro_screen_options *options;
    const ro_ink *inks;
    int count, range; /* inks, half degrees */
    struct moire_screen *found[RO_INKS_MOST][HALVES];
    int like[RO_INKS_MOST]; /* the first ink whose screen is the same */
    double takes[RO_INKS_MOST];
    int at[RO_INKS_MOST];
    int order[RO_INKS_MOST]; /* the darkest first */
    ro_status status;
};

static const struct moire_screen *screen_at(struct search *search, int ink, int half)
{
    struct moire_screen **screen = &search->found[search->like[ink]][half];
    if (*screen || search->status != RO_OK)
        return *screen;
    ro_ink own = search->inks[ink];
    own.degrees = half / 2.0;
    *screen = malloc(sizeof **screen);
    search->status =
        *screen ? moire_screen_find(search->context, search->options, &own, *screen)
                : ro_context_fail(search->context, RO_E_MEMORY, "no memory to look for angles");
    return *screen;
}

/* How much is seen of the first `count` inks of the order. */
static double seen(struct search *search, int count)
{
    const struct moire_screen *screens[RO_INKS_MOST];
    double takes[RO_INKS_MOST], rows = 0;
    for (int n = 0; n < count; n++) {
        const int ink = search->order[n];
        screens[n] = screen_at(search, ink, search->at[ink]);
        if (search->status != RO_OK)
            return 0;
        takes[n] = search->takes[ink];
        for (int i = 0; i < 2; i++) {
            const double *f = screens[n]->rows[i];
            const double strength =
                screens[n]->strength[MOIRE_TIMES + (i == 0)][MOIRE_TIMES + (i == 1)];
            const double own = 2 * takes[n] * strength * moire_eye(f[0], f[1]);
            rows = rows + own * own;
        }
    }
    return moire_add(screens, takes, count, NULL) + rows_count * rows;
}

/* Tries angles for an ink from `first` on; what is best stays. */
static void turn(struct search *search, int count, int ink, int first, int step, int tries)
{
    int best_at = search->at[ink];
    double best = seen(search, count);
    for (int i = 0; i < tries && search->status == RO_OK; i++) {
        search->at[ink] = ((first + i * step) % search->range + search->range) % search->range;
        const double tried = seen(search, count);
        if (tried < best * (1 - 1e-9)) {
            best = tried;
            best_at = search->at[ink];
        }
    }
    search->at[ink] = best_at;
}

/* The second and the third in all their angles. */
static void turn_pair(struct search *search)
{
    const int a = search->order[1], b = search->order[2], tries = search->range / STEP;
    int best_a = search->at[a], best_b = search->at[b];
    double best = seen(search, 3);
    for (int i = 0; i < tries; i++)
        for (int j = 0; j < tries && search->status == RO_OK; j++) {
            search->at[a] = i * STEP;
            search->at[b] = j * STEP;
            const double tried = seen(search, 3);
            if (tried < best * (1 - 1e-9)) {
                best = tried;
                best_a = i * STEP;
                best_b = j * STEP;
            }
        }
    search->at[a] = best_a;
    search->at[b] = best_b;
}

static void find(struct search *search)
{
    const int tries = search->range / STEP;
    for (int count = 1; count <= search->count; count++) {
        search->at[search->order[count - 1]] = 90; /* 45 degrees */
        if (count == 3)
            turn_pair(search);
        else
            turn(search, count, search->order[count - 1], 0, STEP, tries);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int n = 0; n < search->count; n++) {
            const int ink = search->order[n];
            if (round == 0)
                turn(search, search->count, ink, 0, STEP, tries);
            else
                turn(search, search->count, ink, search->at[ink] - AROUND, 1, 2 * AROUND + 1);
        }
}

ro_status ro_angles_find(ro_context *context, const ro_screen_options *given, ro_ink *inks,
                         int count, ro_moire *moire)
{
    if (MISSING(context, inks))
        return RO_E_ARGUMENT;
    ro_screen_options options;
    ro_status status = report_check(context, moire);
    if (status == RO_OK)
        status = moire_take(context, given, inks, count, &options);
    if (status != RO_OK)
        return status;
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to look for angles");
    *search = (struct search){
        .context = context, .options = &options, .inks = inks, .count = count, .range = HALVES / 2};
    for (int i = 0; i < count && search->status == RO_OK; i++) {
        const ro_screen_options own = moire_options(&options, &inks[i]);
        int at = i;
        for (int k = i; k >= 0; k--) {
            const ro_screen_options other = moire_options(&options, &inks[k]);
            if (own.lpi == other.lpi &&
                (own.shape == other.shape ||
                 (own.shape && other.shape && !strcmp(own.shape, other.shape))))
                search->like[i] = k;
        }
        const struct moire_screen *screen = screen_at(search, i, 0);
        if (search->status != RO_OK)
            break;
        if (screen->strength[MOIRE_TIMES + 1][MOIRE_TIMES] ==
            0) /* lines look the same half round */
            search->range = HALVES;
        search->takes[i] = moire_takes(&inks[i]);
        for (; at > 0 && search->takes[search->order[at - 1]] < search->takes[i]; at--)
            search->order[at] = search->order[at - 1];
        search->order[at] = i;
    }
    if (search->status == RO_OK)
        find(search);
    status = search->status;
    for (int i = 0; i < count; i++) {
        if (status == RO_OK)
            inks[i].degrees = search->at[i] / 2.0;
        for (int k = 0; k < HALVES; k++)
            free(search->found[i][k]);
    }
    free(search);
    if (status == RO_OK && moire)
        status = ro_moire_find(context, &options, inks, count, 0, moire);
    return status;
}

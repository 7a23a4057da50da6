/* SPDX-License-Identifier: MIT */
/*
 * The supercell of rows of dots. Every step along the rows, p u + q v, ends near some pixel; the
 * nearer in proportion to its length, the less the rows turn when it ends on the pixel. Of such
 * steps two are chosen that are exact enough and enclose the smallest area.
 */
#include "core/misuse.h"

#include "core/options.h"
#include "screen/dots.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_STEPS = 256 }; /* that are tried in pairs */

/* Bounds of what is reached, a quarter inside what is promised at 2400 dpi. */
static const double most_lpi_off = 0.015, most_angle_off = 0.00375;
static const double degree = 0.017453292519943295;

/* Plain sums, the same on every machine. x from 0 to 90 degrees. */
static double sine(double degrees)
{
    const double x = degrees * degree;
    double term = x, sum = x;
    for (int k = 3; k < 30; k += 2) {
        term = term * (-x * x / (k * (k - 1)));
        sum = sum + term;
    }
    return sum;
}

/* What was asked for; u and v in pixels. */
struct wanted {
    double lpi, angle, dpi[2];
    double u[2], v[2];
};

static struct wanted wanted_of(const ro_screen_options *options)
{
    struct wanted w = {.lpi = options->lpi,
                       .angle = options->angle,
                       .dpi = {options->dpi, options->dpi_y > 0 ? options->dpi_y : options->dpi}};
    double turn = fmod(w.angle, 360);
    int quarters = 0;
    while (turn >= 90) {
        turn -= 90;
        quarters++;
    }
    double c = sine(90 - turn), s = sine(turn);
    for (; quarters > 0; quarters--) {
        const double next = -s;
        s = c;
        c = next;
    }
    w.u[0] = w.dpi[0] * c / w.lpi;
    w.u[1] = -w.dpi[1] * s / w.lpi;
    w.v[0] = w.dpi[0] * s / w.lpi;
    w.v[1] = w.dpi[1] * c / w.lpi;
    return w;
}

/* A step along the rows, and the pixel where it ends. */
struct step {
    int64_t along[2], end[2];
    double length2, off; /* squared, in inches; how far from the pixel, in proportion */
};

static struct step step_of(const struct wanted *w, int64_t p, int64_t q)
{
    struct step step = {.along = {p, q}};
    double off2 = 0;
    for (int i = 0; i < 2; i++) {
        const double exact = (double)p * w->u[i] + (double)q * w->v[i];
        step.end[i] = (int64_t)floor(exact + 0.5);
        const double off = ((double)step.end[i] - exact) / w->dpi[i];
        const double way = (double)step.end[i] / w->dpi[i];
        off2 += off * off;
        step.length2 += way * way;
    }
    step.off = step.length2 > 0 ? sqrt(off2 / step.length2) : 1;
    return step;
}

/* ---- What a pair of steps comes to ---------------------------------------------------------- */

static int64_t cross(const int64_t a[2], const int64_t b[2]) { return a[0] * b[1] - a[1] * b[0]; }

/* Lines per inch across u and across v, and how far they are turned: of the rows' frequencies,
 * which are the inverse of the steps. */
static void measure(const struct wanted *w, struct dots_lattice *lattice)
{
    const int64_t(*const side)[2] = lattice->side;
    const double area = (double)cross(side[0], side[1]);
    double lpi[2], turn[2];
    for (int i = 0; i < 2; i++) { /* f . A = steps of A, f . B = steps of B */
        const double *const along = i == 0 ? w->u : w->v;
        const double a = (double)lattice->steps[0][i], b = (double)lattice->steps[1][i];
        const double fx = (a * (double)side[1][1] - b * (double)side[0][1]) / area * w->dpi[0];
        const double fy = (b * (double)side[0][0] - a * (double)side[1][0]) / area * w->dpi[1];
        const double dx = along[0] / w->dpi[0] * w->lpi, dy = along[1] / w->dpi[1] * w->lpi;
        lpi[i] = sqrt(fx * fx + fy * fy);
        /* the sine, which is the angle where it matters */
        turn[i] = dx * fx + dy * fy > 0 ? (dy * fx - dx * fy) / lpi[i] / degree : 180;
    }
    lattice->reached = (ro_dots){
        .lpi = (lpi[0] + lpi[1]) / 2,
        .angle = w->angle + (turn[0] + turn[1]) / 2,
        .lpi_off = fmax(fabs(lpi[0] - w->lpi), fabs(lpi[1] - w->lpi)),
        .angle_off = fmax(fabs(turn[0]), fabs(turn[1])),
    };
}

static struct dots_lattice lattice_of(const struct wanted *w, const struct step *a,
                                      const struct step *b)
{
    struct dots_lattice lattice = {0};
    const bool turned = cross(a->end, b->end) < 0;
    for (int i = 0; i < 2; i++) {
        lattice.side[0][i] = turned ? b->end[i] : a->end[i];
        lattice.side[1][i] = turned ? a->end[i] : b->end[i];
        lattice.steps[0][i] = turned ? b->along[i] : a->along[i];
        lattice.steps[1][i] = turned ? a->along[i] : b->along[i];
    }
    measure(w, &lattice);
    return lattice;
}

/* How far off, 1 being what is allowed. */
static double error_of(const struct dots_lattice *lattice)
{
    return fmax(lattice->reached.lpi_off / most_lpi_off,
                lattice->reached.angle_off / most_angle_off);
}

static int64_t pixels_of(const struct dots_lattice *lattice)
{
    return cross(lattice->side[0], lattice->side[1]);
}

/* A lattice that is exact enough comes before one that is not; then the smaller, or the nearer. */
static bool is_better(const struct dots_lattice *a, const struct dots_lattice *b)
{
    const double off_a = error_of(a), off_b = error_of(b);
    if ((off_a <= 1) != (off_b <= 1))
        return off_a <= 1;
    if (off_a <= 1)
        return pixels_of(a) < pixels_of(b);
    return off_a < off_b;
}

/* ---- Searching ------------------------------------------------------------------------------ */

static int compare_lengths(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    if (left->length2 != right->length2)
        return left->length2 < right->length2 ? -1 : 1;
    if (left->along[0] != right->along[0])
        return left->along[0] < right->along[0] ? -1 : 1;
    return left->along[1] < right->along[1] ? -1 : left->along[1] > right->along[1];
}

static int compare_errors(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    if (left->off != right->off)
        return left->off < right->off ? -1 : 1;
    return compare_lengths(a, b);
}

/* Steps of up to `reach` pixels that are exact, the shortest first; or, where there are none, the
 * most exact. At most MOST_STEPS. */
static int find_steps(const struct wanted *w, int64_t reach, struct step steps[MOST_STEPS])
{
    const double least = fmin(w->dpi[0], w->dpi[1]) / w->lpi;
    const int64_t most = (int64_t)((double)reach * 1.5 / least) + 2;
    struct step *all = malloc(4 * MOST_STEPS * sizeof *all);
    if (!all)
        return -1;
    for (int exact = 1; exact >= 0; exact--) {
        int count = 0;
        const double bound = exact ? most_angle_off * degree : 1;
        int (*const compare)(const void *, const void *) = exact ? compare_lengths : compare_errors;
        for (int64_t p = 0; p <= most; p++)
            for (int64_t q = p ? -most : 1; q <= most; q++) {
                const struct step step = step_of(w, p, q);
                if (llabs(step.end[0]) > reach || llabs(step.end[1]) > reach || step.off > bound)
                    continue;
                all[count++] = step;
                if (count == 4 * MOST_STEPS) {
                    qsort(all, (size_t)count, sizeof *all, compare);
                    count = MOST_STEPS;
                }
            }
        qsort(all, (size_t)count, sizeof *all, compare);
        count = count < MOST_STEPS ? count : MOST_STEPS;
        for (int i = 0; i < count; i++)
            steps[i] = all[i];
        if (count >= 2 || !exact) {
            free(all);
            return count;
        }
    }
    free(all);
    return 0;
}

static void try_pairs(const struct wanted *w, const struct step *steps, int count,
                      struct dots_lattice *best)
{
    int64_t enough = DOTS_MAX_CELLS + 1;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const int64_t dots = llabs(cross(steps[i].along, steps[j].along));
            const int64_t pixels = llabs(cross(steps[i].end, steps[j].end));
            if (dots == 0 || pixels == 0 || pixels >= enough)
                continue;
            const struct dots_lattice tried = lattice_of(w, &steps[i], &steps[j]);
            if (!best->steps[0][0] && !best->steps[0][1])
                *best = tried;
            else if (is_better(&tried, best))
                *best = tried;
            else
                continue;
            if (error_of(best) <= 1) /* only smaller ones are better */
                enough = pixels_of(best);
        }
}

/* Columns, or rows, after which both frequencies have nearly gone round: the first that is exact
 * enough, or the best. */
static void find_period(const struct wanted *w, int axis, int64_t *period, int64_t steps[2])
{
    const double area = w->u[0] * w->v[1] - w->u[1] * w->v[0];
    const double f[2] = {(axis ? -w->v[0] : w->v[1]) / area, (axis ? w->u[0] : -w->u[1]) / area};
    const double bound = fmin(most_lpi_off, w->lpi * most_angle_off * degree) / w->dpi[axis] / 1.5;
    double best = 1;
    for (int64_t n = 1; n <= DOTS_MAX_SIDE; n++) {
        const double a = floor((double)n * f[0] + 0.5), b = floor((double)n * f[1] + 0.5);
        const double off = fmax(fabs(a / (double)n - f[0]), fabs(b / (double)n - f[1]));
        if ((a == 0 && b == 0) || off >= best)
            continue;
        best = off;
        *period = n;
        steps[0] = (int64_t)a;
        steps[1] = (int64_t)b;
        if (off <= bound)
            break;
    }
}

static bool find_rectangle(const struct wanted *w, struct dots_lattice *best)
{
    struct step sides[2] = {0};
    for (int axis = 0; axis < 2; axis++)
        find_period(w, axis, &sides[axis].end[axis], sides[axis].along);
    if (cross(sides[0].along, sides[1].along) == 0 || cross(sides[0].end, sides[1].end) == 0)
        return false;
    *best = lattice_of(w, &sides[0], &sides[1]);
    return true;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* A greatest common divisor as a sum of multiples of a and b. */
static int64_t divisor_of(int64_t a, int64_t b, int64_t *times_a, int64_t *times_b)
{
    int64_t x = 1, y = 0, next_x = 0, next_y = 1;
    while (b != 0) {
        const int64_t q = a / b, r = a - q * b;
        const int64_t new_x = x - q * next_x, new_y = y - q * next_y;
        a = b;
        b = r;
        x = next_x;
        y = next_y;
        next_x = new_x;
        next_y = new_y;
    }
    *times_a = a < 0 ? -x : x;
    *times_b = a < 0 ? -y : y;
    return a < 0 ? -a : a;
}

struct dots_brick dots_brick_of(const int64_t side[2][2])
{
    int64_t a, b;
    struct dots_brick brick;
    brick.height = divisor_of(side[0][1], side[1][1], &a, &b);
    brick.width = llabs(cross(side[0], side[1])) / brick.height;
    brick.along = (a * side[0][0] + b * side[1][0]) % brick.width;
    brick.along += brick.along < 0 ? brick.width : 0;
    return brick;
}

/* Repeats a small supercell, so that it has pixels for many greys. */
static void repeat(struct dots_lattice *lattice)
{
    int64_t times = 1;
    while (times * times * pixels_of(lattice) < DOTS_GREYS)
        times++;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            lattice->side[i][k] *= times;
            lattice->steps[i][k] *= times;
        }
}

static ro_status check(ro_context *context, const ro_screen_options *options)
{
    if (options->dpi == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a screen of %g lines per inch needs the resolution of the output, "
                               "dpi",
                               options->lpi);
    if (!(options->angle >= -360 && options->angle <= 360)) /* of an ink */
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "an angle of %g degrees: must be from -360 to 360", options->angle);
    const double dpi_y = options->dpi_y > 0 ? options->dpi_y : options->dpi;
    const double most = fmin(options->dpi, dpi_y) / 2;
    if (options->lpi > most)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%g lines per inch are more than %g dpi can show; %g is the most",
                               options->lpi, 2 * most, most);
    if (fmax(options->dpi, dpi_y) / options->lpi > DOTS_MAX_SIDE)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "at %g lines per inch a dot is more than %d pixels wide; %g is the "
                               "least",
                               options->lpi, DOTS_MAX_SIDE,
                               ceil(fmax(options->dpi, dpi_y) / DOTS_MAX_SIDE * 1000) / 1000);
    return RO_OK;
}

/* False: there is none; RO_E_MEMORY in *status, or RO_OK. */
static bool search(ro_context *context, const struct wanted *w, bool rectangle,
                   struct dots_lattice *best, ro_status *status)
{
    *status = RO_OK;
    if (rectangle)
        return find_rectangle(w, best);
    bool found = false;
    for (int64_t reach = 256; reach <= DOTS_MAX_SIDE; reach *= 2) {
        struct step steps[MOST_STEPS];
        const int count = find_steps(w, reach, steps);
        if (count < 0) {
            *status = ro_context_fail(context, RO_E_MEMORY, "no memory to look for a supercell");
            return false;
        }
        try_pairs(w, steps, count, best);
        found = best->steps[0][0] || best->steps[0][1];
        if (found && error_of(best) <= 1)
            break;
    }
    return found;
}

/* Dots so large that no two steps fit a supercell: what comes nearest has smaller ones. */
static ro_status not_reached(ro_context *context, const ro_screen_options *options, double lpi,
                             bool rectangle)
{
    ro_screen_options other = *options;
    for (int i = 1; i <= 1000; i++) {
        struct dots_lattice tried = {0};
        ro_status status;
        other.lpi = lpi * (1 + 0.001 * i);
        const struct wanted w = wanted_of(&other);
        if (search(context, &w, rectangle, &tried, &status))
            break;
    }
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "no supercell of up to %d pixels a side has %g lines per inch at %g "
                           "degrees; the nearest has %g",
                           DOTS_MAX_SIDE, lpi, options->angle, other.lpi);
}

ro_status dots_find(ro_context *context, const ro_screen_options *options, bool rectangle,
                    struct dots_lattice *lattice)
{
    *lattice = (struct dots_lattice){0};
    ro_screen_options turned = *options;
    if (turned.lpi == 0) {
        turned.dpi = turned.dpi > 0 ? turned.dpi : 300;
        turned.lpi = fmin(turned.dpi, turned.dpi_y > 0 ? turned.dpi_y : turned.dpi) / 8;
    }
    ro_status status = check(context, &turned);
    if (status != RO_OK)
        return status;
    turned.angle = options->angle < 0 ? options->angle + 360 : options->angle;
    const struct wanted w = wanted_of(&turned);
    struct dots_lattice best = {0};
    const bool found = search(context, &w, rectangle, &best, &status);
    if (status != RO_OK)
        return status;
    if (!found)
        return not_reached(context, &turned, turned.lpi, rectangle);
    repeat(&best);
    const struct dots_brick brick = dots_brick_of(best.side);
    best.width = (uint32_t)brick.width;
    best.height = (uint32_t)brick.height;
    best.shift = (uint32_t)brick.along;
    best.dots = (uint32_t)llabs(cross(best.steps[0], best.steps[1]));
    best.reached.angle -= turned.angle - options->angle;
    best.reached.greys = best.width * best.height;
    best.reached.dots = best.dots;
    best.reached.width = best.width;
    best.reached.height = best.height;
    best.reached.shift = best.shift;
    *lattice = best;
    return RO_OK;
}

static ro_status find_dots(ro_context *context, const ro_screen_options *options, int tile,
                           ro_dots *dots)
{
    if (MISSING(context, dots))
        return RO_E_ARGUMENT;
    ro_screen_options full;
    struct dots_lattice lattice;
    *dots = (ro_dots){0};
    ro_status status = screen_take(context, options, "am", &full);
    if (status == RO_OK)
        status = dots_find(context, &full, tile != 0, &lattice);
    if (status == RO_OK)
        *dots = lattice.reached;
    return status;
}

ro_status ro_dots_find(ro_context *context, const ro_screen_options *options, int tile,
                       ro_dots *dots)
{
    ro_dots full = {.size = sizeof full};
    ro_status status = report_check(context, dots);
    if (status != RO_OK)
        return status;
    status = find_dots(context, options, tile, dots ? &full : NULL);
    report_give(dots, &full);
    return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Products of random matrices in every fixed-point system: of symmetric ones the sum is that of the
 * products S_i v_i, whatever is rounded; results are near the exact ones (the bounds of section
 * 2.2.3.4); a stencil is its matrix.
 */
#include "core/random.h"
#include "roundoff/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 40, MOST = ROWS * ROWS, ONE = 1 << 12, ROUNDS = 60 };

static uint32_t counter;
static uint32_t draw(uint32_t below) { return pixel_hash(11, counter++, 0) % below; }

/* A dense matrix that lists its entries in a random order. */
struct drawn {
    int32_t dense[ROWS][ROWS];
    size_t starts[ROWS + 1];
    uint32_t columns[MOST];
    int32_t weights[MOST];
    ro_matrix matrix;
};

static void list(struct drawn *a)
{
    size_t k = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const uint32_t turn = draw(ROWS);
        a->starts[i] = k;
        for (uint32_t j = 0; j < ROWS; j++) {
            const uint32_t column = (j + turn) % ROWS;
            if (!a->dense[i][column])
                continue;
            a->columns[k] = column;
            a->weights[k++] = a->dense[i][column];
        }
    }
    a->starts[ROWS] = k;
    a->matrix = (ro_matrix){ROWS, a->starts, a->columns, a->weights, ONE};
}

/* Symmetric; `unit`: rows sum to 1; `convex`: no entry is negative. */
static void draw_matrix(struct drawn *a, bool unit, bool convex)
{
    memset(a->dense, 0, sizeof a->dense);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t j = draw(ROWS);
            const int32_t weight = (int32_t)draw(ONE / 16) - (convex ? 0 : ONE / 64);
            if ((int)j != i)
                a->dense[i][j] = a->dense[j][i] = weight;
        }
    for (int i = 0; i < ROWS; i++) {
        int32_t sum = 0;
        for (int j = 0; j < ROWS; j++)
            sum += a->dense[i][j];
        a->dense[i][i] = unit ? ONE - sum : (int32_t)draw(ONE) - ONE / 4;
    }
    list(a);
}

/* The systems: those with names, and some of Q(b, t, e). */
static bool system_at(int index, ro_fixed *q)
{
    int fixed = 0;
    for (int i = 0; ro_number_at(i); i++)
        if (!ro_number_at(i)->floating && fixed++ == index) {
            *q = ro_number_at(i)->fixed;
            return true;
        }
    static const int others[][2] = {{3, 5}, {10, 3}, {2, 4}, {2, 20}, {7, 2}};
    const int left = index - fixed;
    return left < 10 && ro_fixed_system(others[left / 2][0], others[left / 2][1],
                                        left % 2 ? RO_EPSILON_UNIT : RO_EPSILON_POWER, q) == RO_OK;
}

static int32_t number_of(const ro_fixed *q, int64_t least, int64_t most)
{
    const int64_t n = least + (int64_t)((uint64_t)draw(1u << 31) % (uint64_t)(most - least + 1));
    return (int32_t)(q->min + (n - q->min) / q->step * q->step);
}

/* Numbers from the middle third of the range, where nothing saturates. */
static void draw_numbers(const ro_fixed *q, int32_t v[ROWS])
{
    const int64_t third = (q->max - q->min) / 3;
    for (int i = 0; i < ROWS; i++)
        v[i] = number_of(q, q->min + third, q->max - third);
}

static int64_t sum_of(const int32_t *v)
{
    int64_t sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += v[i];
    return sum;
}

static double exact(const struct drawn *a, const int32_t *v, int row)
{
    double sum = 0;
    for (int j = 0; j < ROWS; j++)
        sum += (double)a->dense[row][j] * v[j] / ONE;
    return sum;
}

static int entries(const struct drawn *a, int row)
{
    int count = 0;
    for (int j = 0; j < ROWS; j++)
        count += j != row && a->dense[row][j];
    return count;
}

static void check_row(const ro_fixed *q, const struct drawn *a, const int32_t *v, int row,
                      int32_t got, double most)
{
    assert_true(got >= q->min && got <= q->max && (got - q->min) % q->step == 0);
    if (fabs(got - exact(a, v, row)) > most * q->step + 1e-9)
        fail_msg("row %d: %d, not %g, of %d entries, one %lld", row, got, exact(a, v, row),
                 entries(a, row), (long long)q->one);
}

static void sums_are_exact(void **state)
{
    (void)state;
    static struct drawn a;
    int systems = 0;
    ro_fixed q;
    for (; system_at(systems, &q); systems++)
        for (int round = 0; round < ROUNDS; round++) {
            const ro_rounding rounding = (ro_rounding)(round % RO_ROUNDINGS);
            int32_t v[ROWS], out[ROWS];
            bool symmetric, unit;
            const bool convex = round % 3 == 0;
            draw_matrix(&a, true, convex);
            draw_numbers(&q, v);
            assert_int_equal(ro_matrix_check(&a.matrix, &symmetric, &unit), RO_OK);
            assert_true(symmetric && unit);
            ro_product_options options = {.size = sizeof options, .rounding = rounding};
            ro_product_report report = {.size = sizeof report};
            for (int over = 0; over < 3; over++) { /* 1, 1/2, 1/5 of Eq. 2.31 keep the sum, too */
                static const int32_t scales[] = {0, -2, -5};
                options.scale = scales[over];
                assert_int_equal(ro_matrix_product(&q, &a.matrix, &options, v, out, &report),
                                 RO_OK);
                assert_true(report.saturated == 0 || q.max - q.min < 64);
                if (ro_rounding_is_odd(rounding) && report.saturated == 0) {
                    assert_int_equal(sum_of(out), sum_of(v));
                    assert_int_equal(report.defect, 0);
                    assert_int_equal(report.sum, sum_of(v));
                }
                for (int i = 0; i < ROWS && report.saturated == 0; i++)
                    check_row(&q, &a, v, i, out[i],
                              entries(&a, i) * (over == 0   ? 1
                                                : over == 1 ? 2
                                                            : 5));
                /* toward zero no number leaves the range of its neighbours */
                const bool mean = convex && rounding == RO_ROUND_ZERO && over == 0;
                for (int i = 0; i < ROWS && mean; i++) {
                    int32_t least = v[i], most = v[i];
                    for (int j = 0; j < ROWS; j++)
                        if (a.dense[i][j]) {
                            least = v[j] < least ? v[j] : least;
                            most = v[j] > most ? v[j] : most;
                        }
                    assert_in_range(out[i] - least, 0, most - least);
                }
            }
        }
    assert_true(systems >= 20);
}

/* Any row sums: the sum is that of the rounded products S_i v_i. */
static void row_sums_count(void **state)
{
    (void)state;
    static struct drawn a;
    static int64_t sums[ROWS], zero[MOST];
    ro_fixed q;
    for (int index = 0; system_at(index, &q); index++)
        for (int round = 0; round < ROUNDS; round++) {
            int32_t v[ROWS], out[ROWS];
            int64_t kept = 0;
            const ro_rounding rounding = (ro_rounding)(round % RO_ROUNDINGS);
            if (q.step > 1)
                continue; /* numbers without a zero have no small products */
            draw_matrix(&a, false, false);
            for (int i = 0; i < ROWS; i++)
                v[i] = number_of(&q, q.min / 4, q.max / 4);
            bool unit;
            assert_int_equal(ro_matrix_check(&a.matrix, NULL, &unit), RO_OK);
            assert_false(unit);
            assert_int_equal(ro_matrix_split(&a.matrix, sums, zero), RO_OK);
            for (int i = 0; i < ROWS; i++) {
                int64_t of_a = 0, of_zero = 0;
                for (size_t k = a.starts[i]; k < a.starts[i + 1]; k++) {
                    of_a += a.weights[k];
                    of_zero += zero[k];
                    assert_int_equal(zero[k] + (a.columns[k] == (uint32_t)i ? sums[i] : 0),
                                     a.weights[k]);
                }
                assert_int_equal(sums[i], of_a);
                assert_int_equal(of_zero, a.dense[i][i] ? 0 : of_a);
                kept += ro_round_quotient(sums[i] * v[i], ONE, rounding);
            }
            const ro_product_options options = {.size = sizeof options, .rounding = rounding};
            ro_product_report report = {.size = sizeof report};
            assert_int_equal(ro_matrix_product(&q, &a.matrix, &options, v, out, &report), RO_OK);
            if (ro_rounding_is_odd(rounding) && report.saturated == 0)
                assert_int_equal(sum_of(out), kept);
            for (int i = 0; i < ROWS && report.saturated == 0; i++)
                check_row(&q, &a, v, i, out[i], entries(&a, i) + 1);
        }
}

/* Eq. 2.31 and 2.32: with a scale s errors are at most 2 + n/s units, but sums are not exact. */
static void scales_are_more_accurate(void **state)
{
    (void)state;
    static struct drawn a;
    const ro_fixed *q = &ro_number_find("s12")->fixed;
    double error[2][2] = {{0}}, lost = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t v[ROWS], out[ROWS], scales[ROWS];
        draw_matrix(&a, true, false);
        for (int i = 0; i < ROWS; i++) {
            v[i] = 300 + (int32_t)draw(12); /* smooth */
            scales[i] = 1 << draw(7);
        }
        for (int natural = 0; natural < 2; natural++)
            for (int scaled = 0; scaled < 2; scaled++) {
                ro_product_options options = {.size = sizeof options,
                                              .product = natural ? RO_PRODUCT_NATURAL
                                                                 : RO_PRODUCT_MASS_EXACT};
                options.scales = scaled ? scales : NULL;
                ro_product_report report = {.size = sizeof report};
                assert_int_equal(ro_matrix_product(q, &a.matrix, &options, v, out, &report), RO_OK);
                assert_int_equal(report.saturated, 0);
                for (int i = 0; i < ROWS; i++) {
                    const double off = fabs(out[i] - exact(&a, v, i));
                    error[natural][scaled] += off;
                    check_row(q, &a, v, i, out[i],
                              scaled ? 2 + (entries(&a, i) + 1.0) / scales[i] : entries(&a, i) + 1);
                }
                lost += natural && !scaled ? -(double)report.defect : 0;
            }
    }
    print_message("mean errors in units: %.3f, scaled %.3f; natural %.3f, scaled %.3f\n",
                  error[0][0] / ROUNDS / ROWS, error[0][1] / ROUNDS / ROWS,
                  error[1][0] / ROUNDS / ROWS, error[1][1] / ROUNDS / ROWS);
    assert_true(error[0][1] < error[0][0] && error[1][1] < error[1][0]);
    assert_true(lost > ROUNDS * ROWS); /* toward zero the natural product loses a unit a pixel */
}

static void a_stencil_is_its_matrix(void **state)
{
    (void)state;
    enum { WIDTH = 8, HEIGHT = 5 };
    static struct drawn a;
    ro_fixed q;
    for (int index = 0; system_at(index, &q); index++)
        for (int round = 0; round < ROUNDS; round++) {
            ro_stencil_tap taps[4];
            const size_t count = 1 + draw(4);
            memset(a.dense, 0, sizeof a.dense);
            for (size_t k = 0; k < count; k++) {
                static const int32_t ways[][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {-3, 2}};
                const size_t way = (round + k) % 6;
                taps[k] = (ro_stencil_tap){ways[way][0], ways[way][1], (int32_t)draw(ONE / 8)};
                for (int y = 0; y < HEIGHT; y++)
                    for (int x = 0; x < WIDTH; x++) {
                        const int u = x + taps[k].dx, w = y + taps[k].dy;
                        if (u < 0 || u >= WIDTH || w < 0 || w >= HEIGHT)
                            continue;
                        a.dense[y * WIDTH + x][w * WIDTH + u] += taps[k].weight;
                        a.dense[w * WIDTH + u][y * WIDTH + x] += taps[k].weight;
                    }
            }
            for (int i = 0; i < ROWS; i++) {
                int32_t sum = 0;
                for (int j = 0; j < ROWS; j++)
                    sum += a.dense[i][j];
                a.dense[i][i] = ONE - sum;
            }
            list(&a);
            const ro_stencil stencil = {WIDTH, HEIGHT, count, taps, ONE};
            int32_t v[ROWS], want[ROWS], got[ROWS];
            draw_numbers(&q, v);
            const ro_product_options options = {.size = sizeof options,
                                                .product = (ro_product)(round % 2),
                                                .rounding = (ro_rounding)(round % RO_ROUNDINGS),
                                                .scale = (int32_t)draw(5) - 2};
            ro_product_report reports[2] = {{.size = sizeof *reports}, {.size = sizeof *reports}};
            assert_int_equal(ro_matrix_product(&q, &a.matrix, &options, v, want, &reports[0]),
                             RO_OK);
            assert_int_equal(ro_stencil_product(&q, &stencil, &options, v, got, &reports[1]),
                             RO_OK);
            assert_memory_equal(want, got, sizeof want);
            assert_memory_equal(&reports[0], &reports[1], sizeof *reports);
        }
}

static void what_is_no_matrix(void **state)
{
    (void)state;
    static struct drawn a;
    const ro_fixed *q = &ro_number_find("s16")->fixed;
    int32_t v[ROWS] = {0}, out[ROWS];
    bool symmetric;
    draw_matrix(&a, true, true);
    ro_matrix bad = a.matrix;
    bad.one = 0;
    assert_int_equal(ro_matrix_product(q, &bad, NULL, v, out, NULL), RO_E_ARGUMENT);
    a.columns[3] = ROWS;
    assert_int_equal(ro_matrix_check(&a.matrix, &symmetric, NULL), RO_E_ARGUMENT);
    assert_int_equal(ro_matrix_product(q, &a.matrix, NULL, v, out, NULL), RO_E_ARGUMENT);
    draw_matrix(&a, true, true);
    a.weights[a.columns[0] == 0] += 1;
    assert_int_equal(ro_matrix_check(&a.matrix, &symmetric, NULL), RO_OK);
    assert_false(symmetric);
    ro_product_options options = {.size = sizeof options, .scale = 1 << 16};
    assert_int_equal(ro_matrix_product(q, &a.matrix, &options, v, out, NULL), RO_E_ARGUMENT);
    const ro_stencil_tap still = {0, 0, 5};
    const ro_stencil stencil = {8, 5, 1, &still, ONE};
    assert_int_equal(ro_stencil_product(q, &stencil, NULL, v, out, NULL), RO_E_ARGUMENT);
    assert_int_equal(ro_stencil_product(q, NULL, NULL, v, out, NULL), RO_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),           cmocka_unit_test(row_sums_count),
        cmocka_unit_test(scales_are_more_accurate), cmocka_unit_test(a_stencil_is_its_matrix),
        cmocka_unit_test(what_is_no_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The tables of docs/number-systems.md: every format has its row, with the figures that the code
 * has. */
#include "number/number.h"
#include "roundoff/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 600 };

/* Takes the row of a format apart; its cells, the first being its name. */
static int cells_of(const char *name, char row[ROOM], char *cells[10])
{
    char path[500], begin[40];
    const char *folder = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/docs/number-systems.md", folder ? folder : ".");
    snprintf(begin, sizeof begin, "| `%s` |", name);
    FILE *file = fopen(path, "r");
    if (!file)
        skip(); /* the tests were installed without their documents */
    bool found = false;
    while (!found && fgets(row, ROOM, file))
        found = strncmp(row, begin, strlen(begin)) == 0;
    fclose(file);
    int count = 0;
    for (char *at = found ? row + 2 : NULL, *end; at && (end = strstr(at, " |")) && count < 10;
         at = end + 3) {
        *end = '\0';
        cells[count++] = at;
    }
    if (!count)
        fail_msg("docs/number-systems.md has no row for %s", name);
    return count;
}

/* "-" as typographers write it. */
static const char *printed(char *to, size_t size, const char *format, double value)
{
    char plain[40];
    snprintf(plain, sizeof plain, format, fabs(value));
    snprintf(to, size, "%s%s", value < 0 ? "−" : "", plain);
    return to;
}

/* Two digits and a power of ten: "3.9·10⁻³". */
static const char *power_of_ten(char *to, size_t size, double value)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[24];
    snprintf(text, sizeof text, "%.1e", value);
    const int exponent = atoi(strchr(text, 'e') + 1), tens = abs(exponent) / 10;
    *strchr(text, 'e') = '\0';
    snprintf(to, size, "%s·10%s%s%s", text, exponent < 0 ? "⁻" : "", tens ? digits[tens] : "",
             digits[abs(exponent) % 10]);
    return to;
}

static void range_is(const char *cell, const char *format, double least, double most)
{
    char a[60], b[60], both[140];
    snprintf(both, sizeof both, "%s … %s", printed(a, sizeof a, format, least),
             printed(b, sizeof b, format, most));
    if (strncmp(cell, both, strlen(both)) != 0)
        fail_msg("'%s' should be '%s'", cell, both);
}

static void fixed(const ro_number *number)
{
    const ro_fixed *q = &number->fixed;
    char row[ROOM], *cells[10], text[60];
    assert_int_equal(cells_of(number->name, row, cells), 7);
    range_is(cells[2], "%.0f", (double)q->min, (double)q->max);
    assert_int_equal(strstr(cells[2], "every other") != NULL, q->step == 2);
    assert_int_equal(atoll(cells[3]), q->one);
    range_is(cells[4], "%.6g", (double)q->min / (double)q->one, (double)q->max / (double)q->one);
    assert_string_equal(cells[5],
                        power_of_ten(text, sizeof text, (double)q->step / (double)q->one));
    assert_int_equal(strstr(cells[6], "no 1") != NULL, !ro_fixed_holds(q, 1, 1));
    assert_int_equal(strstr(cells[6], "no 0") != NULL, !ro_fixed_has_zero(q));
    if (strstr(cells[6], "no ½") || strstr(cells[6], "2⁻¹"))
        assert_int_equal(strstr(cells[6], "no ½") != NULL, !ro_fixed_holds(q, 1, 2));
    for (int v = 0; v < 256 && strstr(cells[6], "8-bit pixels"); v++)
        assert_true(ro_fixed_holds(q, v, 255));
    for (int v = 0; v < 65536 && strstr(cells[6], "16-"); v++)
        assert_true(ro_fixed_holds(q, v, 65535));
}

static void floating(const ro_number *number)
{
    const ro_small_float *q = &number->real;
    const double normal = ldexp(1, 2 - (1 << (q->exponent - 1)));
    char row[ROOM], *cells[10], text[60];
    assert_int_equal(cells_of(number->name, row, cells), 6);
    assert_string_equal(cells[2], power_of_ten(text, sizeof text, ro_small_float_epsilon(q)));
    snprintf(text, sizeof text, "%.0f", ro_small_float_max(q));
    if (ro_small_float_max(q) >= 1e6)
        power_of_ten(text, sizeof text, ro_small_float_max(q));
    assert_string_equal(cells[3], text);
    assert_string_equal(cells[4], power_of_ten(text, sizeof text, normal));
    assert_string_equal(cells[5], power_of_ten(text, sizeof text, ldexp(normal, -q->mantissa)));
    /* and these are what rounding does */
    assert_true(ro_small_float_round(q, ldexp(normal, -q->mantissa), RO_ROUND_ZERO) > 0);
    assert_true(ro_small_float_round(q, ldexp(normal, -q->mantissa - 1), RO_ROUND_ZERO) == 0);
}

static void tables(void **state)
{
    (void)state;
    int count = 0;
    for (const ro_number *number; (number = ro_number_at(count)); count++)
        if (number->floating)
            floating(number);
        else
            fixed(number);
    assert_int_equal(count, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

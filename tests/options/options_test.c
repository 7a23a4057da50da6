/* SPDX-License-Identifier: MIT */
/* Tables of options: each describes its structure whole, every rule names options that exist, and
 * every value that a row allows is read back as it was written, in any locale. */
#include "options/table.h"
#include "roundoff.h"
#include "roundoff/command.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 4096 }; /* bytes of the largest structure */

static void for_each_row(void (*check)(const ro_option_table *table, const ro_option *row))
{
    const ro_option_table *table;
    const ro_option *row;
    for (int i = 0; (table = ro_options_at(i)); i++) {
        assert_ptr_equal(ro_options_of(table->name), table);
        assert_true(table->size <= ROOM);
        for (int k = 0; (row = ro_option_at(table, k)); k++)
            check(table, row);
    }
}

/* Rows are in the order of the members, and nothing but padding is between them; but a structure
 * inside has one row, and any size. */
static void members_have_rows(void **state)
{
    static const size_t sizes[] = {4, 4, 8, 8, sizeof(char *), sizeof(ro_texts), sizeof(void *)};
    const ro_option_table *table;
    (void)state;
    for (int i = 0; (table = ro_options_at(i)); i++) {
        size_t end = table->rows->offset ? sizeof(size_t) : 0;
        bool inside = false;
        for (const ro_option *row = table->rows; row->name; row++) {
            const size_t size = sizes[row->kind], place = (end + size - 1) / size * size;
            if (row->offset != place && !(inside && row->offset > place))
                fail_msg("%s: a member before it has no row, or rows are out of order", row->name);
            end = row->offset + size * (size_t)(row->count > 1 ? row->count : 1);
            inside = row->kind == RO_OPTION_OTHER;
        }
        if (!inside)
            assert_int_equal((end + 7) / 8 * 8, table->size);
    }
}

static void check_conditions(const ro_option_table *table, const char *list)
{
    for (; list && *(list += strspn(list, " ")); list += strcspn(list, " ")) {
        char name[64], message[RO_OPTION_MESSAGE];
        unsigned char room[ROOM];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list, " ="), list);
        const ro_option *row = ro_option_find(table, name);
        if (!row)
            fail_msg("a rule names %s, which is no option", name);
        const char *value = list + strlen(name);
        while (*value == '=' || *value == ',') {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(value + 1, ", "), value + 1);
            if (ro_option_set(table, row, room, name, message) != RO_OK)
                fail_msg("a rule names a value: %s", message);
            value += 1 + strlen(name);
        }
    }
}

static void check_rules(const ro_option_table *table, const ro_option *row)
{
    check_conditions(table, row->needs);
    check_conditions(table, row->excludes);
    for (const ro_word *word = row->words; word && word->name; word++)
        check_conditions(table, word->needs);
    assert_true(!row->trait || (table->traits && ro_option_find(table, table->method)));
}

static void rules_name_options(void **state)
{
    (void)state;
    for_each_row(check_rules);
}

/* Sets an option and expects it to be read back as `again`. */
static void expect(const ro_option_table *table, const ro_option *row, const char *text,
                   const char *again)
{
    unsigned char room[ROOM];
    char message[RO_OPTION_MESSAGE] = "";
    memcpy(room, table->unset, table->size);
    if (ro_option_set(table, row, room, text, message) != RO_OK)
        fail_msg("%s", message);
    assert_string_equal(ro_option_text(table, row, room, message), again);
}

static void expect_refused(const ro_option_table *table, const ro_option *row, const char *text)
{
    unsigned char room[ROOM], before[ROOM];
    char message[RO_OPTION_MESSAGE] = "";
    memcpy(room, table->unset, table->size);
    memcpy(before, room, table->size);
    if (ro_option_set(table, row, room, text, message) == RO_OK)
        fail_msg("%s took %s", row->name, text);
    assert_non_null(strstr(message, "must be"));
    assert_null(strstr(message, "--"));
    assert_memory_equal(room, before, table->size);
}

static void check_values(const ro_option_table *table, const ro_option *row)
{
    char text[64];
    unsigned char room[ROOM];
    memcpy(room, table->unset, table->size);
    assert_false(ro_option_is_set(table, row, room));
    for (const ro_word *word = row->words; word && word->name; word++)
        expect(table, row, word->name, word->alias ? word->alias : word->name);
    if (row->count > 1) {
        expect_refused(table, row, "");
        expect_refused(table, row, "x");
        expect_refused(table, row, "0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1");
        return;
    }
    if (row->min < row->max) {
        snprintf(text, sizeof text, "%.15g", row->max);
        expect(table, row, text, text);
        snprintf(text, sizeof text, "%.15g", 2 * row->max + 1);
        expect_refused(table, row, text);
        for (const char *const *bad = (const char *const[]){"", " 1", "1 ", "0x1", "nan", "inf",
                                                            "1e", ".", "1..2", "1,5", NULL};
             *bad; bad++)
            expect_refused(table, row, *bad);
    }
    if (row->kind != RO_OPTION_REAL && row->min < row->max)
        expect_refused(table, row, "1.0");
}

static void values_come_back(void **state)
{
    (void)state;
    for_each_row(check_values);
}

/* "default", the preset, and what the initialiser leaves: none of them counts as set. */
static void check_default(const ro_option_table *table, const ro_option *row)
{
    unsigned char room[ROOM];
    char message[RO_OPTION_MESSAGE];
    if (row->kind == RO_OPTION_OTHER || row->kind == RO_OPTION_TEXTS ||
        (row->kind == RO_OPTION_TEXT && !row->words))
        return;
    memcpy(room, table->unset, table->size);
    assert_int_equal(ro_option_set(table, row, room, "default", message), RO_OK);
    assert_memory_equal(room, table->unset, table->size);
    if (!row->preset)
        return;
    assert_int_equal(ro_option_set(table, row, room, row->preset, message), RO_OK);
    assert_false(ro_option_is_set(table, row, room));
}

static void defaults_are_not_set(void **state)
{
    (void)state;
    for_each_row(check_default);
}

/* ---- A family that exists here alone --------------------------------------------------------- */

struct sample {
    size_t size;
    int flag, whole;
    double real, length;
    const char *method;
    uint64_t seed;
    ro_texts texts;
    double lengths[3];
    unsigned pixels[2];
};

static unsigned sample_traits(const char *method) { return strcmp(method, "fast") == 0; }

static const ro_option sample_rows[] = {
    {RO_MEMBER(struct sample, flag), NULL, "a flag", .excludes = "method=fast"},
    {RO_MEMBER(struct sample, whole), "N", "a number", .min = -9, .max = 9, .preset = "3",
     .words = RO_WORDS({"many", .value = 100})},
    {RO_MEMBER(struct sample, real), "P", "a share", .max = 100, .unit = "%", .trait = 1},
    {RO_MEMBER(struct sample, length), "L", "a length", .max = 1, .above_min = 1, .unit = "m",
     .derived = "the usual", .needs = "whole=3,many real"},
    {RO_MEMBER(struct sample, method), "M", "how", .preset = "slow",
     .words = RO_WORDS({.name = "slow"}, {.name = "fast"}, {.name = "quick", .alias = "fast"})},
    {RO_MEMBER(struct sample, seed), "N", "a seed", .preset = "0"},
    {RO_MEMBER(struct sample, texts), "T", "texts"},
    {RO_MEMBER(struct sample, lengths), "X,Y,Z", "lengths", .min = -1, .max = 1, .unit = "m",
     .count = 3, .least = 2},
    {RO_MEMBER(struct sample, pixels), "W,H", "pixels", .max = 9, .count = 2},
    {0},
};
static const struct sample unset = {.size = sizeof unset};
static const ro_option_table sample_table = {.name = "sample",
                                             .initialiser = "SAMPLE",
                                             .rows = sample_rows,
                                             .unset = &unset,
                                             .size = sizeof unset,
                                             .method = "method",
                                             .traits = sample_traits};

static const ro_option *row(const char *name) { return ro_option_find(&sample_table, name); }

static void kinds_are_read(void **state)
{
    (void)state;
    expect(&sample_table, row("whole"), "-9", "-9");
    expect(&sample_table, row("whole"), "many", "many");
    expect(&sample_table, row("real"), "12.5%", "12.5");
    expect(&sample_table, row("real"), "1e1", "10");
    expect(&sample_table, row("length"), "0.5mm", "0.0005");
    expect(&sample_table, row("method"), "QUICK", "fast");
    expect(&sample_table, row("seed"), "18446744073709551615", "18446744073709551615");
    expect(&sample_table, row("flag"), "true", "true");
    expect_refused(&sample_table, row("flag"), "yes");
    expect_refused(&sample_table, row("whole"), "10");
    expect_refused(&sample_table, row("whole"), "5000000000000");
    expect_refused(&sample_table, row("seed"), "18446744073709551616");
    expect_refused(&sample_table, row("seed"), "-1");
    expect_refused(&sample_table, row("real"), "-1");
    expect_refused(&sample_table, row("real"), "1mm");
    char said[RO_OPTION_MESSAGE];
    struct sample one = unset;
    ro_option_set(&sample_table, row("real"), &one, "1.01e2", said);
    assert_string_equal(said, "real 101: must be a percentage from 0 to 100");
    struct sample s = unset;
    char message[RO_OPTION_MESSAGE];
    for (int i = 0; i < RO_MOST_TEXTS; i++)
        assert_int_equal(ro_option_set(&sample_table, row("texts"), &s, "a", message), RO_OK);
    assert_int_equal(s.texts.count, RO_MOST_TEXTS);
    assert_int_equal(ro_option_set(&sample_table, row("texts"), &s, "a", message), RO_E_ARGUMENT);
}

/* Numbers one behind the other, from C as well. */
static void lists_are_read(void **state)
{
    ro_context *context;
    struct sample s = unset, taken;
    (void)state;
    expect(&sample_table, row("lengths"), "1mm,-0.5,0.25", "0.001,-0.5,0.25");
    expect(&sample_table, row("lengths"), "0.5x1", "0.5,1");
    expect(&sample_table, row("pixels"), "0,9", "0,9");
    for (const char *const *bad =
             (const char *const[]){"1", "2,0", "0,0,0,0", "0,,0", "0,0,", NULL};
         *bad; bad++)
        expect_refused(&sample_table, row("lengths"), *bad);
    expect_refused(&sample_table, row("pixels"), "1,2.5");
    expect_refused(&sample_table, row("pixels"), "1,10");
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    s.lengths[0] = 1;
    assert_true(ro_option_is_set(&sample_table, row("lengths"), &s));
    assert_int_equal(options_read(context, &sample_table, &s, &taken), RO_OK);
    s.pixels[1] = 10;
    assert_int_equal(options_read(context, &sample_table, &s, &taken), RO_E_ARGUMENT);
    assert_string_equal(ro_context_message(context),
                        "pixels 0,10: must be 2 whole numbers from 0 to 9");
    ro_context_close(context);
}

/* Where the decimal point is a comma, numbers are read and printed with a point. */
static void locales_do_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip(); /* locale_test.sh makes the locale and runs this again */
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    expect(&sample_table, row("real"), "12.5", "12.5");
    expect_refused(&sample_table, row("real"), "12,5");
    setlocale(LC_NUMERIC, "C");
}

static void try(ro_context *context, struct sample given, const char *sentence)
{
    struct sample taken;
    ro_status status = options_read(context, &sample_table, &given, &taken);
    if (status == RO_OK)
        status = options_check(context, &sample_table, &taken, &taken);
    if (!sentence)
        assert_int_equal(status, RO_OK);
    else {
        assert_int_equal(status, RO_E_ARGUMENT);
        assert_string_equal(ro_context_message(context), sentence);
    }
}

static void rules_hold(void **state)
{
    ro_context *context = NULL;
    (void)state;
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context), RO_OK);
    try(context, unset, NULL);
#define GIVEN(...) ((struct sample){.size = sizeof(struct sample), __VA_ARGS__})
    try(context, GIVEN(.whole = 10), "whole 10: must be a whole number from -9 to 9 or many");
    try(context, GIVEN(.method = "fist"), "method fist: must be slow or fast; did you mean fast?");
    try(context, GIVEN(.flag = 1), NULL);
    try(context, GIVEN(.flag = 1, .method = "quick"), "flag does not apply to method fast");
    try(context, GIVEN(.real = 5), "real does not apply to method slow");
    try(context, GIVEN(.real = 5, .method = "fast"), NULL);
    try(context, GIVEN(.length = 0.1), "length needs real");
    try(context, GIVEN(.length = 0.1, .whole = 4), "length needs whole 3 or many, not 4");
    try(context, GIVEN(.length = 0.1, .real = 1, .whole = 3, .method = "fast"), NULL);
    struct sample taken;
    assert_int_equal(options_read(context, &sample_table, NULL, &taken), RO_OK);
    assert_int_equal(taken.whole, 3);
    assert_string_equal(taken.method, "slow");
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_rows), cmocka_unit_test(rules_name_options),
        cmocka_unit_test(values_come_back),  cmocka_unit_test(defaults_are_not_set),
        cmocka_unit_test(kinds_are_read),    cmocka_unit_test(lists_are_read),
        cmocka_unit_test(rules_hold),        cmocka_unit_test(locales_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

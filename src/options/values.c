/* SPDX-License-Identifier: MIT */
/*
 * Values of options: one reader, one printer and one check for all of them. Numbers are read
 * strictly (the whole text, inside the range) and in the same way in every locale.
 */
#include "options/table.h"

#include "core/misuse.h"
#include "core/names.h"
#include "core/one_line.h"
#include "core/options.h"
#include "roundoff/command.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_word[] = "default";

static const size_t sizes[] = {
    [RO_OPTION_INT] = sizeof(int),      [RO_OPTION_U32] = sizeof(uint32_t),
    [RO_OPTION_U64] = sizeof(uint64_t), [RO_OPTION_REAL] = sizeof(double),
    [RO_OPTION_TEXT] = sizeof(char *),  [RO_OPTION_OTHER] = sizeof(void *),
};

union option_value option_load(const ro_option *option, const void *options)
{
    union option_value value = {0};
    memcpy(&value, (const char *)options + option->offset, sizes[option->kind]);
    return value;
}

static void store(const ro_option *option, void *options, union option_value value)
{
    memcpy((char *)options + option->offset, &value, sizes[option->kind]);
}

static bool is_list(const ro_option *option) { return option->count > 1; }

static bool is_flag(const ro_option *option)
{
    return option->kind == RO_OPTION_INT && !option->argument;
}

static bool is_free_text(const ro_option *option)
{
    return option->kind == RO_OPTION_TEXTS || (option->kind == RO_OPTION_TEXT && !option->words);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

const ro_option *ro_option_at(const ro_option_table *table, int number)
{
    if (ABSENT(table))
        return NULL;
    for (int i = 0; number >= 0 && table->rows[i].name; i++)
        if (i == number)
            return &table->rows[i];
    return NULL;
}

const char *option_spelled(const ro_option *option, char name[RO_OPTION_NAME])
{
    size_t i = 0;
    for (; option->name[i] && i + 1 < RO_OPTION_NAME; i++)
        name[i] = option->name[i] == '_' ? '-' : option->name[i];
    name[i] = 0;
    return name;
}

const ro_option *ro_option_find(const ro_option_table *table, const char *name)
{
    if (ABSENT(table, name))
        return NULL;
    for (const ro_option *row = table->rows; row->name; row++) {
        size_t i = 0;
        while (row->name[i] && (row->name[i] == name[i] || (row->name[i] == '_' && name[i] == '-')))
            i++;
        if (!row->name[i] && !name[i])
            return row;
    }
    return NULL;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static const ro_word flag_words[] = {{.name = "true", .value = 1}, {.name = "false"}, {0}};

static const ro_word *words_of(const ro_option *option)
{
    return is_flag(option) ? flag_words : option->words;
}

static const ro_word *word_named(const ro_option *option, const char *name)
{
    for (const ro_word *word = words_of(option); word && word->name; word++)
        if (ro_name_equal(name, word->name))
            return word;
    return NULL;
}

const ro_word *option_word_of(const ro_option *option, union option_value value)
{
    if (option->kind == RO_OPTION_TEXT)
        return value.text ? word_named(option, value.text) : NULL;
    for (const ro_word *word = words_of(option); word && word->name; word++)
        if ((option->kind == RO_OPTION_INT && word->value == value.whole) ||
            (option->kind == RO_OPTION_U32 && word->value == value.u32) ||
            (option->kind == RO_OPTION_REAL && (double)word->value == value.real))
            return word;
    return NULL;
}

int64_t option_word_value(const ro_option_table *table, const void *options, size_t offset)
{
    const ro_option *row = table->rows;
    while (row->offset != offset)
        row++;
    return option_word_of(row, option_load(row, options))->value;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

static bool has_range(const ro_option *option) { return option->min < option->max; }

static bool in_range(const ro_option *option, union option_value value)
{
    const double number = option->kind == RO_OPTION_INT   ? value.whole
                          : option->kind == RO_OPTION_U32 ? value.u32
                                                          : value.real;
    return option->kind == RO_OPTION_U64 ||
           (has_range(option) && number <= option->max &&
            (option->above_min ? number > option->min : number >= option->min));
}

/* Puts the decimal point of the locale for the only point of `text`, or the other way round. */
static void swap_point(char *text, size_t size, const char *from, const char *to)
{
    char *point = strstr(text, from);
    const size_t tail = point ? strlen(point + strlen(from)) + 1 : 0;
    if (!point || (size_t)(point - text) + strlen(to) + tail > size)
        return;
    memmove(point + strlen(to), point + strlen(from), tail);
    memcpy(point, to, strlen(to));
}

/* Digits, a point and an exponent; the number of characters read, 0: it is no number. */
static size_t read_real(const char *text, double *value)
{
    char copy[80];
    size_t length = *text == '-' || *text == '+', digits = 0;
    for (int points = 0; isdigit((unsigned char)text[length]) || (text[length] == '.' && !points++);
         length++)
        digits += text[length] != '.';
    if ((text[length] | 32) == 'e') {
        size_t more = length + 1 + (text[length + 1] == '-' || text[length + 1] == '+');
        while (isdigit((unsigned char)text[more]))
            length = ++more;
    }
    if (!digits || length + 8 > sizeof copy)
        return 0;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    swap_point(copy, sizeof copy, ".", localeconv()->decimal_point);
    *value = strtod(copy, NULL);
    return length;
}

/* The shortest text that is read back as the same number. */
static const char *print_real(double value, char room[RO_OPTION_MESSAGE])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(room, RO_OPTION_MESSAGE, "%.*g", digits, value);
        if (strtod(room, NULL) == value)
            break;
    }
    swap_point(room, RO_OPTION_MESSAGE, localeconv()->decimal_point, ".");
    return room;
}

/* Whether `text` is empty or a unit; multiplies by the unit. */
static bool take_unit(const ro_option *option, const char *text, double *value)
{
    static const struct {
        const char *unit, *written;
        double times;
    } units[] = {{"%", "%", 1},          {"m", "m", 1},     {"m", "cm", 1e-2},
                 {"m", "mm", 1e-3},      {"m", "um", 1e-6}, {"m", "\u00b5m", 1e-6},
                 {"m", "\u03bcm", 1e-6}, {"m", "nm", 1e-9}};
    if (!*text)
        return true;
    for (size_t i = 0; option->unit && i < sizeof units / sizeof *units; i++)
        if (strcmp(option->unit, units[i].unit) == 0 && strcmp(text, units[i].written) == 0) {
            *value *= units[i].times;
            return true;
        }
    return false;
}

/* The place of a number of a list. */
static char *number_at(const ro_option *option, const void *options, int i)
{
    return (char *)(uintptr_t)options + option->offset + (size_t)i * sizes[option->kind];
}

/* A whole number or any other, by the kind; it may lie outside the range. */
static bool read_number(const ro_option *option, const char *text, union option_value *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const bool whole = option->kind != RO_OPTION_REAL;
    double number;
    char *end;
    if (option->kind == RO_OPTION_U64) {
        errno = 0;
        value->u64 = strtoull(text, &end, 10);
        return isdigit((unsigned char)*text) && errno == 0 && !*end;
    }
    const size_t length = read_real(text, &number);
    if (!length || !take_unit(option, text + length, &number) ||
        (whole && (strspn(digits, "0123456789") + (size_t)(digits - text) < length ||
                   fabs(number) > UINT32_MAX)))
        return false;
    if (!whole)
        value->real = number;
    else if (option->kind == RO_OPTION_INT)
        value->whole = (int)(int64_t)number;
    else
        value->u32 = (uint32_t)(int64_t)number;
    return true;
}

/* ---- Lists of numbers ----------------------------------------------------------------------- */

enum { MOST_NUMBERS = 8 };

static int least_of(const ro_option *option)
{
    return option->least ? option->least : option->count;
}

static union option_value load_number(const ro_option *option, const void *options, int i)
{
    union option_value value = {0};
    memcpy(&value, number_at(option, options, i), sizes[option->kind]);
    return value;
}

static bool is_zero(const ro_option *option, union option_value value)
{
    return option->kind == RO_OPTION_REAL ? value.real == 0 : value.u64 == 0;
}

/* "1,2,3" or "1x2"; numbers that are left out are 0. */
static bool read_list(const ro_option *option, const char *text, void *options)
{
    union option_value numbers[MOST_NUMBERS] = {0};
    int count = 0;
    for (bool more = true; more; text += more) {
        char one[80];
        const size_t length = strcspn(text, ",x");
        if (count == option->count || length >= sizeof one)
            return false;
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (!read_number(option, one, &numbers[count]) || !in_range(option, numbers[count]))
            return false;
        count++;
        text += length;
        more = *text != 0;
    }
    if (count < least_of(option))
        return false;
    for (int i = 0; i < option->count; i++)
        memcpy(number_at(option, options, i), &numbers[i], sizes[option->kind]);
    return true;
}

static bool list_in_range(const ro_option *option, const void *options)
{
    for (int i = 0; i < option->count; i++) {
        const union option_value value = load_number(option, options, i);
        if (!in_range(option, value) && !(i >= least_of(option) && is_zero(option, value)))
            return false;
    }
    return true;
}

static bool list_is_set(const ro_option_table *table, const ro_option *option, const void *options)
{
    return memcmp(number_at(option, options, 0), number_at(option, table->unset, 0),
                  (size_t)option->count * sizes[option->kind]) != 0;
}

/* ---- Reading and printing ------------------------------------------------------------------- */

static bool read_word(const ro_option *option, const char *text, union option_value *value)
{
    const ro_word *word = word_named(option, text);
    if (!word)
        return false;
    if (option->kind == RO_OPTION_TEXT)
        value->text = word->alias ? word->alias : word->name;
    else if (option->kind == RO_OPTION_REAL)
        value->real = (double)word->value;
    else if (option->kind == RO_OPTION_INT)
        value->whole = (int)word->value;
    else
        value->u32 = (uint32_t)word->value;
    return true;
}

static bool is_equal(const ro_option *option, union option_value a, union option_value b)
{
    if (option->kind == RO_OPTION_REAL)
        return a.real == b.real;
    if (option->kind != RO_OPTION_TEXT || !a.text || !b.text)
        return memcmp(&a, &b, sizes[option->kind]) == 0;
    return option->words ? ro_name_equal(a.text, b.text) : strcmp(a.text, b.text) == 0;
}

/* Whether the member has the value that the initialiser leaves. */
static bool is_untouched(const ro_option_table *table, const ro_option *option,
                         union option_value value)
{
    return is_equal(option, value, option_load(option, table->unset));
}

static bool read_value(const ro_option_table *table, const ro_option *option, const char *text,
                       union option_value *value)
{
    if (is_free_text(option)) {
        value->text = text;
        return true;
    }
    if (option->kind == RO_OPTION_OTHER)
        return false;
    if (strcmp(text, default_word) == 0) {
        *value = option_load(option, table->unset);
        return true;
    }
    if (read_word(option, text, value))
        return true;
    return option->kind != RO_OPTION_TEXT && read_number(option, text, value) &&
           (is_untouched(table, option, *value) || in_range(option, *value));
}

int ro_option_is_set(const ro_option_table *table, const ro_option *option, const void *options)
{
    if (ABSENT(table, option, options))
        return 0;
    if (is_list(option))
        return list_is_set(table, option, options);
    if (option->kind == RO_OPTION_TEXTS)
        return ((const ro_texts *)(const void *)((const char *)options + option->offset))->count >
               0;
    const union option_value value = option_load(option, options);
    union option_value preset = {0};
    return !is_untouched(table, option, value) &&
           !(option->preset && read_value(table, option, option->preset, &preset) &&
             is_equal(option, value, preset));
}

static const char *print(const ro_option *option, union option_value value,
                         char room[RO_OPTION_MESSAGE])
{
    const ro_word *word = option_word_of(option, value);
    if (is_flag(option))
        return value.whole ? "true" : "false";
    if (word)
        return word->alias ? word->alias : word->name;
    if (option->kind == RO_OPTION_TEXT)
        return value.text;
    if (option->kind == RO_OPTION_REAL)
        return print_real(value.real, room);
    if (option->kind == RO_OPTION_U64)
        snprintf(room, RO_OPTION_MESSAGE, "%llu", (unsigned long long)value.u64);
    else if (option->kind == RO_OPTION_INT)
        snprintf(room, RO_OPTION_MESSAGE, "%d", value.whole);
    else
        snprintf(room, RO_OPTION_MESSAGE, "%u", value.u32);
    return room;
}

static const char *print_list(const ro_option *option, const void *options,
                              char room[RO_OPTION_MESSAGE])
{
    char one[RO_OPTION_MESSAGE];
    size_t at = 0;
    for (int i = 0; i < option->count; i++) {
        const union option_value value = load_number(option, options, i);
        if (i < least_of(option) || !is_zero(option, value))
            at += (size_t)snprintf(room + at, RO_OPTION_MESSAGE - at, "%s%.32s", i ? "," : "",
                                   print(option, value, one));
    }
    return room;
}

const char *ro_option_text(const ro_option_table *table, const ro_option *option,
                           const void *options, char room[RO_OPTION_MESSAGE])
{
    if (ABSENT(table, option, options, room))
        return NULL;
    if (is_list(option))
        return list_is_set(table, option, options) ? print_list(option, options, room) : NULL;
    if (option->kind == RO_OPTION_OTHER || option->kind == RO_OPTION_TEXTS)
        return NULL;
    const union option_value value = option_load(option, options);
    if (is_flag(option) || !is_untouched(table, option, value))
        return print(option, value, room);
    return option->derived ? NULL : option->preset;
}

enum { MOST_LISTED = 16 }; /* words in a message */

const char *ro_option_allowed(const ro_option *option, char room[RO_OPTION_MESSAGE])
{
    if (ABSENT(option, room))
        return NULL;
    char low[RO_OPTION_MESSAGE], high[RO_OPTION_MESSAGE];
    size_t at = 0, count = 0, shown = 0;
    *room = 0;
    print_real(option->min, low);
    print_real(option->max, high);
    const char *of = option->unit && *option->unit == '%' ? "percentage"
                     : is_list(option)                    ? "numbers"
                                                          : "number";
    char many[32] = "a";
    if (is_list(option))
        snprintf(many, sizeof many, least_of(option) < option->count ? "%d to %d" : "%d",
                 least_of(option), option->count);
    if (option->kind == RO_OPTION_U64)
        at = (size_t)snprintf(room, RO_OPTION_MESSAGE, "a whole number from 0 to 2^64 - 1");
    else if (option->kind == RO_OPTION_TEXTS)
        at = (size_t)snprintf(room, RO_OPTION_MESSAGE, "given at most %d times", RO_MOST_TEXTS);
    else if (has_range(option) && option->kind != RO_OPTION_REAL)
        at = (size_t)snprintf(room, RO_OPTION_MESSAGE, "%s whole %.12s from %.24s to %.24s", many,
                              of, low, high);
    else if (has_range(option))
        at = (size_t)snprintf(room, RO_OPTION_MESSAGE,
                              option->above_min ? "%s %.12s above %.24s, up to %.24s%s"
                                                : "%s %.12s from %.24s to %.24s%s",
                              many, of, low, high,
                              option->unit && *option->unit == 'm' ? " metres, such as 0.5um" : "");
    for (const ro_word *word = words_of(option); word && word->name; word++)
        count += !word->alias;
    if (count > MOST_LISTED) {
        snprintf(room, RO_OPTION_MESSAGE, "one of %zu words", count);
        return room;
    }
    for (const ro_word *word = words_of(option); word && word->name && at < RO_OPTION_MESSAGE;
         word++) {
        if (word->alias)
            continue;
        shown++;
        at += (size_t)snprintf(room + at, RO_OPTION_MESSAGE - at, "%s%s",
                               at == 0          ? ""
                               : shown == count ? " or "
                                                : ", ",
                               word->name);
    }
    return room;
}

/* The sentence that refuses a value, with the nearest word where one is near. */
static void refuse(const ro_option *option, const char *text, char message[RO_OPTION_MESSAGE])
{
    enum { MOST_WORDS = 128 };
    char allowed[RO_OPTION_MESSAGE], name[RO_OPTION_NAME];
    const char *names[MOST_WORDS], *nearest = NULL;
    size_t count = 0;
    for (const ro_word *word = words_of(option); word && word->name && count < MOST_WORDS; word++)
        names[count++] = word->name;
    if (count)
        nearest = ro_name_nearest(text, names, count);
    snprintf(message, RO_OPTION_MESSAGE, "%s %.60s: must be %.240s%s%s%s",
             option_spelled(option, name), *text ? text : "\"\"",
             ro_option_allowed(option, allowed), nearest ? "; did you mean " : "",
             nearest ? nearest : "", nearest ? "?" : "");
    make_one_line(message);
}

ro_status ro_option_set(const ro_option_table *table, const ro_option *option, void *options,
                        const char *text, char message[RO_OPTION_MESSAGE])
{
    if (ABSENT(table, option, options, text, message))
        return RO_E_ARGUMENT;
    char room[RO_OPTION_MESSAGE];
    union option_value value = {0};
    ro_texts *texts = (ro_texts *)(void *)((char *)options + option->offset);
    if (is_list(option)) {
        if (strcmp(text, default_word) == 0)
            memcpy(number_at(option, options, 0), number_at(option, table->unset, 0),
                   (size_t)option->count * sizes[option->kind]);
        else if (!read_list(option, text, options)) {
            refuse(option, text, message);
            return RO_E_ARGUMENT;
        }
        return RO_OK;
    }
    if (!read_value(table, option, text, &value) ||
        (option->kind == RO_OPTION_TEXTS && texts->count == RO_MOST_TEXTS)) {
        const bool number = option->kind == RO_OPTION_REAL && read_number(option, text, &value);
        refuse(option, number ? print(option, value, room) : text, message);
        return RO_E_ARGUMENT;
    }
    if (option->kind == RO_OPTION_TEXTS)
        texts->text[texts->count++] = text;
    else
        store(option, options, value);
    return RO_OK;
}

/* ---- Structures ----------------------------------------------------------------------------- */

/* Whether a caller's value is allowed; a word becomes its usual spelling. */
static bool take_value(const ro_option_table *table, const ro_option *option,
                       union option_value *value)
{
    if (option->kind == RO_OPTION_TEXT)
        return !value->text || read_value(table, option, value->text, value);
    return option->kind == RO_OPTION_TEXTS || option->kind == RO_OPTION_OTHER || is_flag(option) ||
           option_word_of(option, *value) || in_range(option, *value);
}

void ro_options_fill(const ro_option_table *table, void *options)
{
    char message[RO_OPTION_MESSAGE];
    for (const ro_option *row = ABSENT(table, options) ? NULL : table->rows; row && row->name;
         row++)
        if (row->preset && !row->derived && !ro_option_is_set(table, row, options))
            ro_option_set(table, row, options, row->preset, message);
}

ro_status options_read(ro_context *context, const ro_option_table *table, const void *given,
                       void *taken)
{
    memcpy(taken, table->unset, table->size);
    ro_status status = take_options(context, given, taken, table->initialiser);
    if (status != RO_OK)
        return status;
    for (const ro_option *row = table->rows; row->name; row++) {
        char message[RO_OPTION_MESSAGE], room[RO_OPTION_MESSAGE];
        if (is_list(row)) {
            if (list_is_set(table, row, taken) && !list_in_range(row, taken)) {
                refuse(row, print_list(row, taken, room), message);
                return ro_context_fail(context, RO_E_ARGUMENT, "%s", message);
            }
            continue;
        }
        union option_value value = option_load(row, taken);
        if (is_untouched(table, row, value)) {
            if (row->preset && !row->derived)
                read_value(table, row, row->preset, &value);
        } else if (!take_value(table, row, &value)) {
            refuse(row, print(row, value, room), message);
            return ro_context_fail(context, RO_E_ARGUMENT, "%s", message);
        }
        store(row, taken, value);
    }
    return RO_OK;
}

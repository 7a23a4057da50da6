/* SPDX-License-Identifier: MIT */
/* Rules between options: what a method takes, and what one option needs of another. */
#include "core/misuse.h"
#include "options/table.h"

#include "core/misuse.h"
#include "roundoff/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The options of one check. */
struct check {
    const ro_option_table *table;
    const void *given, *resolved;
    char *message; /* RO_OPTION_MESSAGE bytes */
};

static ro_status refuse(const struct check *check, const char *format, ...) RO_PRINTF(2, 3);
static ro_status refuse(const struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->message, RO_OPTION_MESSAGE, format, arguments);
    va_end(arguments);
    return RO_E_ARGUMENT;
}

/* One condition of a list: "name" or "name=value,value". */
struct condition {
    const ro_option *option;
    const char *values; /* NULL: the option must be set */
    size_t length;
};

static const ro_option *option_named(const ro_option_table *table, const char *name, size_t length)
{
    char copy[RO_OPTION_NAME];
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    return ro_option_find(table, copy);
}

/* Reads a condition and returns what follows it; NULL: there is none. */
static const char *next_condition(const ro_option_table *table, const char *list,
                                  struct condition *condition)
{
    if (!list)
        return NULL;
    list += strspn(list, " ");
    const size_t all = strcspn(list, " "), name = strcspn(list, " =");
    *condition =
        (struct condition){option_named(table, list, name), name < all ? list + name + 1 : NULL,
                           name < all ? all - name - 1 : 0};
    return all ? list + all : NULL;
}

static const char *value_of(const struct check *check, const ro_option *option,
                            char room[RO_OPTION_MESSAGE])
{
    const char *text = ro_option_text(check->table, option, check->resolved, room);
    return text ? text : "default";
}

static bool holds(const struct check *check, const struct condition *condition)
{
    char room[RO_OPTION_MESSAGE];
    if (!condition->values)
        return ro_option_is_set(check->table, condition->option, check->given);
    const char *now = value_of(check, condition->option, room);
    const char *at = condition->values, *end = at + condition->length;
    while (at < end) {
        const size_t length = strcspn(at, ", ");
        if (strlen(now) == length && memcmp(now, at, length) == 0)
            return true;
        at += length + 1;
    }
    return false;
}

/* "a, b or c" for "a,b,c". */
static const char *listed(const struct condition *condition, char room[RO_OPTION_MESSAGE])
{
    size_t at = 0, last = 0;
    for (size_t i = 0; i < condition->length; i++)
        last = condition->values[i] == ',' ? i : last;
    for (size_t i = 0; i < condition->length && at + 5 < RO_OPTION_MESSAGE; i++)
        if (condition->values[i] == ',')
            at += (size_t)snprintf(room + at, 5, i == last ? " or " : ", ");
        else
            room[at++] = condition->values[i];
    room[at] = 0;
    return room;
}

/* `word` is the word of the option that has the needs; NULL: the option itself has them. */
static ro_status check_needs(const struct check *check, const ro_option *option,
                             const ro_word *word)
{
    struct condition condition;
    char name[RO_OPTION_NAME], other[RO_OPTION_NAME], values[RO_OPTION_MESSAGE],
        now[RO_OPTION_MESSAGE];
    const char *needs = word ? word->needs : option->needs;
    while ((needs = next_condition(check->table, needs, &condition))) {
        if (holds(check, &condition))
            continue;
        option_spelled(option, name);
        option_spelled(condition.option, other);
        const char *space = word ? " " : "", *said = word ? word->name : "";
        if (!condition.values)
            return refuse(check, "%s%s%s needs %s", name, space, said, other);
        return refuse(check, "%s%s%s needs %s %s, not %s", name, space, said, other,
                      listed(&condition, values), value_of(check, condition.option, now));
    }
    return RO_OK;
}

static ro_status check_excludes(const struct check *check, const ro_option *option)
{
    struct condition condition;
    char name[RO_OPTION_NAME], other[RO_OPTION_NAME], now[RO_OPTION_MESSAGE];
    const char *list = option->excludes;
    while ((list = next_condition(check->table, list, &condition))) {
        if (!holds(check, &condition))
            continue;
        option_spelled(option, name);
        option_spelled(condition.option, other);
        if (!condition.values)
            return refuse(check, "%s and %s exclude each other", name, other);
        return refuse(check, "%s does not apply to %s %s", name, other,
                      value_of(check, condition.option, now));
    }
    return RO_OK;
}

int ro_option_applies(const ro_option_table *table, const ro_option *option, const char *method)
{
    if (ABSENT(table, option) || (option->trait && ABSENT(table->traits, method)))
        return 0;
    return !option->trait || (table->traits(method) & option->trait) != 0;
}

static ro_status check_option(const struct check *check, const ro_option *option)
{
    char name[RO_OPTION_NAME], of[RO_OPTION_NAME], room[RO_OPTION_MESSAGE];
    if (option->trait) {
        const ro_option *method = ro_option_find(check->table, check->table->method);
        const char *now = value_of(check, method, room);
        if (!ro_option_applies(check->table, option, now))
            return refuse(check, "%s does not apply to %s %s", option_spelled(option, name),
                          option_spelled(method, of), now);
    }
    ro_status status = check_needs(check, option, NULL);
    const ro_word *word = option_word_of(option, option_load(option, check->given));
    if (status == RO_OK && word)
        status = check_needs(check, option, word);
    return status == RO_OK ? check_excludes(check, option) : status;
}

static ro_status check_all(const struct check *check)
{
    ro_status status = RO_OK;
    for (const ro_option *row = check->table->rows; row->name && status == RO_OK; row++)
        if (ro_option_is_set(check->table, row, check->given))
            status = check_option(check, row);
    return status;
}

ro_status ro_options_check(const ro_option_table *table, const void *options,
                           char message[RO_OPTION_MESSAGE])
{
    if (ABSENT(table, options, message))
        return RO_E_ARGUMENT;
    return check_all(&(struct check){table, options, options, message});
}

ro_status options_check(ro_context *context, const ro_option_table *table, const void *given,
                        const void *resolved)
{
    char message[RO_OPTION_MESSAGE];
    const ro_status status = check_all(&(struct check){table, given, resolved, message});
    return status == RO_OK ? RO_OK : ro_context_fail(context, status, "%s", message);
}

/* SPDX-License-Identifier: MIT */
/*
 * roundoff --describe: every option as JSON, once. tools/describe.py makes the option sections of
 * the manual, docs/options.md, completions and Python's stubs from it.
 *
 *     {"common": [rows], "families": {NAME: {"structure", "method", "options": [rows]}},
 *      "commands": {NAME: {"operands", "summary", "families": [names], "with": [names],
 *                          "without": [names], "options": [rows], "common": [names]}}}
 *
 * A command takes the options of its families but for those of which it has a row itself, and those
 * without help, which no text can set. If it has "with", it takes only those of these names, and
 * none of "without".
 */
#include "cli/common/cli.h"
#include "roundoff/command.h"

#include <stdarg.h>
#include <string.h>

static void put(const char *format, ...) RO_PRINTF(1, 2);
static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

static void put_text(const char *name, const char *text)
{
    if (!text)
        return;
    put(", \"%s\": ", name);
    json_string(stdout, text);
}

static void put_words(const ro_option *row)
{
    const char *between = ", \"words\": [";
    for (const ro_word *word = row->words; word && word->name; word++, between = ", ") {
        put("%s{\"name\": \"%s\"", between, word->name);
        put_text("alias", word->alias);
        put_text("needs", word->needs);
        put_text("help", word->help);
        put("}");
    }
    put("%s", row->words ? "]" : "");
}

static void put_methods_that(const char *name, const ro_option_table *table, const ro_option *row,
                             bool applies)
{
    const char *between = "";
    put(", \"%s\": [", name);
    for (const ro_word *word = ro_option_find(table, table->method)->words; word->name; word++)
        if (!word->alias && (bool)ro_option_applies(table, row, word->name) == applies) {
            put("%s\"%s\"", between, word->name);
            between = ", ";
        }
    put("]");
}

/* The methods that an option applies to, and the others, unless it applies to all. */
static void put_methods(const ro_option_table *table, const ro_option *row)
{
    if (!row->trait)
        return;
    put_text("method", table->method);
    put_methods_that("applies", table, row, true);
    put_methods_that("spares", table, row, false);
}

/* The value of a member that was left out, as C has it. */
static void put_unset(const ro_option_table *table, const ro_option *row)
{
    double number = 0;
    const char *place = (const char *)table->unset + row->offset;
    if (row->kind == RO_OPTION_REAL)
        memcpy(&number, place, sizeof number);
    else if (row->kind == RO_OPTION_INT || row->kind == RO_OPTION_U32) {
        int whole;
        memcpy(&whole, place, sizeof whole);
        number = whole;
    }
    if (row->kind <= RO_OPTION_TEXT)
        put(", \"unset\": \"%s\"", row->kind == RO_OPTION_TEXT ? "NULL"
                                   : number == RO_DEFAULT      ? "RO_DEFAULT"
                                                               : "0");
}

static void put_row(const ro_option_table *table, const ro_option *row)
{
    static const char *const kinds[] = {"int", "u32", "u64", "real", "text", "texts", "other"};
    const bool flag = row->kind == RO_OPTION_INT && !row->argument;
    char allowed[RO_OPTION_MESSAGE];
    put("{\"name\": \"%s\", \"type\": \"%s\"", row->name, flag ? "flag" : kinds[row->kind]);
    put_text("argument", row->argument);
    put_text("help", row->help);
    put_text("topic", row->topic);
    if (!flag && *ro_option_allowed(row, allowed))
        put_text("allowed", allowed);
    if (row->min < row->max)
        put(", \"min\": %.17g, \"max\": %.17g", row->min, row->max);
    if (row->count > 1)
        put(", \"count\": %d", row->count);
    put_text("unit", row->unit);
    put_text("default", row->preset);
    put_text("derived", row->derived);
    put_unset(table, row);
    put_words(row);
    put_methods(table, row);
    put_text("needs", row->needs);
    put_text("excludes", row->excludes);
    put_text("more", row->more);
    put("%s}", row->writes ? ", \"writes\": true" : "");
}

static void put_rows(const char *name, const ro_option_table *table)
{
    const ro_option *row;
    put("\"%s\": [", name);
    for (int i = 0; table && (row = ro_option_at(table, i)); i++) {
        put("%s", i ? ",\n  " : "\n  ");
        put_row(table, row);
    }
}

static void put_names(const char *name, const char *const *names)
{
    if (!names)
        return;
    put("\"%s\": [", name);
    for (const char *const *at = names; *at; at++)
        put("%s\"%s\"", at > names ? ", " : "", *at);
    put("], ");
}

static void put_command(const struct command *command)
{
    const ro_option *row;
    const char *between = "";
    put("\"%s\": {\"operands\": \"%s\"", command->name, command->operands);
    put_text("summary", command->summary);
    put(", \"families\": [");
    for (const struct command_family *of = command->families; of->name; of++, between = ", ")
        put("%s\"%s\"", between, of->name);
    put("], ");
    put_names("with", command->with);
    put_names("without", command->without);
    put_rows("options", command->own);
    put("], \"common\": [");
    between = "";
    for (int i = 0; (row = ro_option_at(&common_table, i)); i++)
        if (command->common & 1u << i) {
            put("%s\"%s\"", between, row->name);
            between = ", ";
        }
    put("]}");
}

int describe(void)
{
    const ro_option_table *table;
    put("{");
    put_rows("common", &common_table);
    put("],\n\"families\": {");
    for (int i = 0; (table = ro_options_at(i)); i++) {
        put("%s\"%s\": {\"structure\": \"%s\"", i ? ",\n" : "\n", table->name, table->structure);
        put_text("method", table->method);
        put(", ");
        put_rows("options", table);
        put("]}");
    }
    put("},\n\"commands\": {");
    for (int i = 0; commands[i]; i++) {
        put("%s", i ? ",\n" : "\n");
        put_command(commands[i]);
    }
    put("}}\n");
    return finish_stdout();
}

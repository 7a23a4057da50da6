/* SPDX-License-Identifier: MIT */
/*
 * The parser of command lines. Numbers are read strictly (the whole text, inside the range), a
 * misspelt option names the nearest that the command has, and an option of another command is told
 * apart from one that nobody has: nothing is ignored.
 */
#include "cli/common/options.h"

#include "cli/common/cli.h"
#include "cli/common/shared_rows.h"
#include "roundoff/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HELP_COLUMN = 20 };

#define MEMBER(member) RO_MEMBER(struct common, member)

static const ro_option common_rows[] = {
    {MEMBER(device), "D", "where to compute", .preset = "auto",
     .words = RO_WORDS({.name = "auto", .value = RO_DEVICE_AUTO},
                       {.name = "cpu", .value = RO_DEVICE_CPU},
                       {.name = "cuda", .value = RO_DEVICE_CUDA})},
    {MEMBER(threads), "N", "worker threads", .min = 1, .max = RO_MAX_THREADS,
     .derived = "one per core"},
    {MEMBER(cpu), "V", "instruction set", .preset = "auto",
     .words = RO_WORDS(
         {.name = "auto", .value = RO_CPU_AUTO}, {.name = "scalar", .value = RO_CPU_SCALAR},
         {.name = "v128", .value = RO_CPU_V128}, {.name = "avx2", .value = RO_CPU_AVX2},
         {.name = "avx512", .value = RO_CPU_AVX512})},
    {MEMBER(seed), ROW_SEED},
    {MEMBER(quiet), NULL, "print nothing but errors"},
    {MEMBER(json), NULL, "report as JSON"},
    {MEMBER(certificate), "F", "state what was done, for roundoff verify", .writes = 1},
    {MEMBER(strict), NULL, "fail if any part of a picture would be dropped", .topic = "files"},
    {MEMBER(limit_memory), "MB", "megabytes that an image or a buffer may take", .topic = "files",
     .min = 1, .max = 1e12, .derived = "three quarters of the memory"},
    {MEMBER(limit_pixels), "N", "pixels of a page that is read", .topic = "files", .min = 1,
     .max = 1e15, .derived = "none, but packed files may not unpack to 1000 times their size"},
    {0},
};

static const struct common common_unset;

const ro_option_table common_table = {
    .name = "common", .rows = common_rows, .unset = &common_unset, .size = sizeof common_unset};

bool is_among(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Adds an option in the command's words, if the command takes it. */
static void add_option(const struct command *command, const struct option *option,
                       struct option_list *list)
{
    if (command->with ? !is_among(option->name, command->with)
                      : is_among(option->name, command->without))
        return;
    struct option *added = &list->at[list->count++];
    *added = *option;
    for (const struct option_words *words = command->words; words && words->name; words++)
        if (strcmp(option->name, words->name) == 0) {
            added->help = words->help ? words->help : option->help;
            added->topic = words->topic ? words->topic : option->topic;
        }
}

static void add_row(const struct command *command, const ro_option_table *table,
                    const ro_option *row, size_t offset, struct option_list *list)
{
    char *name = list->names[list->count];
    snprintf(name, OPTION_NAME, "%s", row->name);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    add_option(command,
               &(struct option){.name = name,
                                .argument = row->argument,
                                .help = row->help,
                                .topic = row->topic,
                                .row = row,
                                .table = table,
                                .offset = offset},
               list);
}

void options_list(const struct command *command, struct option_list *list)
{
    static const struct command takes_all;
    const ro_option *row;
    list->count = 0;
    for (const struct command_family *of = command->families; of->name; of++) {
        const ro_option_table *table = ro_options_of(of->name);
        for (int i = 0; (row = ro_option_at(table, i)); i++)
            if (row->help && !(command->own && ro_option_find(command->own, row->name)))
                add_row(command, table, row, of->offset, list);
    }
    for (int i = 0; command->own && (row = ro_option_at(command->own, i)); i++)
        add_row(command, command->own, row, 0, list);
    for (int i = 0; command->more && (row = ro_option_at(command->more, i)); i++)
        add_row(command, command->more, row, command->more_offset, list);
    for (int i = 0; (row = ro_option_at(&common_table, i)); i++)
        if (command->common & 1u << i)
            add_row(&takes_all, &common_table, row, 0, list);
}

const char *option_given_text(const struct option *option, const void *values)
{
    const char *place = (const char *)values + option->offset + option->row->offset;
    const bool text = option->row->kind == RO_OPTION_TEXT && !option->row->words;
    return text ? *(const char *const *)(const void *)place : NULL;
}

/* Option names are exact: "--dpi" is not "--d-p-i". */
static const struct option *find_in(const struct option_list *list, const char *name, size_t length)
{
    for (int i = 0; i < list->count; i++)
        if (strlen(list->at[i].name) == length && memcmp(list->at[i].name, name, length) == 0)
            return &list->at[i];
    return NULL;
}

static bool has_option(const struct command *command, const char *name, size_t length)
{
    struct option_list list;
    options_list(command, &list);
    return find_in(&list, name, length) != NULL;
}

/* What other programs call it. */
static const char *called_elsewhere(const struct command *command, const char *name)
{
    static const char *const others[][2] = {
        {"--width", "resize"},     {"--height", "resize"},  {"--size", "resize"},
        {"--scale", "resize"},     {"--dither", "method"},  {"--algorithm", "method"},
        {"--matrix", "method"},    {"--colors", "palette"}, {"--colours", "palette"},
        {"--recolor", "recolour"}, {"--output", NULL},      {"--version", NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0) {
            const char *own = others[i][1];
            return !own ? "" : has_option(command, own, strlen(own)) ? own : NULL;
        }
    return NULL;
}

static int unknown_option(const struct command *command, const char *argument, size_t length)
{
    int shown = (int)length;
    struct option_list list;
    options_list(command, &list);
    for (int i = 0; commands[i]; i++)
        if (length > 2 && has_option(commands[i], argument + 2, length - 2))
            return usage_error(command, "%.*s does not apply to %s", shown, argument,
                               command->name);
    const char *names[MOST_OPTIONS];
    for (int i = 0; i < list.count; i++)
        names[i] = list.at[i].name;
    char name[64];
    snprintf(name, sizeof name, "%.*s", shown, argument);
    const char *nearest = called_elsewhere(command, name);
    if (!nearest)
        nearest = ro_name_nearest(name, names, (size_t)list.count);
    if (nearest && *nearest)
        return usage_error(command, "unknown option %.*s, did you mean --%s?", shown, argument,
                           nearest);
    return usage_error(command, "unknown option %.*s", shown, argument);
}

/* Digits only: strtol would also take spaces and signs. */
static bool read_whole(const char *text, const char **end, long *value)
{
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    char *stop;
    *value = strtol(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

bool size_parse(const char *text, uint32_t most, struct size *size)
{
    long width, height;
    const char *end;
    if (!read_whole(text, &end, &width) || (*end != 'x' && *end != 'X') ||
        !read_whole(end + 1, &end, &height) || *end)
        return false;
    if (width < 1 || width > (long)most || height < 1 || height > (long)most)
        return false;
    *size = (struct size){(uint32_t)width, (uint32_t)height};
    return true;
}

bool size_read(const struct command *command, const char *text, uint32_t most, struct size *size)
{
    if (size_parse(text, most, size))
        return true;
    usage_error(command, "size %s: must be WxH, such as 640x480, each from 1 to %u",
                *text ? text : "\"\"", most);
    return false;
}

static bool store(const struct command *command, const struct option *option, const char *text,
                  void *values)
{
    char message[RO_OPTION_MESSAGE];
    void *structure = (char *)values + option->offset;
    if (ro_option_set(option->table, option->row, structure, text, message) == RO_OK)
        return true;
    usage_error(command, "%s", message);
    return false;
}

/* Whether `topics`, separated by spaces, or NULL, has a topic. */
static bool names_topic(const char *topics, const char *topic)
{
    const size_t length = strlen(topic);
    for (; topics && *topics; topics += strspn(topics, " ")) {
        const size_t size = strcspn(topics, " ");
        if (size == length && memcmp(topics, topic, length) == 0)
            return true;
        topics += size;
    }
    return false;
}

/* The name of a topic of the command's options, or NULL. */
static const char *find_topic(const struct command *command, const char *name)
{
    struct option_list list;
    options_list(command, &list);
    for (int i = 0; i < list.count; i++)
        if (names_topic(list.at[i].topic, name))
            return name;
    return NULL;
}

/* Prints words in lines of 80 columns; the first begins where the others are indented to. */
static void print_wrapped(FILE *file, const char *text, int indent)
{
    enum { WIDTH = 80 };
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            column += fprintf(file, " ");
        }
        column += fprintf(file, "%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void list_topics(const struct command *command, FILE *file)
{
    struct option_list list;
    options_list(command, &list);
    char topics[512] = "";
    size_t used = 0;
    for (int i = 0; i < list.count; i++)
        for (const char *at = list.at[i].topic; at && *at; at += strspn(at, " ")) {
            char topic[32];
            bool listed = false;
            const int length = (int)strcspn(at, " ");
            snprintf(topic, sizeof topic, "%.*s", length, at);
            at += length;
            for (int k = 0; k < i && !listed; k++)
                listed = names_topic(list.at[k].topic, topic);
            if (!listed && used < sizeof topics)
                used += (size_t)snprintf(topics + used, sizeof topics - used, "%s%s",
                                         used ? ", " : "", topic);
        }
    if (used) {
        const int column = fprintf(file, "\nBy topic: --help ") - 1;
        print_wrapped(file, topics, column);
    }
}

/* Two, or as many as the usage line has words: a command says itself that one or none are wanted.
 */
static int most_operands(const struct command *command)
{
    int words = 0;
    if (strstr(command->operands, "..."))
        return MAX_OPERANDS;
    for (const char *c = command->operands; *c; c += strcspn(c, " "), c += strspn(c, " "))
        words++;
    words -= command->verb != NULL;
    return words < 2 ? 2 : words < MAX_OPERANDS ? words : MAX_OPERANDS;
}

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return strcmp(a, b) == 0;
}

/* A file that is written beside the output is no other file of the command. */
static bool files_are_apart(const struct command *command, const void *values,
                            const struct operands *operands)
{
    struct option_list list;
    options_list(command, &list);
    const char *text[MOST_OPTIONS] = {0};
    for (int i = 0; i < list.count; i++)
        text[i] = option_given_text(&list.at[i], values);
    for (int i = 0; i < list.count; i++) {
        if (!list.at[i].row->writes || !text[i])
            continue;
        for (int k = 0; k < operands->count; k++) {
            const char *path = operands->path[k];
            const bool out = k == operands->count - 1 && strstr(command->operands, "OUT");
            if (same_file(text[i], path) && (out || strcmp(path, "-") != 0)) {
                usage_error(command, "--%s and %s are the same file", list.at[i].name, path);
                return false;
            }
        }
        for (int k = 0; k < list.count; k++)
            if (k != i && text[k] && same_file(text[i], text[k])) {
                usage_error(command, "--%s and --%s are the same file, %s", list.at[i].name,
                            list.at[k].name, text[i]);
                return false;
            }
    }
    return true;
}

enum parsed options_parse(const struct command *command, int argc, char **argv, void *values,
                          struct operands *operands)
{
    struct option_list list;
    options_list(command, &list);
    bool ended = false, given[MOST_OPTIONS] = {0};
    *operands = (struct operands){0};
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (ended || argument[0] != '-' || strcmp(argument, "-") == 0) {
            if (operands->count == most_operands(command)) {
                usage_error(command, "%s is one name too many", argument);
                return PARSED_ERROR;
            }
            operands->path[operands->count++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            options_help(command, find_topic(command, i + 1 < argc ? argv[i + 1] : ""), stdout);
            return PARSED_HELP;
        }
        size_t length = strcspn(argument, "=");
        const struct option *option =
            argument[1] == '-' ? find_in(&list, argument + 2, length - 2) : NULL;
        if (!option) {
            unknown_option(command, argument, length);
            return PARSED_ERROR;
        }
        const char *value = argument[length] ? argument + length + 1 : NULL;
        if (given[option - list.at] && option->row->kind != RO_OPTION_TEXTS) {
            usage_error(command, "--%s is given twice", option->name);
            return PARSED_ERROR;
        }
        given[option - list.at] = true;
        if (!option->argument && !value)
            value = "true";
        if (!value && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
            value = argv[++i];
        if (!value) {
            usage_error(command, "--%s needs a value", option->name);
            return PARSED_ERROR;
        }
        if (!store(command, option, value, values))
            return PARSED_ERROR;
    }
    char message[RO_OPTION_MESSAGE];
    if (command->own)
        ro_options_fill(command->own, values);
    if (command->own && ro_options_check(command->own, values, message) != RO_OK) {
        usage_error(command, "%s", message);
        return PARSED_ERROR;
    }
    return files_are_apart(command, values, operands) ? PARSED : PARSED_ERROR;
}

bool options_take(const struct command *command, int argc, char **argv, void *values,
                  struct operands *operands, int *ended)
{
    enum parsed parsed = options_parse(command, argc, argv, values, operands);
    *ended = parsed == PARSED_HELP ? finish_stdout() : EXIT_BAD_USAGE;
    return parsed == PARSED;
}

static bool has_topic(const struct option *option, const char *topic)
{
    if (!topic)
        return !option->topic;
    return names_topic(option->topic, topic);
}

/* What a row says beside its sentence: its words and its default. */
static void say_row(const ro_option *row, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", row->help);
    const char *between = ": ";
    bool shown = false;
    char allowed[RO_OPTION_MESSAGE];
    const bool many = strstr(ro_option_allowed(row, allowed), "one of ") != NULL;
    for (const ro_word *word = row->words; word && word->name && at < size && !many; word++)
        if (!word->alias) {
            const bool preset = row->preset && strcmp(row->preset, word->name) == 0;
            shown |= preset;
            at += (size_t)snprintf(text + at, size - at, "%s%s%s", between, word->name,
                                   preset ? " (default)" : "");
            between = ", ";
        }
    if (at < size && (row->derived || (row->preset && !shown)))
        snprintf(text + at, size - at, " (default: %s)", row->derived ? row->derived : row->preset);
}

void options_help(const struct command *command, const char *topic, FILE *file)
{
    char usage[256];
    snprintf(usage, sizeof usage, "%s %s %s [options]", program.name, command->name,
             command->operands);
    print_wrapped(file, usage, fprintf(file, "Usage: "));
    if (topic)
        fprintf(file, "Options for %s:\n\n", topic);
    else
        fprintf(file, "%c%s.\n\n", toupper((unsigned char)command->summary[0]),
                command->summary + 1);
    struct option_list list;
    options_list(command, &list);
    for (int i = 0; i < list.count; i++) {
        if (!has_topic(&list.at[i], topic))
            continue;
        const char *argument = list.at[i].argument;
        int column = fprintf(file, "  --%s%s%s", list.at[i].name, argument ? " " : "",
                             argument ? argument : "");
        fprintf(file, "%*s", column < HELP_COLUMN ? HELP_COLUMN - column : 1, "");
        char text[RO_OPTION_MESSAGE];
        const ro_option *row = list.at[i].row;
        if (list.at[i].help == row->help) {
            say_row(row, text, sizeof text);
            print_wrapped(file, text, HELP_COLUMN);
        } else {
            fprintf(file, "%s\n", list.at[i].help);
        }
    }
    if (topic)
        return;
    list_topics(command, file);
    fprintf(file, "\nExamples:\n");
    for (int i = 0; command->examples[i]; i++)
        fprintf(file, "  %s\n", command->examples[i]);
}

bool first_set(const struct command *command, const void *values, const char *const *names,
               bool others, char name[OPTION_NAME])
{
    struct option_list list;
    options_list(command, &list);
    for (int i = 0; i < list.count; i++) {
        const struct option *option = &list.at[i];
        if (is_among(option->name, names) == others || (others && option->table == &common_table) ||
            !ro_option_is_set(option->table, option->row, (const char *)values + option->offset))
            continue;
        snprintf(name, OPTION_NAME, "%s", option->name);
        return true;
    }
    return false;
}

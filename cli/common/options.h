/* SPDX-License-Identifier: MIT */
/* Long options, described by tables: --name value, --name=value, flags; "--" ends them. */
#ifndef RO_CLI_COMMON_OPTIONS_H
#define RO_CLI_COMMON_OPTIONS_H

#include "roundoff.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct size {
    uint32_t width, height;
};

/* An option of a command: a row, and where the structure of its table lies in the command's
 * values. */
struct option {
    const char *name;         /* without the dashes in front */
    const char *argument;     /* as --help shows it; NULL for a flag */
    const char *help, *topic; /* in the command's words */
    const ro_option *row;
    const ro_option_table *table;
    size_t offset;
};

/* Other words for an option in --help; NULL: as its row has it. */
struct option_words {
    const char *name, *help, *topic;
};

/* Options of several commands. A command's structure of values begins with this one. */
struct common {
    ro_device device;
    int threads;
    ro_cpu cpu;
    uint64_t seed;
    int quiet, json;
    const char *certificate;
    int strict;
    double limit_memory, limit_pixels;
};
extern const ro_option_table common_table; /* its rows in the order of the COMMON_ bits */
enum {
    COMMON_DEVICE = 1 << 0,
    COMMON_THREADS = 1 << 1,
    COMMON_CPU = 1 << 2,
    COMMON_SEED = 1 << 3,
    COMMON_QUIET = 1 << 4,
    COMMON_JSON = 1 << 5,
    COMMON_CERTIFICATE = 1 << 6,
    COMMON_STRICT = 7 << 7, /* with the limits: for commands that read files */
};

enum { MAX_OPERANDS = 16384 };
struct operands {
    int count;
    const char *path[MAX_OPERANDS];
};

/* What a parse ends with: go on, or leave with an exit status (--help, or an error already told).
 */
enum parsed { PARSED, PARSED_HELP, PARSED_ERROR };

struct command;

/* Reads WxH, each side from 1 to `most`. Returns false if `text` is something else. */
bool size_parse(const char *text, uint32_t most, struct size *size);
/* Does the same, and prints an error if `text` is something else. */
bool size_read(const struct command *command, const char *text, uint32_t most, struct size *size);

enum parsed options_parse(const struct command *command, int argc, char **argv, void *values,
                          struct operands *operands);

/* Whether two names mean one file; what is no plain file, such as /dev/null, may be named twice. */
bool same_file(const char *a, const char *b);

/* The same for a command's run: false where it ends here, with help or a wrong option, and *ended
 * is its exit status. */
bool options_take(const struct command *command, int argc, char **argv, void *values,
                  struct operands *operands, int *ended);

/* The options a command takes: those of the library, of which its own hide
 * the ones of the same name, its own, and the common ones. */
enum { MOST_OPTIONS = 96, OPTION_NAME = 32 };
struct option_list {
    int count;
    struct option at[MOST_OPTIONS];
    char names[MOST_OPTIONS][OPTION_NAME]; /* of rows, with "-" for "_" */
};
void options_list(const struct command *command, struct option_list *list);

/* The first option that is set of those named; `others`: of all but those and the common ones.
 * False: none is. */
bool first_set(const struct command *command, const void *values, const char *const *names,
               bool others, char name[OPTION_NAME]);

/* Whether a name is in a list that ends with NULL; no list has no names. */
bool is_among(const char *name, const char *const *names);

/* The text that an option without words was given; NULL: none, or it is no such option. */
const char *option_given_text(const struct option *option, const void *values);

/* The options of a topic; NULL: those without one, the names of the topics, and the examples. */
void options_help(const struct command *command, const char *topic, FILE *file);

#endif

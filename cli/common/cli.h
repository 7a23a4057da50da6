/* SPDX-License-Identifier: MIT */
/*
 * What the commands share: the table entry of a command, and the one way to fail.
 *
 * A command is a row of data (name, operands, options, examples) and a function. --help, the check
 * of options and the suggestions for misspelt ones are all made from the row.
 */
#ifndef RO_CLI_COMMON_CLI_H
#define RO_CLI_COMMON_CLI_H

#include "cli/common/options.h"
#include "io/json/json_write.h"
#include "roundoff.h"
#include "roundoff/library.h"

#include <stdio.h>

enum {
    EXIT_BAD_USAGE = 2,
    EXIT_USELESS = 3, /* the method ran to its end, but what it found is of no use */
};

struct certificate;

enum { MOST_FAMILIES = 6 };
struct command {
    const char *name;
    const char *operands;        /* as in the usage line, "IN OUT" */
    const char *summary;         /* one line, in the list of commands and in --help */
    const ro_option_table *own;  /* its own, members of its values; or NULL */
    const ro_option_table *more; /* further ones, of the structure behind its values; or NULL */
    size_t more_offset;
    struct command_family {
        const char *name; /* of the library's table */
        size_t offset;    /* of the structure in the command's values */
    } families[MOST_FAMILIES + 1];
    const char *const *with; /* the only options that it takes beside the common ones; NULL: all */
    const char *const *without; /* those that it does not take, or NULL; both lists end with NULL */
    const struct option_words *words; /* ended by one without a name; or NULL */
    unsigned common;                  /* the common options it takes, bits of COMMON_... */
    const char *const *examples;      /* two command lines, then NULL */
    int (*run)(const struct command *command, int argc, char **argv); /* the exit status */

    /* For commands with --certificate; see cli/certificate/certificate.h. */
    const char *verb;     /* the word before the operands, such as "make"; NULL: none */
    int files;            /* how many of the operands are files, the last ones; 0: all of them */
    const void *defaults; /* the structure of values before anything is parsed */
    size_t values_size;
    /* States what the files and the values give: hashes and exact integers. */
    ro_status (*certify)(struct certificate *to, const void *values, const struct operands *files);
    /* Arguments that make a run use the plain code, ended by NULL; "!name" leaves an option out.
     * Without it there is no OUT to make again. */
    const char *const *(*reference)(const void *values);
};

/* What a program is called and says of itself; each has one, and a list of commands. */
struct program {
    const char *name, *summary;
    const char *names;    /* what names of files may be beside files, lines of --help */
    const char *examples; /* lines of it, the last without its end */
};
extern const struct program program;

extern const struct command command_halftone, command_screen, command_denoise, command_hologram,
    command_register, command_segment, command_measure, command_compare, command_calibrate,
    command_verify, command_testcard, command_devices, command_bench;
extern const struct command *const commands[];                             /* ended by NULL */
extern const struct command command_calibrate_fit, command_register_apply; /* none of them, but have
                                                                              certificates */

/* Whether this process says anything at all: of many that do the same, one speaks for all. */
void speak(bool speaks);

/* Prints "roundoff: sentence" as one line on stderr, whatever characters a file name brought, and
 * returns 1; usage_error adds where to read more and returns EXIT_BAD_USAGE. */
int fail(const char *format, ...) RO_PRINTF(1, 2);
int usage_error(const struct command *command, const char *format, ...) RO_PRINTF(2, 3);

/* The same line for what is no failure, and without "roundoff: " before it. */
void note(const char *format, ...) RO_PRINTF(1, 2);
void tell(const char *format, ...) RO_PRINTF(1, 2);

/* All options as JSON; tools/describe.py makes completions, manual pages and stubs from it. */
int describe(void);

/* Whether what was printed on stdout arrived there; if not, fails. By then `out` and the files
 * beside it have been written, which the message says too; NULL and "-": there are none. */
int finish_stdout(void);
int finish_stdout_after(const char *out);

/* An angle in degrees, -360 to 360; false: the text is none. */
bool read_degrees(const char *text, double *degrees);

#endif

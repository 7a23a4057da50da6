/* SPDX-License-Identifier: MIT */
/*
 * Options described as data. Part of roundoff.h.
 *
 * Each structure of options has a table with one row per member. The library checks options by the
 * rows; the command line, its help, certificates, the manual, completions and the Python package
 * are made from them.
 *
 * An option is *set* if its value differs from its default. Only options that are set are checked
 * against the method and against each other, so giving a default value is never an error. The word
 * "default" stands for the value that the initialiser leaves (0, NULL or RO_DEFAULT) in every
 * option but free text.
 */
#ifndef ROUNDOFF_OPTIONS_H
#define ROUNDOFF_OPTIONS_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ro_option_kind {
    RO_OPTION_INT,   /* int; a flag if `argument` is NULL */
    RO_OPTION_U32,   /* uint32_t, or an enumeration: then `words` has all of its values */
    RO_OPTION_U64,   /* uint64_t */
    RO_OPTION_REAL,  /* double */
    RO_OPTION_TEXT,  /* const char *; one of `words`, or any text if there are none */
    RO_OPTION_TEXTS, /* ro_texts: giving the option again adds a text */
    RO_OPTION_OTHER, /* not set by text: a callback, an image */
} ro_option_kind;

enum { RO_MOST_TEXTS = 256 };
typedef struct ro_texts {
    int count;
    const char *text[RO_MOST_TEXTS];
} ro_texts;

/* A word that stands for a value. */
typedef struct ro_word {
    const char *name;
    int64_t value;     /* of the member, unless that is text */
    const char *alias; /* the word that this one stands for: accepted, but not listed; or NULL */
    const char *needs; /* as in ro_option, for this word alone */
    const char *help;  /* what the word means; NULL: as its name says */
} ro_word;

/*
 * `needs` and `excludes` are lists of conditions, separated by spaces: "stop" holds if that option
 * is set, "schedule=stream,passes" if its value is one of these. An option that is set needs all
 * conditions of the first list and none of the second.
 */
typedef struct ro_option {
    const char *name; /* of the member; the command line has "-" for "_" */
    ro_option_kind kind;
    size_t offset;        /* in the structure */
    const char *argument; /* what help calls the value; NULL: a flag */
    const char *help;     /* one sentence without a full stop; NULL: not for users */
    const char *topic;    /* the help pages, separated by spaces; NULL: the first */
    double min, max;      /* of numbers, both 0 if there are only words */
    int above_min;        /* 1: min itself is not allowed */
    const char *unit;     /* NULL; "%"; "m": lengths in metres, nm, um, mm or cm may follow */
    int count;            /* of numbers one behind the other, "1,2,3" or "1x2"; 0: there is one */
    int least;            /* how many of them must be given, the others are 0 then; 0: all */
    const char *preset;   /* the default as text; NULL: there is no one value */
    const char *derived;  /* the default is automatic: what it follows from, in words; `preset` is
                             then the value that it mostly has, or NULL */
    const ro_word *words; /* ended by a NULL name */
    unsigned trait;       /* what a method must have for the option to apply; 0: every method */
    const char *needs, *excludes;
    const char *more; /* further sentences for the manual; or NULL */
    int writes;       /* 1: the text names a file that is written */
} ro_option;

typedef struct ro_option_table {
    const char *name;        /* of the family, such as "denoise" */
    const char *structure;   /* "ro_denoise_options" */
    const char *initialiser; /* "RO_DENOISE_OPTIONS" */
    const ro_option *rows;   /* ended by a NULL name, in the order of the members */
    const void *unset;       /* the structure as the initialiser leaves it */
    size_t size;
    const char *method;                     /* the option that names the method; NULL: none */
    unsigned (*traits)(const char *method); /* what a method has */
} ro_option_table;

#ifndef __cplusplus
/* The start of a row: a member's name, kind and place, which the compiler reads from the header. */
#define RO_KIND(member)                                                                            \
    _Generic((member),                                                                             \
        int: RO_OPTION_INT,                                                                        \
        unsigned: RO_OPTION_U32,                                                                   \
        uint64_t: RO_OPTION_U64,                                                                   \
        double: RO_OPTION_REAL,                                                                    \
        unsigned *: RO_OPTION_U32,                                                                 \
        double *: RO_OPTION_REAL,                                                                  \
        const char *: RO_OPTION_TEXT,                                                              \
        ro_texts: RO_OPTION_TEXTS,                                                                 \
        default: RO_OPTION_OTHER)
#define RO_MEMBER_AS(type, member, name)                                                           \
    name, RO_KIND(((type *)0)->member), .offset = offsetof(type, member)
#define RO_MEMBER(type, member) RO_MEMBER_AS(type, member, #member)
#define RO_WORDS(...) ((const ro_word[]){__VA_ARGS__, {0}})
#endif

/* The table of a family; NULL: there is none. */
RO_API
const ro_option_table *ro_options_of(const char *family);

/* A row by its name, in which "-" and "_" are alike; NULL: there is none. Rows may also be walked:
 * the one behind the last has no name. */
RO_API
const ro_option *ro_option_find(const ro_option_table *table, const char *name);

/* Sets a member from text; a text member keeps the pointer. A flag takes "true" and "false". On
 * failure the structure is unchanged and `message` says what is allowed. */
enum { RO_OPTION_MESSAGE = 400 };
RO_API
ro_status ro_option_set(const ro_option_table *table, const ro_option *option, void *options,
                        const char *text, char message[RO_OPTION_MESSAGE]);

/* The value as ro_option_set reads it; NULL: it is automatic, or was left out and has no default.
 * The text is in `room` or belongs to the row or to the caller. */
RO_API
const char *ro_option_text(const ro_option_table *table, const ro_option *option,
                           const void *options, char room[RO_OPTION_MESSAGE]);

#ifdef __cplusplus
}
#endif

#endif

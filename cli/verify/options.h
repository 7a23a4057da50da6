/* SPDX-License-Identifier: MIT */
/* A certificate's options as the arguments of a command line, which a forger may have written. */
#ifndef RO_CLI_VERIFY_OPTIONS_H
#define RO_CLI_VERIFY_OPTIONS_H

#include "cli/certificate/certificate.h"

/* They grow as they need to; the first that cannot be added is kept in `status`. */
struct arguments {
    int count, room;
    char **list;
    ro_status status;
};

void arguments_add(struct arguments *to, const char *a, const char *b); /* the two as one */
void arguments_free(struct arguments *arguments);

/* "--name=value" for every option that was given. `instead`, for running the command again, leaves
 * those that it names and those that write files to the caller; NULL: none. Fails on a line that no
 * certificate of this command has. */
ro_status arguments_of(const struct command *command, const struct certificate *from,
                       const char *const *instead, struct arguments *to);

/* The text that a JSON string holds, to be freed; NULL: it is none, or there is no memory. */
char *certificate_plain(ro_context *context, const char *value);

#endif

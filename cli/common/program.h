/* SPDX-License-Identifier: MIT */
/* A program of several commands: its help, and the way from a name to its command. */
#ifndef RO_CLI_COMMON_PROGRAM_H
#define RO_CLI_COMMON_PROGRAM_H

#include "cli/common/cli.h"

/* Before anything is opened: standard descriptors and signals. */
void program_begin(void);

/* The exit status of --help, --version or of a command of `commands`. */
int program_run(int argc, char **argv);

#endif

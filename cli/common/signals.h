/* SPDX-License-Identifier: MIT */
/* Ctrl-C and termination become a cancellation, so that clean-up runs as after any failure; the
 * second of them ends the process at once. */
#ifndef RO_CLI_COMMON_SIGNALS_H
#define RO_CLI_COMMON_SIGNALS_H

#include "roundoff.h"

void signals_catch(void);
void signals_at_once(void (*action)(void)); /* done by the handler of the first; NULL: nothing */
void signals_watch(ro_context *context);    /* cancels this one from now on; NULL: none */
int signals_caught(void);                   /* the signal's number, 0 if none came */

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The details of a thread's last call: its message if it failed, its report if it succeeded. Each
 * thread has its own, so that several threads can share a context. Threads that help with a call
 * adopt the details of the thread that made it.
 */
#ifndef RO_CORE_DETAILS_H
#define RO_CORE_DETAILS_H

#include "roundoff/core.h"

enum { RO_DETAILS_MESSAGE = 512 };

struct call_details {
    uint64_t context; /* number of the context that the call was on; 0: none */
    char message[RO_DETAILS_MESSAGE];
    ro_report report;
};

/* Returns the details that calls of this thread write to. */
struct call_details *details_here(void);

/* Makes this thread write to `details`; NULL: to its own. Returns what it wrote to before. */
struct call_details *details_adopt(struct call_details *details);

/* The same details, cleared if they are of a call on another context. */
struct call_details *details_of(uint64_t context);

/* Writes a message; several helpers of a call may fail at the same time. */
void details_fail(uint64_t context, const char *message);

#endif

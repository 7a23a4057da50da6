/* SPDX-License-Identifier: MIT */
#include "core/details.h"

#include <pthread.h>
#include <string.h>

static _Thread_local struct call_details own;
static _Thread_local struct call_details *adopted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct call_details *details_here(void) { return adopted ? adopted : &own; }

struct call_details *details_adopt(struct call_details *details)
{
    struct call_details *before = adopted;
    adopted = details;
    return before;
}

struct call_details *details_of(uint64_t context)
{
    struct call_details *details = details_here();
    if (details->context != context) {
        memset(details, 0, sizeof *details);
        details->context = context;
    }
    return details;
}

void details_fail(uint64_t context, const char *message)
{
    pthread_mutex_lock(&lock);
    struct call_details *details = details_of(context);
    strncpy(details->message, message, sizeof details->message - 1);
    pthread_mutex_unlock(&lock);
}

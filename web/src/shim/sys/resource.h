/* SPDX-License-Identifier: MIT */
/* Resource limits for WebAssembly, which has none. */
#ifndef RO_WEB_SYS_RESOURCE_H
#define RO_WEB_SYS_RESOURCE_H

#include <stdint.h>

#define RLIMIT_AS 0
#define RLIMIT_DATA 1
#define RLIM_INFINITY UINT64_MAX

struct rlimit {
    uint64_t rlim_cur, rlim_max;
};

static inline int getrlimit(int kind, struct rlimit *limit)
{
    (void)kind;
    limit->rlim_cur = limit->rlim_max = RLIM_INFINITY;
    return 0;
}

#endif

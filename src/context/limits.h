/* SPDX-License-Identifier: MIT */
/* The limits of a context. */
#ifndef RO_CONTEXT_LIMITS_H
#define RO_CONTEXT_LIMITS_H

#include "roundoff/core.h"

/* Fills in the defaults of what is 0. */
ro_limits limits_resolve(ro_limits asked);

#endif

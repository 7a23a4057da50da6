/* SPDX-License-Identifier: MIT */
/* The accelerators behind a small table: each back end says what it finds. */
#ifndef RO_CONTEXT_DEVICE_H
#define RO_CONTEXT_DEVICE_H

#include "roundoff/core.h"

/* RO_OK when a context may be opened on the device asked for; else `why` says why not. */
ro_status device_usable(const ro_context_options *asked, char *why, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
#include "bench/contenders.h"

#include <string.h>

bool run_halftoning(void *data)
{
    struct halftoning *own = data;
    return ro_halftone(own->context, own->in, own->out, &own->options) == RO_OK;
}

bool run_copying(void *data)
{
    struct copying *copy = data;
    memcpy(copy->to, copy->from->data, (size_t)copy->from->stride * copy->from->height);
    return true;
}

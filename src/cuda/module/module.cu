/* SPDX-License-Identifier: MIT */
/* What the module shows, and the library's functions as device code calls them. */
#include "cuda/module/module.h"

#include <stdarg.h>
#include <stdio.h>

static const struct cuda_core *core;

#define CALL_CORE(result, name, parameters, arguments)                                             \
    result name parameters { return core->name arguments; }
#define DECLARE_TABLE(calls, name) extern const struct calls *name;
#define NAME(result, name, parameters, arguments) name,
#define PLACE(calls, name) &name,

extern "C" {

RO_CUDA_CORE(CALL_CORE)
RO_CUDA_TABLES(DECLARE_TABLE)

ro_status ro_context_fail(ro_context *context, ro_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return core->fail(context, status, text);
}

static void begin(const struct cuda_core *given) { core = given; }

const struct cuda_module ro_cuda_module = {RO_VERSION, RO_CUDA_MODULE_BYTES, begin, cuda_count,
                                           RO_CUDA_CALLS(NAME) RO_CUDA_TABLES(PLACE)};
}

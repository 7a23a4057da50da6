/* SPDX-License-Identifier: MIT */
#include "core/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t size_of(const void *options)
{
    size_t size;
    memcpy(&size, options, sizeof size);
    return size;
}

/* Returns whether a structure may have this size. No newer one is twice as large; a size that was
 * never set may be anything, and what is behind a smaller structure must not be read. */
static bool sized(size_t size, size_t known)
{
    return size >= sizeof size && size <= 2 * known && size % sizeof size == 0;
}

ro_status options_copy(const void *given, void *taken, const char *name,
                       char message[RO_OPTIONS_MESSAGE])
{
    *message = 0;
    if (!given)
        return RO_OK;
    const size_t known = size_of(taken), size = size_of(given);
    if (!sized(size, known)) {
        snprintf(message, RO_OPTIONS_MESSAGE, "the size of the options is %zu: begin with %s", size,
                 name);
        return RO_E_ARGUMENT;
    }
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)given)[i] != 0) {
            snprintf(message, RO_OPTIONS_MESSAGE,
                     "the options have %zu bytes and say something at byte %zu: version %s knows "
                     "%zu of %s",
                     size, i, RO_VERSION, known, name);
            return RO_E_ARGUMENT;
        }
    memcpy(taken, given, size < known ? size : known);
    memcpy(taken, &known, sizeof known);
    return RO_OK;
}

ro_status take_options(ro_context *context, const void *given, void *taken, const char *name)
{
    char message[RO_OPTIONS_MESSAGE];
    ro_status status = options_copy(given, taken, name, message);
    return status == RO_OK ? RO_OK : ro_context_fail(context, status, "%s", message);
}

ro_status report_sized(ro_context *context, const void *given, size_t known)
{
    if (!given)
        return RO_OK;
    const size_t size = size_of(given);
    if (sized(size, known))
        return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "the size of the report is %zu: set it to that of the structure", size);
}

void report_copy(void *given, const void *full, size_t bytes)
{
    if (!given)
        return;
    const size_t size = size_of(given);
    memset(given, 0, size);
    memcpy(given, full, size < bytes ? size : bytes);
    memcpy(given, &size, sizeof size);
}

void options_init(const void *defaults, size_t known, void *options, size_t size)
{
    if (!options || size < sizeof size)
        return;
    memset(options, 0, size);
    memcpy(options, defaults, size < known ? size : known);
    memcpy(options, &size, sizeof size);
}

/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded at run time, which WebAssembly does not have: opening one fails. */
#ifndef RO_WEB_DLFCN_H
#define RO_WEB_DLFCN_H

#include <stddef.h>

#define RTLD_NOW 2
#define RTLD_LOCAL 0

static inline void *dlopen(const char *path, int mode)
{
    (void)path, (void)mode;
    return NULL;
}

static inline void *dlsym(void *library, const char *name)
{
    (void)library, (void)name;
    return NULL;
}

static inline const char *dlerror(void) { return "a browser has none"; }

static inline int dlclose(void *library)
{
    (void)library;
    return 0;
}

#endif

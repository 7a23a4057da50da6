/* SPDX-License-Identifier: MIT */
/*
 * Loads device code when a device is asked for: libroundoff_cuda.so lies beside the library or
 * program that this code is part of, or where libraries are installed. No other folder is searched,
 * and a module of another version is refused.
 */
#include "cuda/module/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cuda_module *module; /* NULL: none, for the reason in `missing` */
static char missing[512];

#define DEFINE_TABLE(calls, name) const struct calls *name;
RO_CUDA_TABLES(DEFINE_TABLE)

static ro_status fail(ro_context *context, ro_status status, const char *text)
{
    return ro_context_fail(context, status, "%s", text);
}

#define NAME(result, name, parameters, arguments) name,
static const struct cuda_core core = {fail, RO_CUDA_CORE(NAME)};

/* Finds the folder of the file that this code was loaded from. The list of what is mapped has full
 * paths, wherever the process was started. */
static bool own_folder(char folder[PATH_MAX])
{
    const unsigned long here = (unsigned long)&core;
    char line[PATH_MAX + 128];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        char *const path = strchr(line, '/'), *slash;
        found = sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= here && here < end && path &&
                (slash = strrchr(path, '/')) != NULL && (*slash = 0, true) &&
                snprintf(folder, PATH_MAX, "%s", path) < PATH_MAX;
    }
    if (maps)
        fclose(maps);
    return found;
}

static void load(const char *path)
{
    void *const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct cuda_module *found = opened ? dlsym(opened, "ro_cuda_module") : NULL;
    if (!found) {
        snprintf(missing, sizeof missing, "no CUDA device can be used: %s", dlerror());
    } else if (strcmp(found->version, RO_VERSION) != 0 || found->bytes != RO_CUDA_MODULE_BYTES) {
        snprintf(missing, sizeof missing,
                 "no CUDA device can be used: %s is not of version " RO_VERSION, path);
    } else {
        module = found;
        module->begin(&core);
#define TAKE_TABLE(calls, name) name = *module->name;
        RO_CUDA_TABLES(TAKE_TABLE)
    }
}

static void find_and_load(void)
{
    static const char *const places[] = {"", "/" RO_LIBDIR_FROM_BINDIR};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    const bool known = own_folder(folder);
    for (size_t i = 0; known && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s/libroundoff_cuda.so", folder, places[i]);
        if (access(path, F_OK) == 0) {
            load(path);
            return;
        }
    }
    if (access(RO_LIBDIR "/libroundoff_cuda.so", F_OK) == 0)
        load(RO_LIBDIR "/libroundoff_cuda.so");
    else
        snprintf(missing, sizeof missing,
                 "no CUDA device can be used without libroundoff_cuda.so, which a build with nvcc "
                 "installs in " RO_LIBDIR);
}

int cuda_count(char *why, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_and_load);
    if (module)
        return module->cuda_count(why, size);
    if (why)
        snprintf(why, size, "%s", missing);
    return 0;
}

#define CALL_MODULE(result, name, parameters, arguments)                                           \
    result name parameters { return module->name arguments; }
RO_CUDA_CALLS(CALL_MODULE)

/* SPDX-License-Identifier: MIT */
/*
 * How much memory there is for a process: that of the machine, or less if its control group (a
 * container, a job) or its resource limits allow less. A group's limit holds for the groups in it,
 * so all of them up to the root are read.
 */
#include "context/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH = 512, SHARE = 4, RATIO = 1000 };

static uint64_t less(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Reads a number; UINT64_MAX: there is no such file, or it says "max". */
static uint64_t number_in(const char *path)
{
    char text[32] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    const char *got = fgets(text, sizeof text, file);
    fclose(file);
    return got && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* The least limit of a group and of those above it. */
static uint64_t limit_of_group(const char *root, char *group, const char *name)
{
    char path[2 * PATH];
    uint64_t limit = UINT64_MAX;
    for (char *end = group + strlen(group);; *end = '\0') {
        snprintf(path, sizeof path, "%s%s/%s", root, strcmp(group, "/") == 0 ? "" : group, name);
        limit = less(limit, number_in(path));
        if (!(end = strrchr(group, '/')))
            return limit;
    }
}

/* Lines of /proc/self/cgroup are "number:controllers:group"; version 2 has no controllers. */
static uint64_t limit_of_groups(void)
{
    char line[PATH];
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (controllers[1] == '\0')
            limit = less(limit, limit_of_group("/sys/fs/cgroup", group, "memory.max"));
        else if (strstr(controllers, "memory"))
            limit = less(limit,
                         limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
    if (file)
        fclose(file);
    return limit;
}

static uint64_t memory_there_is(void)
{
    const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (getrlimit(kinds[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            memory = less(memory, limit.rlim_cur);
    return less(memory, limit_of_groups());
}

ro_limits limits_resolve(ro_limits asked)
{
    ro_limits limits = asked;
    if (limits.memory == 0)
        limits.memory = memory_there_is() / SHARE * (SHARE - 1);
    if (limits.ratio == 0)
        limits.ratio = limits.pixels ? UINT64_MAX : RATIO;
    if (limits.pixels == 0)
        limits.pixels = UINT64_MAX;
    if (limits.pages == 0)
        limits.pages = UINT64_MAX;
    return limits;
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/cpu.h"
#include "core/names.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ro_cpu cpu_best(void)
{
    ro_cpu best = RO_CPU_SCALAR;
#if defined(__x86_64__)
    __builtin_cpu_init(); /* for callers that run before main */
#endif
#define RUNS(set, cpu, runs, unused)                                                               \
    if (runs)                                                                                      \
        best = cpu;
    RO_INSTRUCTION_SETS(RUNS, )
#undef RUNS
    return best;
}

bool cpu_usable(ro_cpu cpu)
{
    bool usable = cpu == RO_CPU_AUTO || cpu == RO_CPU_SCALAR;
#define RUNS(set, row, runs, unused) usable |= cpu == row && (runs);
    RO_INSTRUCTION_SETS(RUNS, )
#undef RUNS
    return usable;
}

const char *cpu_name(int cpu)
{
    static const char *const names[] = {"auto", "scalar", "v128", "avx2", "avx512"};
    return (unsigned)cpu < sizeof names / sizeof *names ? names[cpu] : "unknown";
}

int cpu_threads(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

void cpu_model(char *name, size_t size)
{
    snprintf(name, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value) {
            value[strcspn(value, "\n")] = 0;
            snprintf(name, size, "%s", value + 2);
            break;
        }
    }
    fclose(file);
}

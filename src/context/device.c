/* SPDX-License-Identifier: MIT */
#include "context/device.h"

#include "core/cpu.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <unistd.h>

const char *ro_device_name(ro_device device)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return (unsigned)device < sizeof names / sizeof *names ? names[device] : "unknown";
}

int ro_device_count(void) { return 1 + ro_cuda_count(NULL, 0); }

ro_status ro_device_at(int number, ro_device_info *info)
{
    if (number < 0 || number >= ro_device_count() || !info)
        return RO_E_ARGUMENT;
    if (number > 0)
        return ro_cuda_describe(number - 1, info);
    *info = (ro_device_info){.device = RO_DEVICE_CPU};
    ro_cpu_model(info->name, sizeof info->name);
    snprintf(info->detail, sizeof info->detail, "%s, %d threads", ro_cpu_name(ro_cpu_best()),
             ro_cpu_threads());
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    info->memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    return RO_OK;
}

ro_status ro_device_usable(ro_device device)
{
    switch (device) {
    case RO_DEVICE_AUTO:
    case RO_DEVICE_CPU:
        return RO_OK;
    case RO_DEVICE_CUDA:
        return ro_cuda_count(NULL, 0) > 0 ? RO_OK : RO_E_DEVICE;
    }
    return RO_E_ARGUMENT;
}

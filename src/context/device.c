/* SPDX-License-Identifier: MIT */
#include "context/device.h"

#include "core/cpu.h"
#include "core/options.h"
#include "cuda/cuda.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static void describe_cpu(ro_device_info *info)
{
    info->device = RO_DEVICE_CPU;
    cpu_model(info->name, sizeof info->name);
    snprintf(info->detail, sizeof info->detail, "%s, %d threads", ro_cpu_name(cpu_best()),
             cpu_threads());
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    info->memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

ro_status ro_device_at(int number, ro_device_info *info)
{
    if (number < 0 || !info || report_check(NULL, info) != RO_OK)
        return RO_E_ARGUMENT;
    ro_device_info full = {.size = sizeof full};
    ro_status status = RO_OK;
    /* The CPU is described without a look for others, which would load the module of device code.
     */
    if (number == 0)
        describe_cpu(&full);
    else
        status = number <= cuda_count(NULL, 0) ? cuda_describe(number - 1, &full) : RO_E_ARGUMENT;
    report_give(info, &full);
    return status;
}

ro_status device_usable(const ro_context_options *asked, char *why, size_t size)
{
    const bool numbered = !is_default(asked->device_number);
    const int number = numbered ? asked->device_number : 0;
    switch (asked->device) {
    case RO_DEVICE_AUTO:
    case RO_DEVICE_CPU:
        if (!numbered)
            return RO_OK;
        snprintf(why, size, "device %d: CUDA devices have numbers, %s has none", number,
                 ro_device_name(asked->device));
        return RO_E_ARGUMENT;
    case RO_DEVICE_CUDA: {
        const int count = cuda_count(why, size);
        if (count > 0 && number >= 0 && number < count)
            return RO_OK;
        if (count > 0)
            snprintf(why, size, "there is no CUDA device %d: %d found, from 0", number, count);
        return RO_E_DEVICE;
    }
    }
    snprintf(why, size, "there is no kind of device %d", (int)asked->device);
    return RO_E_ARGUMENT;
}

/* SPDX-License-Identifier: MIT */
/* Kernels from outside. Taps must lead to pixels still to come, and no more error may flow out of a
 * pixel than there was: then errors stay bounded, whatever the image. */
#include "halftone/error_diffusion/diffusion.h"

#include <stdlib.h>

static ro_status check_tap(ro_context *context, int dx, int dy, int weight, int divisor)
{
    if (dy < 0 || (dy == 0 && dx <= 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "tap (%d, %d) of the kernel leads to a pixel that is already "
                               "rounded; taps lead to the right or to rows below",
                               dx, dy);
    if (dx < -DIFFUSION_MAX_DX || dx > DIFFUSION_MAX_DX || dy > DIFFUSION_MAX_DY)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "tap (%d, %d) of the kernel reaches too far; the limit is %d columns and %d rows", dx,
            dy, DIFFUSION_MAX_DX, DIFFUSION_MAX_DY);
    if (weight < -divisor || weight > divisor)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "weight %d of the kernel is larger than its divisor %d", weight,
                               divisor);
    return RO_OK;
}

ro_status diffusion_kernel_take(ro_context *context, const ro_kernel *from,
                                struct diffusion_kernel *kernel)
{
    if (from->divisor < 1 || from->divisor > DIFFUSION_MAX_DIVISOR)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the kernel's divisor is %d; it must be from 1 to %d", from->divisor,
                               DIFFUSION_MAX_DIVISOR);
    if (from->count < 1 || from->count > RO_KERNEL_TAPS)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the kernel has %d taps; it must have 1 to %d", from->count,
                               RO_KERNEL_TAPS);
    *kernel = (struct diffusion_kernel){.divisor = from->divisor};
    int total = 0;
    for (int i = 0; i < from->count; i++) {
        int dx = from->taps[i].dx, dy = from->taps[i].dy, weight = from->taps[i].weight;
        ro_status status = check_tap(context, dx, dy, weight, from->divisor);
        if (status != RO_OK)
            return status;
        for (int k = 0; k < i; k++)
            if (from->taps[k].dx == dx && from->taps[k].dy == dy)
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "tap (%d, %d) of the kernel appears twice", dx, dy);
        total += abs(weight);
        if (weight != 0)
            kernel->taps[kernel->count++] =
                (struct diffusion_tap){(int8_t)dx, (int8_t)dy, (int16_t)weight};
    }
    if (total == 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "the kernel's weights are all 0");
    if (total > from->divisor)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the sizes of the kernel's weights sum to %d, more than its divisor "
                               "%d: the error would grow without bound",
                               total, from->divisor);
    return RO_OK;
}

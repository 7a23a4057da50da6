/* SPDX-License-Identifier: MIT */
/* Registration on a CUDA device, as C sees it. */
#ifndef RO_PDE_REGISTER_REGISTER_CUDA_H
#define RO_PDE_REGISTER_REGISTER_CUDA_H

#include "pde/register/register.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's calls; NULL in a build without CUDA. */
struct register_cuda_calls {
    /* As ro_flow_on_cpu, but u stays on the device, as number flow->result. */
    ro_status (*run)(struct ro_flow *flow, ro_report *ran);
    /* Brings u of a flow to host memory. */
    ro_status (*fetch)(struct ro_flow *flow, int result, const ro_image *field);
    /* Memory for images[p], which the device reads fast; it is the context's. */
    ro_status (*plane)(ro_context *context, int p, size_t bytes, float **plane);
};
extern const struct register_cuda_calls *const register_on_cuda;

#ifdef __cplusplus
}
#endif

#endif

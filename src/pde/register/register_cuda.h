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
    /* As ro_flow_on_cpu; the field is in host memory. */
    ro_status (*run)(struct ro_flow *flow, const ro_image *field, ro_report *ran);
};
extern const struct register_cuda_calls *const register_on_cuda;

#ifdef __cplusplus
}
#endif

#endif

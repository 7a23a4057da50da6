/* SPDX-License-Identifier: MIT */
/* Registration on a CUDA device, as C sees it. */
#ifndef RO_PDE_REGISTER_REGISTER_CUDA_H
#define RO_PDE_REGISTER_REGISTER_CUDA_H

#include "pde/register/register.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As ro_flow_on_cpu; the field is in host memory. */
ro_status ro_flow_on_cuda(struct ro_flow *flow, const ro_image *field, ro_report *ran);

#ifdef __cplusplus
}
#endif

#endif

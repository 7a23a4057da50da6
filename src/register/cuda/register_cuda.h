/* SPDX-License-Identifier: MIT */
/* Registration on a CUDA device, as C sees it. */
#ifndef RO_REGISTER_CUDA_REGISTER_CUDA_H
#define RO_REGISTER_CUDA_REGISTER_CUDA_H

#include "register/register.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field on its way to the host: pairs row by row, in memory of the context. */
enum { RO_FIELD_PARTS = 8 };
struct field_parts {
    int rows; /* of a part; the last ones may have fewer */
    const float *part[RO_FIELD_PARTS];
};

/* Brings u of a flow to the caller's memory, by all threads. */
ro_status flow_fetch(struct registration *flow, const ro_image *field);

/* The device's calls; NULL until a device was found. */
struct register_cuda_calls {
    /* As flow_on_cpu, but u stays on the device, as number flow->result. */
    ro_status (*run)(struct registration *flow, ro_report *ran);
    /* The same in steps: begins and ends what flow_start and the scales come between; whoever
     * failed to open has nothing to close unless it has data. What is not `wanted` is left. */
    ro_status (*open)(struct registration *flow);
    ro_status (*close)(struct registration *flow, bool wanted, ro_report *ran);
    bool (*busy)(const struct registration *flow); /* a scale that was begun has not ended */
    bool (*small)(const struct registration *flow, int k); /* scale k leaves room for another one */
    /* Asks for u of a flow, which comes part by part; `await` is false where the device failed. */
    ro_status (*ask)(struct registration *flow, int result, struct field_parts *parts);
    bool (*await)(const struct registration *flow, int part);
    /* Memory for images[p] of either flow, 2 and 3 being the second one's, which the device reads
     * fast; it is the context's. */
    ro_status (*plane)(ro_context *context, int p, size_t bytes, float **plane);
};
extern const struct register_cuda_calls *register_on_cuda;

#ifdef __cplusplus
}
#endif

#endif

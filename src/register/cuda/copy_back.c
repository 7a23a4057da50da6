/* SPDX-License-Identifier: MIT */
/* A field from the device: it comes fast into memory of the context, and threads take it on from
 * there part by part. */
#include "context/context.h"
#include "cuda/cuda.h"
#include "register/cuda/register_cuda.h"
#include "register/image.h"

#include <string.h>

struct fetching {
    const struct registration *flow;
    const ro_image *field;
    struct field_parts parts;
    atomic_int ticket, failed;
};

static void fetch_rows(void *data, int thread)
{
    enum { ROWS = 16 };
    struct fetching *fetching = data;
    const ro_image *field = fetching->field;
    const int height = (int)field->height, rows = fetching->parts.rows;
    const size_t bytes = field->width * sizeof(float);
    int piece;
    (void)thread;
    while ((piece = atomic_fetch_add(&fetching->ticket, 1)) * ROWS < height) {
        const int first = piece * ROWS, last = first + ROWS < height ? first + ROWS : height;
        for (int y = first, known = -1; y < last; y++) {
            const int part = y / rows;
            if (part != known && !register_on_cuda->await(fetching->flow, part)) {
                atomic_store(&fetching->failed, 1);
                return;
            }
            known = part;
            memcpy((char *)field->data + (ptrdiff_t)y * field->stride,
                   (const char *)fetching->parts.part[part] + (size_t)(y - part * rows) * bytes,
                   bytes);
        }
    }
}

ro_status flow_fetch(struct registration *flow, const ro_image *field)
{
    struct fetching fetching = {.flow = flow, .field = field};
    ro_status status = register_on_cuda->ask(flow, flow->result, &fetching.parts);
    if (status != RO_OK)
        return status;
    pool_run(flow->context->pool, register_threads(flow, (size_t)field->width * field->height),
             fetch_rows, &fetching);
    return atomic_load(&fetching.failed)
               ? ro_context_fail(flow->context, RO_E_DEVICE, "the field could not be fetched")
               : RO_OK;
}

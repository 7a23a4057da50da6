/* SPDX-License-Identifier: MIT */
/* Rows that threads fetch and hand over by themselves: a buffer for each thread, and what failed.
 */
#ifndef RO_HALFTONE_ROW_CALLBACKS_H
#define RO_HALFTONE_ROW_CALLBACKS_H

#include "context/context.h"
#include "roundoff/pieces.h"
#include "roundoff/plan.h"

#include <stdatomic.h>

struct halftone_pass {
    ro_context *context;
    ro_halftone_rows rows;
    unsigned char *buffers;
    size_t in_row, out_row; /* bytes */
    uint32_t most;          /* rows of a buffer, of the input, */
    size_t out_at;          /* and from this byte on of the output; */
    size_t each;            /* bytes of a buffer: cache lines, whole */
    uint32_t height;
    atomic_uint done;
    atomic_int status; /* the first that was not RO_OK */
};

/* A thread's next rows, and room for what becomes of them; false: all ends. */
bool halftone_pass_fetch(struct halftone_pass *pass, int thread, uint32_t first_row, uint32_t count,
                         unsigned char **in, unsigned char **out);
/* They are finished. */
void halftone_pass_take(struct halftone_pass *pass, int thread, uint32_t first_row, uint32_t count);

/* The same for a device, which has memory of its own: all threads fetch, one hands over. */
ro_status halftone_pass_fetch_all(struct halftone_pass *pass, uint32_t first_row, uint32_t count,
                                  void *rows);
ro_status halftone_pass_take_all(struct halftone_pass *pass, uint32_t first_row, uint32_t count,
                                 void *rows);

#endif

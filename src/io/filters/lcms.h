/* SPDX-License-Identifier: MIT */
/*
 * lcms2, left as soon as it is refused memory. By itself it would go on: with other colours, with a
 * profile that it calls damaged, or through a NULL pointer.
 */
#ifndef RO_IO_FILTERS_LCMS_H
#define RO_IO_FILTERS_LCMS_H

#include <lcms2.h>
#include <stdbool.h>

struct lcms_calls;

/* Runs work(context, data), which makes things with the context, and keeps them until
 * lcms_close. Returns NULL if there is not enough memory; work may then have been left in the
 * middle. */
struct lcms_calls *lcms_run(void (*work)(cmsContext context, void *data), void *data);

/* Frees everything that was made with the context. NULL is allowed. */
void lcms_close(struct lcms_calls *lcms);

#endif

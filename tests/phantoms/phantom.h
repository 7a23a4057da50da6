/* SPDX-License-Identifier: MIT */
/* A head phantom after Shepp and Logan, for tests that need shapes of known tone. */
#ifndef RO_TESTS_PHANTOMS_PHANTOM_H
#define RO_TESTS_PHANTOMS_PHANTOM_H

#include "roundoff/core.h"

/* Fills a checked view of RO_GREY8 or RO_GREY16. */
RO_API
void draw_phantom(const ro_image *image);

#endif

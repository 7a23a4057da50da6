/* SPDX-License-Identifier: MIT */
/* Colour as files state it, as far as it must be known whether it is sRGB's. */
#ifndef RO_IO_STAGES_PROFILE_H
#define RO_IO_STAGES_PROFILE_H

#include "io/bytes/file.h"

#include <stddef.h>

#define RO_PROFILE_WORDS "its ICC profile (colours are taken as sRGB)"

/* Notes an ICC profile as dropped, unless its description says that it is sRGB's: samples are taken
 * as sRGB, so nothing is lost then. */
void ro_profile_note(struct ro_file *file, const uint8_t *bytes, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* gzip files and archives, whatever they hold. */
#include "reader_fuzz.h"

RO_READER_FUZZ(NULL)

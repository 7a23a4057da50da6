/* SPDX-License-Identifier: MIT */
#include "reader_fuzz.h"

RO_READER_FUZZ("bmp")

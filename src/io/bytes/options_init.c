/* SPDX-License-Identifier: MIT */
/* The functions that fill in the defaults of the structures of roundoff_io.h. */
#include "core/options.h"
#include "roundoff_io.h"

OPTIONS_INIT(ro_read_options, RO_READ_OPTIONS)
OPTIONS_INIT(ro_write_options, RO_WRITE_OPTIONS)
OPTIONS_INIT(ro_proof_options, RO_PROOF_OPTIONS)

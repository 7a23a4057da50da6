/* SPDX-License-Identifier: MIT */
/* The profile xpp24 once more, for wider vectors; see xpp24_rows.h. */
#include "simd/simd.h"

#include "denoise/denoise.h"
#include "papers/xpp24_rows.h"

#if defined(RO_SIMD_V128) /* which may have no fma */
#define ITERATE xpp24_iterate
#else
#define ITERATE xpp24_rows
#endif

const struct xpp24_kernels RO_SIMD_NAME(xpp24_kernels) = {ITERATE};

/* SPDX-License-Identifier: MIT */
/* Functions that host and device share: one definition in a header, inlined on both sides. */
#ifndef RO_CORE_SHARED_H
#define RO_CORE_SHARED_H

#ifdef __CUDACC__
#define RO_SHARED static __host__ __device__ __forceinline__
#else
#define RO_SHARED static inline
#endif

#endif

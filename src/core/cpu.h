/* SPDX-License-Identifier: MIT */
/* What the processor can do. */
#ifndef RO_CORE_CPU_H
#define RO_CORE_CPU_H

#include "roundoff/core.h"

ro_cpu ro_cpu_best(void);
int ro_cpu_threads(void);                   /* cores this process may run on */
void ro_cpu_model(char *name, size_t size); /* as the system names it */

/* Instruction sets that were compiled in; the others run the scalar code. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(RO_NO_SIMD)
#define RO_HAVE_X86_SIMD 1
#else
#define RO_HAVE_X86_SIMD 0
#endif

#endif

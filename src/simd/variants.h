/* SPDX-License-Identifier: MIT */
/*
 * Kernels that exist once per instruction set (core/cpu.h has the rows), and tables to pick one by
 * `ro_cpu`. A kernel `name` is RO_SIMD_NAME(name) in its *_simd.c:
 *
 *     RO_VARIANTS_DECLARE(const struct dbs_kernels, dbs_kernels);
 *     static const struct dbs_kernels *const kernels[RO_CPUS] = {
 *         [RO_CPU_SCALAR] = &dbs_kernels_ref, RO_VARIANTS_OF(dbs_kernels)};
 *     ... kernels[context->cpu] ...
 *
 * A context's instruction set is one that was compiled in, so its place is filled; that of
 * RO_CPU_SCALAR is NULL where there is no scalar kernel of the same form.
 */
#ifndef RO_SIMD_VARIANTS_H
#define RO_SIMD_VARIANTS_H

#include "core/cpu.h"

#define RO_VARIANT_DECLARE_(set, cpu, runs, type, name) extern type name##_##set;
#define RO_VARIANT_PLACE_(set, cpu, runs, type, name) [cpu] = &name##_##set,

#define RO_VARIANTS_DECLARE(type, name) RO_INSTRUCTION_SETS(RO_VARIANT_DECLARE_, type, name)
#define RO_VARIANTS_OF(name) RO_INSTRUCTION_SETS(RO_VARIANT_PLACE_, , name)

#endif

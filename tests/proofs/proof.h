/* SPDX-License-Identifier: MIT */
/* A proof is a function without arguments whose assertions hold whatever the values that it takes
 * from here are; cbmc looks for a counter-example among all of them. */
#ifndef RO_PROOFS_PROOF_H
#define RO_PROOFS_PROOF_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define assume(condition) __CPROVER_assume(condition)

/* Values nobody knows: cbmc takes a function without a body for one. */
uint8_t nondet_byte(void);
int16_t nondet_short(void);
int32_t nondet_int(void);

#endif

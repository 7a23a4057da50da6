/* SPDX-License-Identifier: MIT */
/* What Debian's compiler-rt for WebAssembly asks of the C library and wasi-libc does not have. */
#include <stdint.h>

extern uintptr_t __stack_chk_guard;
void __stack_chk_fail(void);

uintptr_t __stack_chk_guard = 0x595e9fbd;
void __stack_chk_fail(void) { __builtin_trap(); }

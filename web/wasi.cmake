# SPDX-License-Identifier: MIT
# Debian's clang and wasi-libc as the compiler for WebAssembly.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(RO_WASM_CC NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang REQUIRED)
set(CMAKE_C_COMPILER ${RO_WASM_CC})
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

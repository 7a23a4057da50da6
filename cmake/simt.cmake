# SPDX-License-Identifier: MIT
# RO_WITH_CUDA=EMULATED: the CUDA kernels run on the processor, so that they can be tested without a
# GPU. tests/simt/rewrite.py turns the sources into C++; the emulator in tests/simt runs them. This
# build is slow and is never installed. RO_SIMT_ARCH=75 compiles what kernels have for older devices.
enable_language(CXX)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "RO_WITH_CUDA=EMULATED needs g++ on x86-64")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(RO_SIMT_ARCH 90 CACHE STRING "Compute capability of the emulated device: 75, 80 or 90")
set(RO_CUDA ON)
set(RO_CUDA_EMULATED ON)
set(simt_dir ${PROJECT_SOURCE_DIR}/tests/simt)
set(simt_out ${PROJECT_BINARY_DIR}/simt)
# -O1 halves the time to compile; the kernels are slow in any case.
set(simt_options -O1 -g0 -ftls-model=initial-exec -fno-exceptions -fno-rtti -fno-strict-aliasing
  -D__CUDA_ARCH__=${RO_SIMT_ARCH}0)
set(RO_SIMT_SANITIZE "" CACHE STRING "Sanitizers of emulated kernels: address,undefined or thread")
if(RO_SIMT_SANITIZE) # offsets from NULL are left out: kernels compute some that nobody uses
  list(APPEND simt_options -fsanitize=${RO_SIMT_SANITIZE} -fno-sanitize=vptr,pointer-overflow -g1
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RO_SIMT_SANITIZE})
endif()
if(RO_SIMT_SANITIZE MATCHES thread) # CUDA threads are threads to it; the emulator says what orders them
  list(APPEND simt_options -DSIMT_TSAN --param tsan-distinguish-volatile=1)
  set(simt_unchecked -fno-sanitize=all)
endif()

# ro_simt_sources(OUT FILES...): OUT lists the C++ sources that the CUDA sources and headers become.
function(ro_simt_sources out)
  set(sources)
  foreach(file ${ARGN})
    set(to ${simt_out}/${file})
    if(file MATCHES "\\.cu$")
      string(APPEND to .cpp)
    endif()
    list(APPEND sources ${to})
    add_custom_command(OUTPUT ${to} DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${simt_dir}/rewrite.py
      COMMAND Python3::Interpreter ${simt_dir}/rewrite.py ${PROJECT_SOURCE_DIR}/${file} ${to}
      VERBATIM)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

file(GLOB emulator_sources CONFIGURE_DEPENDS ${simt_dir}/*.cpp)
add_library(simt OBJECT ${emulator_sources})
target_compile_options(simt PRIVATE ${simt_options} ${simt_unchecked})

file(GLOB_RECURSE cuda_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/*.cu src/*.cuh
  bench/*.cu)
ro_simt_sources(kernel_sources ${cuda_files})
add_library(roundoff_cuda MODULE ${kernel_sources} $<TARGET_OBJECTS:simt>)
target_include_directories(roundoff_cuda BEFORE PRIVATE ${simt_dir} ${simt_out}/src src include .)
target_compile_options(roundoff_cuda PRIVATE ${simt_options} -w -include cuda_runtime.h)
set_target_properties(simt roundoff_cuda PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
  CXX_VISIBILITY_PRESET hidden)

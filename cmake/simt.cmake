# SPDX-License-Identifier: MIT
# RO_WITH_CUDA=EMULATED: the CUDA kernels run on the processor, so that they can be tested without a
# GPU. tests/simt/rewrite.py turns the sources into C++; the emulator in tests/simt runs them. This
# build is slow and is never installed.
enable_language(CXX)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "RO_WITH_CUDA=EMULATED needs g++ on x86-64")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(RO_CUDA ON)
set(RO_CUDA_EMULATED ON)
set(simt_dir ${PROJECT_SOURCE_DIR}/tests/simt)
set(simt_out ${PROJECT_BINARY_DIR}/simt)
file(GLOB_RECURSE cuda_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/*.cu src/*.cuh)
foreach(file ${cuda_files})
  set(to ${simt_out}/${file})
  if(file MATCHES "\\.cu$")
    string(APPEND to .cpp)
    list(APPEND simt_sources ${to})
  else()
    list(APPEND simt_headers ${to})
  endif()
  add_custom_command(OUTPUT ${to} DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${simt_dir}/rewrite.py
    COMMAND Python3::Interpreter ${simt_dir}/rewrite.py ${PROJECT_SOURCE_DIR}/${file} ${to} VERBATIM)
endforeach()
add_custom_target(simt_headers DEPENDS ${simt_headers})
add_library(roundoff_cuda OBJECT ${simt_sources} ${simt_dir}/simt.cpp)
add_dependencies(roundoff_cuda simt_headers)
target_include_directories(roundoff_cuda BEFORE PRIVATE ${simt_dir} ${simt_out}/src src include)
set_target_properties(roundoff_cuda PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
# -O1 halves the time to compile; the kernels are slow in any case.
target_compile_options(roundoff_cuda PRIVATE -O1 -g0 -fno-exceptions -fno-rtti -fno-strict-aliasing -w
  -include cuda_runtime.h)
# The emulator is the runtime library, too.
add_library(CUDA::cudart_static INTERFACE IMPORTED)
target_link_libraries(CUDA::cudart_static INTERFACE stdc++)
set(cuda_objects $<TARGET_OBJECTS:roundoff_cuda>)

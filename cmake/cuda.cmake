# SPDX-License-Identifier: MIT
# The CUDA back end: every *.cu in src/, when there is a compiler for it. It is a module of its own,
# libroundoff_cuda.so, which the library loads when a device is asked for (src/cuda/module).
set(RO_WITH_CUDA AUTO CACHE STRING "CUDA back end: AUTO (when nvcc is found), ON, OFF or EMULATED")
# By default code for 9.0, and PTX that drivers of cards from 7.5 on translate when a program first
# uses it. ALL: code for each of these that nvcc can compile for, and PTX of the last for later ones.
set(RO_CUDA_ARCHITECTURES "75-virtual;90" CACHE STRING
  "GPU architectures to compile for; ALL: 75 80 86 89 90 100 120")
option(RO_CUDA_CHECKED "Waits on the device are bounded: a kernel stops rather than hang" OFF)

set(RO_CUDA OFF)
if(RO_WITH_CUDA STREQUAL "EMULATED")
  include(cmake/simt.cmake)
  message(STATUS "CUDA back end: emulated on the processor, for tests only")
elseif(RO_WITH_CUDA)
  find_program(RO_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin /opt/cuda/bin)
  if(RO_NVCC)
    set(CMAKE_CUDA_COMPILER ${RO_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES ${RO_CUDA_ARCHITECTURES})
    if(RO_CUDA_ARCHITECTURES STREQUAL "ALL")
      execute_process(COMMAND ${RO_NVCC} --list-gpu-arch OUTPUT_VARIABLE known)
      string(REGEX MATCHALL "[0-9]+" known "${known}")
      set(CMAKE_CUDA_ARCHITECTURES)
      foreach(architecture 75 80 86 89 90 100 120)
        if(architecture IN_LIST known)
          list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture}-real)
          set(last ${architecture})
        endif()
      endforeach()
      list(APPEND CMAKE_CUDA_ARCHITECTURES ${last}-virtual)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
    set(RO_CUDA ${CUDAToolkit_FOUND})
  elseif(NOT RO_WITH_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "RO_WITH_CUDA is on but nvcc was not found")
  endif()
  if(RO_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS src/*.cu bench/*.cu)
    add_library(roundoff_cuda MODULE ${cuda_sources})
    target_include_directories(roundoff_cuda PRIVATE include src .)
    set_target_properties(roundoff_cuda PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static
      CUDA_VISIBILITY_PRESET hidden)
    target_compile_options(roundoff_cuda PRIVATE --fmad=false
      -Xcompiler=-fno-exceptions,-fno-rtti -Xfatbin=--compress-all)
    if(RO_WERROR)
      target_compile_options(roundoff_cuda PRIVATE -Werror=all-warnings -Xcompiler=-Werror)
    endif()
    if(RO_CUDA_CHECKED)
      target_compile_definitions(roundoff_cuda PRIVATE RO_CUDA_CHECKED)
    endif()
    message(STATUS "CUDA back end: ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
  endif()
endif()

if(RO_CUDA)
  set(shown ${PROJECT_SOURCE_DIR}/src/cuda/module/module.map)
  target_link_options(roundoff_cuda PRIVATE -Wl,--version-script,${shown})
  set_target_properties(roundoff_cuda PROPERTIES LINK_DEPENDS ${shown})
  target_link_libraries(roundoff_cuda PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  # Programs look in their own folder.
  add_custom_command(TARGET roundoff_cuda POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/tests
    COMMAND ${CMAKE_COMMAND} -E create_symlink ../libroundoff_cuda.so
      ${PROJECT_BINARY_DIR}/tests/libroundoff_cuda.so)
else()
  message(STATUS "CUDA back end: left out (nvcc was not found or RO_WITH_CUDA is off)")
endif()
set(RO_CUDA_MODULE ${RO_CUDA} CACHE INTERNAL "whether there is a target roundoff_cuda")

# Where load.c looks beside its own folder.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_source_files_properties(src/cuda/module/load.c PROPERTIES COMPILE_DEFINITIONS
  "RO_LIBDIR=\"${CMAKE_INSTALL_FULL_LIBDIR}\";RO_LIBDIR_FROM_BINDIR=\"${up}\"")

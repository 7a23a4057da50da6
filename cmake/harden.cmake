# SPDX-License-Identifier: MIT
# Protection against faults that are still unknown; tests/install/hardened_test.py looks for it in
# what was built. Sanitizers have their own checks, which FORTIFY would hide calls from.
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported()
set(branches)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  set(branches -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set(branches -mbranch-protection=standard)
endif()
foreach(flag -fstack-protector-strong ${branches})
  string(MAKE_C_IDENTIFIER "RO_HAS${flag}" has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
if(NOT RO_SANITIZE AND NOT RO_BUILD_FUZZ AND NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
endif()
check_linker_flag(C -Wl,-z,relro,-z,now RO_HAS_RELRO)
if(RO_HAS_RELRO)
  add_link_options(-Wl,-z,relro,-z,now)
endif()

# Programs in the build tree get the RUNPATH that installed ones have. CMake would give them another,
# which ends in an empty entry, and from there libraries are loaded from the current folder.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

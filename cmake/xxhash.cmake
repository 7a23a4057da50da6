# SPDX-License-Identifier: MIT
# xxHash, for certificates: its header alone is compiled in, nothing is linked.
set(RO_WITH_XXHASH AUTO CACHE STRING "Hashes and certificates: AUTO (when xxhash.h is found), ON or OFF")
set_property(CACHE RO_WITH_XXHASH PROPERTY STRINGS AUTO ON OFF)
set(have_XXHASH 0)
if(RO_WITH_XXHASH)
  find_path(RO_XXHASH_INCLUDE xxhash.h)
  if(RO_XXHASH_INCLUDE)
    # XXH3 of 128 bits is stable from 0.8.0 on.
    file(STRINGS ${RO_XXHASH_INCLUDE}/xxhash.h lines REGEX "#define XXH_VERSION_(MAJOR|MINOR)")
    string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*" "\\1.\\2" version "${lines}")
    if(version VERSION_GREATER_EQUAL 0.8)
      set(have_XXHASH 1)
    endif()
  endif()
  if(NOT have_XXHASH AND NOT RO_WITH_XXHASH STREQUAL "AUTO")
    message(FATAL_ERROR "RO_WITH_XXHASH is on but xxhash.h 0.8 or newer was not found")
  endif()
endif()
if(NOT have_XXHASH)
  message(STATUS "certificates: left out (xxhash.h was not found or RO_WITH_XXHASH is off)")
endif()
set_source_files_properties(src/measure/hash.c PROPERTIES
  COMPILE_DEFINITIONS RO_WITH_XXHASH=${have_XXHASH}
  INCLUDE_DIRECTORIES "$<$<BOOL:${have_XXHASH}>:${RO_XXHASH_INCLUDE}>")

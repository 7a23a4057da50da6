# SPDX-License-Identifier: MIT
# Libraries that show nothing but what the public headers declare.
#
#   roundoff_shared, roundoff_io_shared       everything else is hidden, archives that are linked in and
#                                             what C++ instantiates for CUDA too
#   roundoff_static, roundoff_io_static       one object each, in which everything else is local, so
#                                             that no private name meets a name of the user's
#   roundoff_internal, roundoff_io_internal   as compiled, for the command's bench and the tests
find_program(RO_OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy)
set(ro_close_archives ON)
if(NOT RO_OBJCOPY OR RO_SANITIZE OR RO_BUILD_FUZZ OR CMAKE_INTERPROCEDURAL_OPTIMIZATION OR
   NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(ro_close_archives OFF) # sanitizers and link-time optimisation need the objects as they are
  message(STATUS "archives: not closed, private names are global in them")
endif()
include(CheckLinkerFlag)
check_linker_flag(C "-r;-nostdlib;-Wl,--force-group-allocation" RO_LINKS_GROUPS)
set(ro_relocatable -r -nostdlib $<$<BOOL:${RO_LINKS_GROUPS}>:-Wl,--force-group-allocation>)

# ro_library(NAME OBJECTS...): the three forms of a library.
function(ro_library name)
  add_library(${name}_internal STATIC ${ARGN})
  add_library(${name}_shared SHARED ${ARGN})
  target_link_options(${name}_shared PRIVATE -Wl,--exclude-libs,ALL
    -Wl,--version-script,${PROJECT_SOURCE_DIR}/cmake/shown.map)
  set_target_properties(${name}_shared PROPERTIES
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/shown.map)
  if(ro_close_archives)
    set(closed ${PROJECT_BINARY_DIR}/${name}_closed.o)
    add_custom_command(OUTPUT ${closed}
      COMMAND ${CMAKE_C_COMPILER} ${ro_relocatable} -o ${closed} ${ARGN}
      COMMAND ${RO_OBJCOPY} --localize-hidden --wildcard --localize-symbol=_Z* ${closed}
      DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${closed} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${name}_static STATIC ${closed})
    set_target_properties(${name}_static PROPERTIES LINKER_LANGUAGE C)
  else()
    add_library(${name}_static STATIC ${ARGN})
  endif()
  set_target_properties(${name}_static ${name}_shared PROPERTIES OUTPUT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  foreach(form static shared internal)
    set_target_properties(${name}_${form} PROPERTIES EXPORT_NAME ${name}_${form})
    target_include_directories(${name}_${form} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()

# SPDX-License-Identifier: MIT
# Tests are found by their names, and carry their folder as a label (ctest -L io):
#   tests/ROOM/NAME_test.c    a cmocka program
#   tests/ROOM/NAME_test.sh   run by sh;  tests/ROOM/NAME_test.py  run by python3
#   tests/rocheck/*.c         the checker of variants against the reference
#   tests/fuzz/*_fuzz.c       libFuzzer programs (RO_BUILD_FUZZ, clang)
# A script that cannot run here ends with status 77 and counts as skipped.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)

set(RO_TEST_LIBRARIES roundoff_phantoms roundoff_io_internal roundoff_internal)

# Built for another processor, the command runs by way of an emulator.
set(ro_command $<TARGET_FILE:roundoff>)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  set(ro_command ${PROJECT_BINARY_DIR}/tests/roundoff)
  file(GENERATE OUTPUT ${ro_command} CONTENT "#!/bin/sh
exec ${emulator} $<TARGET_FILE:roundoff> \"$@\"
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()

# What a test finds in its environment.
set(ro_test_environment "ROUNDOFF=${ro_command}"
  "SOURCE_DIR=${PROJECT_SOURCE_DIR}" "BUILD_DIR=${PROJECT_BINARY_DIR}"
  "CC=${CMAKE_C_COMPILER}" "SANITIZE=${RO_SANITIZE}" "PYTHONDONTWRITEBYTECODE=1")
if(RO_SANITIZE) # a request too large gives NULL, as it does without them
  list(APPEND ro_test_environment "ASAN_OPTIONS=allocator_may_return_null=1"
    "TSAN_OPTIONS=allocator_may_return_null=1")
endif()

function(ro_test_properties name label)
  set(limit 900)
  if(label STREQUAL faults OR RO_SANITIZE OR label MATCHES emulated) # these may take their time
    set(limit 7200)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT ${limit}
    ENVIRONMENT "${ro_test_environment}")
endfunction()

# ro_test(NAME SOURCES...): a program, linked with cmocka and the static libraries. NAME is
# "room/what"; its room becomes the label.
function(ro_test name)
  get_filename_component(label ${name} DIRECTORY)
  string(REPLACE "/" "_" target ${name})
  add_executable(${target}_test ${ARGN})
  set_target_properties(${target}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
  target_include_directories(${target}_test PRIVATE include src tests)
  target_link_libraries(${target}_test PRIVATE PkgConfig::CMOCKA ${RO_TEST_LIBRARIES} m)
  add_test(NAME ${name} COMMAND ${target}_test)
  ro_test_properties(${name} ${label})
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
  tests/*_test.c)
if(TARGET PkgConfig::CMOCKA)
  foreach(source ${test_sources})
    string(REGEX REPLACE "_test\\.c$" "" name ${source})
    ro_test(${name} tests/${source})
  endforeach()
  target_include_directories(bench_made_test PRIVATE .)
  target_link_libraries(bench_made_test PRIVATE roundoff_terapixel)
  # allocations that a test refuses or counts
  foreach(target segment_window_test denoise_plan_run_test halftone_plan_test
      io_files_after_errors_test)
    target_link_options(${target} PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
      -Wl,--wrap=posix_memalign)
  endforeach()
elseif(test_sources)
  message(WARNING "cmocka was not found: the unit tests are left out (Debian: libcmocka-dev)")
endif()

# What scripts in tests/cli run beside the command.
add_executable(forge tests/cli/forge.c)
set_target_properties(forge PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
target_link_libraries(forge PRIVATE ${RO_TEST_LIBRARIES} m)
add_executable(calls tests/options/calls.c)
set_target_properties(calls PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
target_link_libraries(calls PRIVATE ${RO_TEST_LIBRARIES} m)

# What tests/faults loads before the command, to make its calls fail.
add_library(faults MODULE tests/faults/preload.c)
set_target_properties(faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY tests C_VISIBILITY_PRESET default)
target_compile_options(faults PRIVATE -fno-sanitize=all -fno-builtin)
target_link_libraries(faults PRIVATE ${CMAKE_DL_LIBS})

file(GLOB_RECURSE test_scripts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
  tests/*_test.sh tests/*_test.py)
foreach(script ${test_scripts})
  get_filename_component(room ${script} DIRECTORY)
  string(REGEX REPLACE "_test\\.(sh|py)$" "" name ${script})
  if(script MATCHES "\\.sh$")
    add_test(NAME ${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/${script})
  elseif(Python3_FOUND)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/${script})
  else()
    message(WARNING "python3 was not found: ${name} is left out")
    continue()
  endif()
  ro_test_properties(${name} ${room})
endforeach()
foreach(name python/python options/agree faults/bindings) # they build the package in the same place
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK python)
  endif()
endforeach()

file(GLOB rocheck_sources CONFIGURE_DEPENDS tests/rocheck/*.c)
if(rocheck_sources)
  add_executable(rocheck ${rocheck_sources})
  target_include_directories(rocheck PRIVATE include src tests)
  target_compile_definitions(rocheck PRIVATE $<$<BOOL:${RO_CUDA_EMULATED}>:RO_CUDA_EMULATED>)
  target_link_libraries(rocheck PRIVATE ${RO_TEST_LIBRARIES} m)
  add_test(NAME rocheck COMMAND rocheck test)
  ro_test_properties(rocheck rocheck)
endif()
if(RO_CUDA_EMULATED)
  include(tests/simt/tests.cmake)
endif()

# The libraries must be built with -fsanitize=fuzzer-no-link as well: ./run test --fuzz does.
if(RO_BUILD_FUZZ)
  set(RO_FUZZING_ENGINE -fsanitize=fuzzer CACHE STRING "what the fuzz targets are linked with")
  add_custom_target(fuzzers)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.c)
  foreach(source ${fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY fuzz)
    target_include_directories(${name} PRIVATE include src tests)
    target_link_libraries(${name} PRIVATE ${RO_TEST_LIBRARIES} m)
    target_link_options(${name} PRIVATE ${RO_FUZZING_ENGINE})
    add_dependencies(fuzzers ${name})
  endforeach()
  # The command is part of this one.
  target_sources(verify_fuzz PRIVATE ${cli_sources} ${PROJECT_BINARY_DIR}/pages.c)
  target_compile_definitions(verify_fuzz PRIVATE main=roundoff_main)
  target_include_directories(verify_fuzz PRIVATE .)
  target_link_libraries(verify_fuzz PRIVATE ${CMAKE_DL_LIBS})
endif()

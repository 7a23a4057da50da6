# SPDX-License-Identifier: MIT
# Tests of a build with emulated CUDA. ctest -L '^emulated$' runs the tests of the emulator and all
# kernels on few inputs, -L emulated-seeds the same inputs in random orders, and -L emulated-whole all
# inputs of rocheck.
add_custom_target(emulated DEPENDS rocheck)

file(GLOB simt_tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} tests/simt/*_test.cu)
foreach(file ${simt_tests})
  get_filename_component(name ${file} NAME_WE)
  ro_simt_sources(sources ${file})
  add_executable(simt_${name} ${sources})
  set_target_properties(simt_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests CXX_STANDARD 17)
  target_include_directories(simt_${name} PRIVATE ${simt_dir})
  target_compile_options(simt_${name} PRIVATE ${simt_options} -w -frounding-math)
  target_link_libraries(simt_${name} PRIVATE simt Threads::Threads m)
  add_dependencies(emulated simt_${name})
  string(REGEX REPLACE "_test$" "" name ${name})
  foreach(seed 0 1)
    add_test(NAME emulated/${name}-${seed} COMMAND simt_${name}_test)
    ro_test_properties(emulated/${name}-${seed} emulated)
    set_property(TEST emulated/${name}-${seed} APPEND PROPERTY ENVIRONMENT RO_SIMT_SEED=${seed})
  endforeach()
endforeach()

foreach(suite diffusion search ordered denoise register segment hologram light device)
  set(cases rocheck test ${suite}/* --variant cuda)
  add_test(NAME emulated/${suite} COMMAND ${cases} --few 8)
  ro_test_properties(emulated/${suite} emulated)
  add_test(NAME emulated-whole/${suite} COMMAND ${cases})
  ro_test_properties(emulated-whole/${suite} emulated-whole)
  foreach(seed 1 2 3)
    add_test(NAME emulated-seeds/${suite}-${seed} COMMAND ${cases} --few 8)
    ro_test_properties(emulated-seeds/${suite}-${seed} emulated-seeds)
    set_property(TEST emulated-seeds/${suite}-${seed} APPEND PROPERTY ENVIRONMENT
      RO_SIMT_SEED=${seed})
  endforeach()
endforeach()

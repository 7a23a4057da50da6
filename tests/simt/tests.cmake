# SPDX-License-Identifier: MIT
# Tests of a build with emulated CUDA. ctest -L '^emulated$' runs the tests of the emulator and all
# kernels on small inputs; ctest -L emulated-whole runs all cases of rocheck.
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
  foreach(pass emulated emulated-whole)
    add_test(NAME ${pass}/${suite} COMMAND rocheck test ${suite}/* --variant cuda
      $<$<STREQUAL:${pass},emulated>:--few> $<$<STREQUAL:${pass},emulated>:8> COMMAND_EXPAND_LISTS)
    ro_test_properties(${pass}/${suite} ${pass})
  endforeach()
endforeach()

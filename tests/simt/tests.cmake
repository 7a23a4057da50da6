# SPDX-License-Identifier: MIT
# Tests of a build with emulated CUDA. ctest -L emulated runs all kernels on small inputs;
# ctest -L emulated-whole runs all cases of rocheck.
add_custom_target(emulated DEPENDS rocheck)
foreach(suite diffusion search ordered denoise register segment hologram light device)
  foreach(pass emulated emulated-whole)
    add_test(NAME ${pass}/${suite} COMMAND rocheck test ${suite}/* --variant cuda
      $<$<STREQUAL:${pass},emulated>:--few> $<$<STREQUAL:${pass},emulated>:4> COMMAND_EXPAND_LISTS)
    ro_test_properties(${pass}/${suite} ${pass})
  endforeach()
endforeach()

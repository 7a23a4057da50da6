# SPDX-License-Identifier: MIT
# What tests/io needs beside its tests, which cmake/tests.cmake finds by their names.
add_executable(io_copy tests/io/copy.c)
set_target_properties(io_copy PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
target_link_libraries(io_copy PRIVATE roundoff_io_internal)

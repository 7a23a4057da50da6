# SPDX-License-Identifier: MIT
add_executable(io_copy tests/io/copy.c)
target_link_libraries(io_copy PRIVATE roundoff_io_static)

# SPDX-License-Identifier: MIT
# The command: one file per command in cli/, one per bench in bench/.
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c bench/*.c)
add_executable(roundoff ${cli_sources})
target_include_directories(roundoff PRIVATE src .)
target_link_libraries(roundoff PRIVATE roundoff_io_static roundoff_static ${CMAKE_DL_LIBS} m)

# SPDX-License-Identifier: MIT
# cmake --install: libraries, headers, the command, its man page, a CMake package and pkg-config
# files. Both kinds of description are relative to where they lie, so that the prefix may be moved.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roundoff)

set_target_properties(roundoff_shared PROPERTIES EXPORT_NAME roundoff)
set_target_properties(roundoff_io_shared PROPERTIES EXPORT_NAME roundoff_io INSTALL_RPATH "$ORIGIN")
install(TARGETS roundoff_static roundoff_shared roundoff_io_static roundoff_io_shared
  EXPORT roundoffTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(RO_CUDA)
  install(TARGETS roundoff_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS roundoff RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h PATTERN *.hpp
  PATTERN roundoff_mpi.h EXCLUDE) # cmake/mpi.cmake has it
install(FILES docs/roundoff.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/roundoff.bash RENAME roundoff
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_roundoff DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/roundoff.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(EXPORT roundoffTargets NAMESPACE roundoff:: DESTINATION ${package_dir})
configure_package_config_file(cmake/roundoffConfig.cmake.in roundoffConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(roundoffConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/roundoffConfig.cmake
  ${PROJECT_BINARY_DIR}/roundoffConfigVersion.cmake DESTINATION ${package_dir})

set(PC_PREFIX ${CMAKE_INSTALL_PREFIX})
set(PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
set(PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(PC_PREFIX "\${pcfiledir}/${up}")
  set(PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

# ro_pkg_config(NAME DESCRIPTION REQUIRES REQUIRES_PRIVATE LIBS_PRIVATE)
function(ro_pkg_config PC_NAME PC_DESCRIPTION PC_REQUIRES PC_REQUIRES_PRIVATE PC_LIBS_PRIVATE)
  configure_file(cmake/roundoff.pc.in ${PC_NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
ro_pkg_config(roundoff "${PROJECT_DESCRIPTION}" "" "" "-lpthread -ldl -lm")

set(pc_PNG libpng)
set(pc_TIFF libtiff-4)
set(pc_JPEG libjpeg)
set(pc_WEBP libwebpdemux)
set(pc_LCMS lcms2)
set(pc_ZLIB zlib)
set(io_requires)
foreach(type PNG TIFF JPEG WEBP LCMS ZLIB)
  if(have_${type})
    list(APPEND io_requires ${pc_${type}})
  endif()
endforeach()
list(JOIN io_requires ", " io_requires)
ro_pkg_config(roundoff_io "Image files for Roundoff" "roundoff = ${PROJECT_VERSION}"
  "${io_requires}" "-ldl")

# import roundoff: cmake --install BUILD --component python, which nobody gets without asking.
install(CODE "execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/python/install.sh\"
  \"${PROJECT_BINARY_DIR}\" \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT python EXCLUDE_FROM_ALL)

# SPDX-License-Identifier: MIT
# The command: a folder per command in cli/, one per bench in bench/.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS cli/*.c bench/*.c)
list(FILTER cli_sources EXCLUDE REGEX "bench/terapixel/")

# Style and scripts of the pages, as text in the program: cli/page/plots.js is page_plots_js.
file(GLOB page_files CONFIGURE_DEPENDS cli/page/*.css cli/page/*.js)
set(page_text "#include \"cli/page/page.h\"\n")
foreach(file ${page_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER page_${name} name)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND page_text "const char ${name}[] = {${bytes}0};\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pages.c CONTENT "${page_text}" @ONLY)

# All but the table of commands, which roundoff-mpi has another of.
set(cli_libraries roundoff_phantoms roundoff_terapixel roundoff_io_internal roundoff_internal ${CMAKE_DL_LIBS} m)
set(cli_shared ${cli_sources})
list(FILTER cli_shared EXCLUDE REGEX "cli/common/main\\.c$")
add_library(roundoff_cli OBJECT ${cli_shared} ${PROJECT_BINARY_DIR}/pages.c)
target_include_directories(roundoff_cli PRIVATE src .)
target_link_libraries(roundoff_cli PRIVATE ${cli_libraries})
add_executable(roundoff cli/common/main.c $<TARGET_OBJECTS:roundoff_cli>)
target_include_directories(roundoff PRIVATE src .)
target_link_libraries(roundoff PRIVATE ${cli_libraries})

# Peers of `roundoff bench denoise`, `register` and `segment`, which run them where they lie beside the
# command.
option(RO_PEER_ITK "Build the bench's ITK program (C++, Debian: libinsighttoolkit5-dev)" OFF)
if(RO_PEER_ITK)
  enable_language(CXX)
  find_package(ITK QUIET COMPONENTS ITKAnisotropicSmoothing ITKImageIntensity ITKLevelSets
    ITKPDEDeformableRegistration ITKSmoothing)
  if(ITK_FOUND) # Debian's needs libraries that its package only recommends
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${ITK_LIBRARIES})
    check_cxx_source_compiles("int main() { return 0; }" RO_ITK_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
  endif()
  if(ITK_FOUND AND RO_ITK_LINKS)
    foreach(peer peer_itk peer_itk_demons peer_itk_levelset)
      add_executable(${peer} bench/peers/${peer}.cpp)
      target_include_directories(${peer} SYSTEM PRIVATE ${ITK_INCLUDE_DIRS})
      target_link_libraries(${peer} PRIVATE ${ITK_LIBRARIES})
      target_compile_options(${peer} PRIVATE -w) # of ITK's headers
    endforeach()
    message(STATUS "ITK ${ITK_VERSION}: the bench has it as a peer")
  elseif(ITK_FOUND)
    unset(RO_ITK_LINKS CACHE) # tried again next time
    message(WARNING "ITK does not link (Debian: libfftw3-dev): the bench goes without it")
  else()
    message(STATUS "ITK was not found: the bench goes without it")
  endif()
endif()

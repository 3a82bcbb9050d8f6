# The module that has Arrow (src/record/parquet/parquet_files.h), beside the program; and the same code for its unit tests.
target_compile_definitions(warpmeter_record_parquet PRIVATE WARPMETER_VERSION="${PROJECT_VERSION}")
if(NOT WARPMETER_HAVE_PARQUET)
  return()
endif()
# Where a program with rights of its own looks. That of a wheel is installed anywhere, by way of a folder that pip makes up:
# it looks where the Debian package has it.
set(library_path ${CMAKE_INSTALL_FULL_LIBDIR}/warpmeter)
if(SKBUILD)
  set(library_path /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/warpmeter)
endif()
target_compile_definitions(warpmeter_record_parquet PUBLIC WARPMETER_HAVE_PARQUET=1
                           PRIVATE WARPMETER_LIBRARY_FOLDER="${WARPMETER_LIBRARY_FOLDER}"
                                   WARPMETER_LIBRARY_PATH="${library_path}")

file(GLOB module_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
set(entry ${CMAKE_CURRENT_LIST_DIR}/parquet_module.cc)
list(REMOVE_ITEM module_sources ${entry})
add_library(warpmeter_parquet_code STATIC ${module_sources})
target_include_directories(warpmeter_parquet_code PUBLIC ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(warpmeter_parquet_code PRIVATE WARPMETER_VERSION="${PROJECT_VERSION}")
target_link_libraries(warpmeter_parquet_code PRIVATE warpmeter_flags PUBLIC warpmeter_arrow warpmeter_record_text)
set_target_properties(warpmeter_parquet_code PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
set_target_properties(warpmeter_parquet_code PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                        VISIBILITY_INLINES_HIDDEN ON)

add_library(warpmeter_parquet_module MODULE ${entry})
target_compile_definitions(warpmeter_parquet_module PRIVATE WARPMETER_VERSION="${PROJECT_VERSION}")
target_link_libraries(warpmeter_parquet_module PRIVATE warpmeter_flags warpmeter_parquet_code)
target_link_options(warpmeter_parquet_module PRIVATE LINKER:--exclude-libs,libwarpmeter_record_text.a)
set_target_properties(warpmeter_parquet_module PROPERTIES OUTPUT_NAME warpmeter_parquet
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# Nothing links the module, but whoever builds the program wants it. It is found beside it, or where it is installed.
add_dependencies(warpmeter warpmeter_parquet_module)
# One RUNPATH for the build and the installation: that of a build CMake fills up with colons, and an empty entry means
# the working folder, where libraries of anybody may lie.
file(RELATIVE_PATH arrow_folder ${PROJECT_BINARY_DIR} ${WARPMETER_ARROW_FOLDER}/lib)
set_target_properties(warpmeter warpmeter_parquet_module PROPERTIES
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(warpmeter PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${WARPMETER_LIBRARY_FOLDER}")
set_target_properties(warpmeter_parquet_module PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/${arrow_folder}")
if(WARPMETER_PACKAGE)  # nothing of where it was built
  set_target_properties(warpmeter warpmeter_parquet_module PROPERTIES INSTALL_RPATH_USE_LINK_PATH OFF)
  set_target_properties(warpmeter_parquet_module PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()

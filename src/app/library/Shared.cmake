# libwarpmeter: what include/warpmeter/ shows, as a shared library with nothing else to be seen of it; installed with its
# headers and a package for find_package(warpmeter).
add_library(warpmeter_shared SHARED $<TARGET_OBJECTS:warpmeter_app_library>)
target_link_libraries(warpmeter_shared PRIVATE warpmeter_app_library)
target_include_directories(warpmeter_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                      $<INSTALL_INTERFACE:include>)
target_compile_features(warpmeter_shared INTERFACE cxx_std_20)
# Until 1.0 each minor version may change what programs were linked against.
set_target_properties(warpmeter_shared PROPERTIES OUTPUT_NAME warpmeter EXPORT_NAME warpmeter VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# It loads the module for Parquet itself, and a program's own RUNPATH says nothing for that: beside it in the build folder,
# in WARPMETER_LIBRARY_FOLDER once installed. One RUNPATH for both, as of the program (record/parquet/module/Module.cmake).
set_target_properties(warpmeter_shared PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/warpmeter")
if(NOT WARPMETER_PACKAGE)
  set_target_properties(warpmeter_shared PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
if(WARPMETER_HAVE_PARQUET)
  add_dependencies(warpmeter_shared warpmeter_parquet_module)
endif()
# Of the libraries that are linked into it, nothing is shown.
target_link_options(warpmeter_shared PRIVATE LINKER:--exclude-libs,ALL)

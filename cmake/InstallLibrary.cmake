# libwarpmeter, for programs of others: components `library` and `development`, and what find_package(warpmeter) and
# pkg-config find.
install(TARGETS warpmeter_shared EXPORT warpmeter
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/warpmeter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/warpmeter)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/warpmeter-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpmeter-config-version.cmake DESTINATION ${config} COMPONENT development)
# The targets are all that the package has.
install(EXPORT warpmeter FILE warpmeter-config.cmake NAMESPACE warpmeter:: DESTINATION ${config} COMPONENT development)
file(RELATIVE_PATH up /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
foreach(dir includedir libdir)
  string(TOUPPER CMAKE_INSTALL_${dir} where)
  set(pc_${dir} ${${where}})
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()
configure_file(cmake/warpmeter.pc.in warpmeter.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpmeter.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES examples/feeder.c DESTINATION share/doc/libwarpmeter-dev/examples COMPONENT development)
install(DIRECTORY examples/library DESTINATION share/doc/libwarpmeter-dev/examples COMPONENT development)

# libwarpmeter, for programs of others: components `library` and `development`, and what find_package(warpmeter) finds.
set(WARPMETER_PUBLIC_HEADERS
    arrow_c_data biflow capture_error columns end_reason end_reason_words extraction feeder_ring feeder_writer
    flow_counters flow_key flow_record frame hd link_type method public status time_form)

install(TARGETS warpmeter_shared EXPORT warpmeter
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
foreach(header IN LISTS WARPMETER_PUBLIC_HEADERS)
  install(FILES include/warpmeter/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpmeter COMPONENT development)
endforeach()

include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/warpmeter)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/warpmeter-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpmeter-config-version.cmake DESTINATION ${config} COMPONENT development)
# The targets are all that the package has.
install(EXPORT warpmeter FILE warpmeter-config.cmake NAMESPACE warpmeter:: DESTINATION ${config} COMPONENT development)
install(DIRECTORY examples/library DESTINATION share/doc/libwarpmeter-dev/examples COMPONENT development)

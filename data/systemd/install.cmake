# Installs the unit files with the paths of the prefix, which `cmake --install --prefix` may choose last. Run by it.
set(prefix ${CMAKE_INSTALL_PREFIX})
foreach(unit warpmeter@.service warpmeter-coalesce@.service)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${unit} $ENV{DESTDIR}${prefix}/lib/systemd/system/${unit} @ONLY)
  message(STATUS "Installing: $ENV{DESTDIR}${prefix}/lib/systemd/system/${unit}")
endforeach()

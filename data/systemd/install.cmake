# Installs the unit file with the paths of the prefix, which `cmake --install --prefix` may choose last. Run by it.
set(prefix ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/warpmeter@.service
               $ENV{DESTDIR}${prefix}/lib/systemd/system/warpmeter@.service @ONLY)
message(STATUS "Installing: $ENV{DESTDIR}${prefix}/lib/systemd/system/warpmeter@.service")

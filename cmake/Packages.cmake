# Debian packages of the components of Install.cmake, for tools/package, which configures the preset `package`. Another
# component becomes a package by one more call of warpmeter_deb().
#
# The same source gives the same bytes if SOURCE_DATE_EPOCH is set: dates in packages are that one.
if(NOT WARPMETER_PACKAGE)
  return()
endif()

set(debian ${PROJECT_SOURCE_DIR}/packages/debian)
set(WARPMETER_DEB_RELEASE 1)  # of packages of one version
set(WARPMETER_MAINTAINER "warpmeter developers <warpmeter@localhost>" CACHE STRING "who answers for the packages")
set(maintainer ${WARPMETER_MAINTAINER})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpmeter)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else the first line of all of them
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # so that the unit file has the paths of /usr, not of where it is packed
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${WARPMETER_DEB_RELEASE})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${maintainer})
set(CPACK_DEBIAN_PACKAGE_SOURCE warpmeter)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # else that of the machine
endif()
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Where dpkg-shlibdeps finds Arrow's libraries.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${WARPMETER_ARROW_FOLDER}/lib)
set(CPACK_COMPONENTS_ALL)

# The changelog of all packages.
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(NOT epoch)
  string(TIMESTAMP epoch %s)
endif()
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian}/changelog.awk)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env TZ=UTC LC_ALL=C awk -v release=${WARPMETER_DEB_RELEASE} -v "maintainer=${maintainer}"
          -v now=${epoch} -f ${debian}/changelog.awk ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  OUTPUT_FILE ${changelog} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)

# warpmeter_deb(COMPONENT NAME SUMMARY DESCRIPTION [SECTION S] [DEPENDS D] [RECOMMENDS R] [ENHANCES E] [SCRIPTS FILE...])
function(warpmeter_deb component name summary description)
  cmake_parse_arguments(PARSE_ARGV 4 deb "" "SECTION;DEPENDS;RECOMMENDS;ENHANCES" "SCRIPTS")
  if(NOT deb_SECTION)
    set(deb_SECTION ${CPACK_DEBIAN_PACKAGE_SECTION})
  endif()
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${deb_SECTION})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${deb_DEPENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${deb_RECOMMENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_ENHANCES "${deb_ENHANCES}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${deb_SCRIPTS}")
  foreach(variable PACKAGE_NAME PACKAGE_SECTION DESCRIPTION PACKAGE_DEPENDS PACKAGE_RECOMMENDS PACKAGE_ENHANCES PACKAGE_CONTROL_EXTRA)
    set(CPACK_DEBIAN_${upper}_${variable} "${CPACK_DEBIAN_${upper}_${variable}}" PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  install(FILES ${changelog}.gz DESTINATION share/doc/${name} COMPONENT ${component})
  set(overrides ${debian}/${name}.lintian-overrides)
  if(component STREQUAL library)
    set(overrides ${debian}/libwarpmeter.lintian-overrides)
  endif()
  if(NOT EXISTS ${overrides})
    set(overrides ${debian}/warpmeter.lintian-overrides)
  endif()
  install(FILES ${overrides} DESTINATION share/lintian/overrides RENAME ${name} COMPONENT ${component})
endfunction()

set(this_version "${PROJECT_VERSION}-${WARPMETER_DEB_RELEASE}")
set(recommends "")
if(WARPMETER_HAVE_PARQUET)
  set(recommends "warpmeter-parquet (= ${this_version})")
endif()
warpmeter_deb(program warpmeter "exact flow meter for packet captures and network interfaces"
"Reads packet captures (pcap, pcapng, HP-CAP, ERF, plain or compressed) or the
packets of network interfaces, and writes one Flow Record per flow as CSV,
JSON, IPFIX or Parquet, to files or to collectors. It counts exactly how many
TCP segments of a flow were retransmitted, duplicated by a mirror port, out of
order or missing. Memory has a limit; the output is the same, byte for byte,
for any number of threads.
.
A template for systemd captures as a service, with metrics for Prometheus and
a dashboard for Grafana. This build meters on CPUs."
  RECOMMENDS "${recommends}"
  SCRIPTS ${debian}/postinst ${debian}/prerm ${debian}/postrm)
if(WARPMETER_HAVE_PARQUET)
  warpmeter_deb(parquet warpmeter-parquet "Parquet files for the flow meter warpmeter"
"The module that lets warpmeter write Flow Records as Parquet files and read
them back. It brings the libraries of Apache Arrow C++ that it needs, for
itself alone."
    DEPENDS "warpmeter (= ${this_version})" ENHANCES warpmeter)
endif()
set(library_name libwarpmeter${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# What CPack writes of a library for others: of all packages or none, so of the module for Parquet as well.
set(control ${CMAKE_CURRENT_BINARY_DIR}/library-control)
file(WRITE ${control}/shlibs
     "libwarpmeter ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library_name} (>= ${PROJECT_VERSION})\n")
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
warpmeter_deb(library ${library_name} "exact flow meter for packet captures - shared library"
"Meters captures, or frames that a program gives, in that program, which takes
the Flow Records as values or as Arrow arrays."
  SECTION libs RECOMMENDS "${recommends}" SCRIPTS ${control}/shlibs ${control}/triggers)
warpmeter_deb(development libwarpmeter-dev "exact flow meter for packet captures - development files"
"Headers, what find_package(warpmeter) of CMake and pkg-config find, and
examples: a program over the library, and a feeder of live captures."
  SECTION libdevel DEPENDS "${library_name} (= ${this_version})")
foreach(name ${library_name} libwarpmeter-dev)
  string(REGEX REPLACE ".*-dev" development component ${name})
  string(REGEX REPLACE "lib.*" library component ${component})
  install(FILES ${debian}/copyright DESTINATION share/doc/${name} COMPONENT ${component})
endforeach()

include(CPack)

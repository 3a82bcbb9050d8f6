# What `cmake --install` installs, in components, each of which is a Debian package as well (Packages.cmake):
#
#   program    the program, its documents, the unit for systemd; also what a rule names no component for
#   parquet    the module for Parquet and the Arrow libraries that were shipped with it
#   library, development   libwarpmeter, its headers and what find_package(warpmeter) finds (InstallLibrary.cmake)
#   licences   texts that a Debian package has in its `copyright` alone
#
# The program's RUNPATH leads from bin/ to WARPMETER_LIBRARY_FOLDER, which is Debian's for the architecture under /usr.
set(pages share/doc/warpmeter)
install(TARGETS warpmeter RUNTIME COMPONENT program)
install(SCRIPT cmake/install_pages.cmake COMPONENT program)
install(FILES docs/retransmissions.ipynb DESTINATION ${pages}/docs COMPONENT program)
install(DIRECTORY docs/notebooks DESTINATION ${pages}/docs COMPONENT program
        FILES_MATCHING PATTERN "*.ipynb" PATTERN "made_traffic.py" PATTERN __pycache__ EXCLUDE)
install(FILES data/report.png data/first-look.pcap data/retransmissions.pcap  # as pages name them
        DESTINATION ${pages}/data COMPONENT program)
install(FILES data/systemd/warpmeter.env.example data/grafana/warpmeter.json packages/debian/copyright
        DESTINATION ${pages} COMPONENT program)
install(FILES data/first-look.pcap data/first-look.expected.csv DESTINATION ${pages}/examples COMPONENT program)
install(FILES data/policies/example.toml DESTINATION ${pages}/examples RENAME policy.toml COMPONENT program)
install(FILES data/warpmeter-elements.xml data/ntop-elements.xml DESTINATION share/warpmeter COMPONENT program)
install(SCRIPT data/systemd/install.cmake COMPONENT program)
install(FILES LICENSE DESTINATION ${pages} COMPONENT licences)
include(${CMAKE_CURRENT_LIST_DIR}/InstallLibrary.cmake)

if(NOT WARPMETER_HAVE_PARQUET)
  return()
endif()

# A text as a field of a Debian copyright file: lines begin with a blank, empty ones are a dot.
function(warpmeter_read_field result file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "^[\r\n]+|[ \t\r\n]+$" "" text "${text}")
  string(REGEX REPLACE "[ \t\r]+\n" "\n" text "${text}")
  string(REPLACE "\n" "\n " text " ${text}")
  string(REGEX REPLACE "\n \n" "\n .\n" text "${text}")
  string(REGEX REPLACE "\n \n" "\n .\n" text "${text}")  # of several empty lines the others
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(parquet_pages share/doc/warpmeter-parquet)
set(parquet_copyright ${CMAKE_CURRENT_BINARY_DIR}/parquet.copyright)
configure_file(packages/debian/parquet.copyright ${parquet_copyright} COPYONLY)
install(TARGETS warpmeter_parquet_module LIBRARY DESTINATION ${WARPMETER_LIBRARY_FOLDER} COMPONENT parquet)
if(WARPMETER_ARROW_FILES)
  warpmeter_read_field(arrow_license ${WARPMETER_ARROW_FOLDER}/licenses/LICENSE.txt)
  warpmeter_read_field(arrow_notice ${WARPMETER_ARROW_FOLDER}/licenses/NOTICE.txt)
  set(arrow_package ${WARPMETER_ARROW_PACKAGE})
  file(READ packages/debian/arrow.copyright.in stanzas)
  string(CONFIGURE "${stanzas}" stanzas @ONLY)
  file(APPEND ${parquet_copyright} "${stanzas}")
  install(FILES ${WARPMETER_ARROW_FILES} DESTINATION ${WARPMETER_LIBRARY_FOLDER} COMPONENT parquet)
  install(FILES ${WARPMETER_ARROW_FOLDER}/licenses/LICENSE.txt ${WARPMETER_ARROW_FOLDER}/licenses/NOTICE.txt
          DESTINATION ${parquet_pages} COMPONENT licences)
  # `cmake --install --strip` strips what was built here alone; Arrow's symbols are a fifth of its size.
  foreach(file IN LISTS WARPMETER_ARROW_FILES)
    get_filename_component(name ${file} NAME)
    install(CODE "
      if(CMAKE_INSTALL_DO_STRIP)
        execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded
          \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${WARPMETER_LIBRARY_FOLDER}/${name} COMMAND_ERROR_IS_FATAL ANY)
      endif()" COMPONENT parquet)
  endforeach()
endif()
install(FILES ${parquet_copyright} DESTINATION ${parquet_pages} RENAME copyright COMPONENT parquet)

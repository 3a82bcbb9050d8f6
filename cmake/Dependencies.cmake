# The libraries: those of the system or, with -DWARPMETER_DEPENDENCIES=FOLDER, those that tools/carry copied there, for
# machines that have neither them nor a network.
#
# Without libpcap there are no capture filters. Without Boost.Context, which cannot be carried, there are no lanes as
# fibers: WARPMETER_HAVE_FIBERS is false, and what needs them is left out; only with carried libraries.
set(WARPMETER_DEPENDENCIES "" CACHE PATH "folder made by tools/carry; empty: the libraries of the system")

find_package(Threads REQUIRED)
find_path(PCAP_INCLUDE_DIR pcap/pcap.h)
find_library(PCAP_LIBRARY pcap)

# Carried are headers, CMake's files of two of the packages, and the sources of GoogleTest.
if(WARPMETER_DEPENDENCIES)
  if(NOT EXISTS ${WARPMETER_DEPENDENCIES}/include/fmt)
    message(FATAL_ERROR "${WARPMETER_DEPENDENCIES} was not made by tools/carry")
  endif()
  list(PREPEND CMAKE_PREFIX_PATH ${WARPMETER_DEPENDENCIES})
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  target_include_directories(fmt::fmt INTERFACE ${WARPMETER_DEPENDENCIES}/include)
  message(STATUS "libraries: those in ${WARPMETER_DEPENDENCIES}")
else()
  find_package(fmt REQUIRED)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

set(WARPMETER_HAVE_FIBERS FALSE)
if(WARPMETER_TESTS AND WARPMETER_DEPENDENCIES)
  set(googletest ${WARPMETER_DEPENDENCIES}/googletest)
  add_library(carried_gtest_main STATIC EXCLUDE_FROM_ALL ${googletest}/src/gtest-all.cc ${googletest}/src/gtest_main.cc)
  target_include_directories(carried_gtest_main PRIVATE ${googletest})
  target_include_directories(carried_gtest_main SYSTEM PUBLIC ${WARPMETER_DEPENDENCIES}/include)
  target_link_libraries(carried_gtest_main PUBLIC Threads::Threads)
  add_library(GTest::gtest_main ALIAS carried_gtest_main)
  find_package(Boost QUIET CONFIG COMPONENTS context)
  if(NOT TARGET Boost::context)
    message(STATUS "Boost.Context: none, so without test_kernels, test_property and kernels_bench_on_cpu")
  endif()
elseif(WARPMETER_TESTS)
  find_package(GTest REQUIRED)
  find_package(Boost REQUIRED CONFIG COMPONENTS context)
endif()
if(TARGET Boost::context)
  set(WARPMETER_HAVE_FIBERS TRUE)
endif()

# CUDA is optional: found, it is compiled; not found, the program says so and meters on the CPU.
# Sets WARPMETER_HAVE_CUDA.
#
# CMake 3.25 does not know CUDA 13's C++20 and fails in find_package(CUDAToolkit): it is told the flag, and the runtime is
# linked statically by the CUDA language itself, so that the program starts on machines without a driver.
set(WARPMETER_HAVE_CUDA FALSE)
if(NOT WARPMETER_CUDA STREQUAL "OFF" AND NOT WARPMETER_SANITIZE)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(WARPMETER_HAVE_CUDA TRUE)
  elseif(WARPMETER_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WARPMETER_CUDA=ON, but no CUDA compiler was found")
  endif()
endif()
message(STATUS "CUDA: ${WARPMETER_HAVE_CUDA}")

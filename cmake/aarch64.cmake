# A toolchain file: for arm64, compiled on a Debian of another architecture by g++-aarch64-linux-gnu, with the libraries
# that `tools/setup arm64` installs beside those of the machine. What has to run here - the tests, and what writes the
# manual pages - runs by qemu. An arm64 machine needs none of this.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
find_program(WARPMETER_EMULATOR NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${WARPMETER_EMULATOR})
list(APPEND CMAKE_PREFIX_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/vectorscan-arm64/usr)  # tools/setup says why

#!/usr/bin/env bash
# A build of packages for arm64 on another machine: it is of that architecture, for any CPU of it, rounds as amd64 does, and
# its packages say so and have Debian's folders. What tools/package cannot make it says at once.
. "$(dirname "$0")/../common.sh"
expect_status 2 "$SOURCE/tools/package" rpm --arch arm64
expect_one_line '^usage: tools/package deb\|wheel \[--arch arm64\] \[FOLDER\]$'
expect_status 2 "$SOURCE/tools/package" deb --arch
expect_status 1 "$SOURCE/tools/package" deb --arch sparc64
expect_one_line '^tools/package: sparc64: packages are made for .* and arm64 here$'
expect_status 2 "$SOURCE/tools/setup-parquet" --arm64 --with-readers

[ "$(uname -m)" != aarch64 ] || { echo "a machine that is not arm64 runs the rest"; exit 77; }
for tool in cmake ninja aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v $tool > /dev/null || { echo "tools/setup arm64, and then this runs"; exit 77; }
done
cmake -S "$SOURCE" -B build --preset package-arm64 > log.txt 2>&1 || { cat log.txt >&2; fail "cannot be configured"; }
grep -qx 'set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE "arm64")' build/CPackConfig.cmake || fail "packages of another architecture"
grep -qx 'CMAKE_INSTALL_LIBDIR:.*=lib/aarch64-linux-gnu' build/CMakeCache.txt || fail "not Debian's folder"
python3 - build/compile_commands.json <<'PY'
import json, sys
commands = [one['command'] for one in json.load(open(sys.argv[1]))]
wrong = [c for c in commands if 'aarch64-linux-gnu-g' not in c or '-march' in c or
         ('g++ ' in c and '-ffp-contract=off' not in c)]
assert commands and not wrong, wrong[0]
PY
cat > one.cc <<'CODE'
#include "flow/meter/equal_bytes.h"
#if !defined(__ARM_NEON)
#error "no vectors"
#endif
struct alignas(16) Sixteen { std::uint8_t bytes[16]; };
int main() {
  const Sixteen all{{1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  return warpmeter::equal_bytes(all.bytes, 1) == 0x8009 ? 0 : 1;
}
CODE
aarch64-linux-gnu-g++ -std=c++20 -O2 -I"$SOURCE/src" -o one one.cc
qemu-aarch64-static -L /usr/aarch64-linux-gnu ./one || fail "its vectors find something else"

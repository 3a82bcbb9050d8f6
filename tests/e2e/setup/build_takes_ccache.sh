#!/usr/bin/env bash
# tools/test builds by ccache, and without it where it cannot write. What it compiled, a plain `cmake --build` in a folder
# of the same launcher takes from the cache, precompiled headers too; without ccache, or where it cannot write, such a
# folder compiles. What tools/run compiled before there was a ccache, tools/test does not compile again.
. "$(dirname "$0")/../common.sh"
command -v ccache >/dev/null || { echo "apt-get install ccache runs this: there is no ccache"; exit 77; }
eval "$(sed -n '/^compile_once() {$/,/^}$/p' "$SOURCE/tools/test")"
declare -F compile_once >/dev/null || fail "tools/test has changed"
for name in $(compgen -e CCACHE_); do unset "$name"; done

# A tree like ours, with what ccache takes only if it is told to.
mkdir -p tree/tools
cp "$SOURCE/tools/compile_once" tree/tools
cd tree
echo '#include <vector>' > headers.h
echo 'const char* made = __DATE__; std::vector<int> one;' > one.cc
cat > CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(tree LANGUAGES CXX)
add_library(one OBJECT one.cc)
target_precompile_headers(one PRIVATE headers.h)
add_executable(warpmeter EXCLUDE_FROM_ALL main.cc)
target_link_libraries(warpmeter PRIVATE one)
CODE
echo '#include <cstdio>
int main() { return puts("built") < 0; }' > main.cc

# configures FOLDER: as tools/test does, with this folder of ccache's in CCACHE_DIR
configures() (
  compile_once > said.txt
  cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -S . -B "$1" > log.txt 2>&1 || { cat log.txt >&2; fail "cmake"; }
  [ -n "${2:-}" ] || return 0
  cmake --build "$1" > log.txt 2>&1 || { cat log.txt >&2; fail "the build by tools/test"; }
)
export CCACHE_DIR=$PWD/cache
counted() { ccache --print-stats | sed -n "s/^$1\t//p"; }
configures of_tools_test and_builds
[ ! -s said.txt ] || fail "$(cat said.txt)"
[ "$(counted cache_miss)" -ge 2 ] || fail "not compiled by ccache: $(ccache -s -v)"

# Nothing of tools/test is in the environment here.
configures by_hand
grep -q '_LAUNCHER:STRING=.*/tools/compile_once$' by_hand/CMakeCache.txt || fail "no launcher"
ccache -z > /dev/null
cmake --build by_hand > log.txt
[ "$(counted cache_miss)" = 0 ] && [ $(($(counted direct_cache_hit) + $(counted preprocessed_cache_hit))) = 2 ] ||
  fail "compiled anew: $(ccache -s -v)"

CCACHE_DIR=/proc/cache configures nowhere and_builds
grep -qx 'ccache cannot write to /proc/cache: everything is compiled' said.txt || fail "said: $(cat said.txt)"

rm by_hand/CMakeFiles/one.dir/one.cc.o
CCACHE_DIR=/proc/cache cmake --build by_hand > log.txt || { cat log.txt >&2; fail "where ccache cannot write nothing is built"; }

# A folder of programs without ccache.
mkdir programs
for program in bash env cmake ninja c++ g++ as ld sh basename dirname flock mkdir readlink rm sed; do
  ln -s "$(command -v $program)" programs
done
rm by_hand/CMakeFiles/one.dir/one.cc.o
env PATH="$PWD/programs" cmake --build by_hand > log.txt || { cat log.txt >&2; fail "without ccache nothing is built"; }

cp "$SOURCE/tools/run" tools
ln -s /bin/true tools/setup
echo '{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "build/release",
      "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}}]}' > CMakePresets.json
[ "$(env PATH="$PWD/programs" tools/run 2> log.txt)" = built ] || { cat log.txt >&2; fail "tools/run"; }
(compile_once && cmake --preset release -DWARPMETER_TESTS=ON && cmake --build build/release --target warpmeter) > log.txt 2>&1 ||
  { cat log.txt >&2; fail "the build of tools/test in the folder of tools/run"; }
grep -q '^ninja: no work to do' log.txt || { cat log.txt >&2; fail "what tools/run compiled was compiled again"; }

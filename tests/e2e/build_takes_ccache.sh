#!/usr/bin/env bash
# tools/test builds by ccache, also in a build folder that takes it already, and without it where it cannot write.
. "$(dirname "$0")/common.sh"
command -v ccache >/dev/null || { echo "ccache is not installed"; exit 77; }
eval "$(sed -n '/^compile_once() {$/,/^}$/p' "$SOURCE/tools/test")"
declare -F compile_once >/dev/null || fail "tools/test has changed"
echo 'int one = 1;' > one.cc

# compiles FOLDER: by ccache, as tools/test does with this folder of ccache's
compiles() (
  unset CCACHE_DISABLE
  export CCACHE_DIR=$1
  compile_once > said.txt
  ccache c++ -c one.cc -o one.o
)
expect_status 0 compiles "$PWD/cache"
[ ! -s said.txt ] && [ -d cache ] || fail "$(cat said.txt)"
expect_status 0 compiles /proc/cache
grep -qx 'ccache cannot write to /proc/cache: everything is compiled' said.txt || fail "said: $(cat said.txt)"
[ ! -s stderr.txt ] || fail "$(cat stderr.txt)"

#!/usr/bin/env bash
# ctest's output tells of tests that were skipped why: of a script what it said last, with the words of the system; of
# programs with many cases the reason of each.
. "$(dirname "$0")/common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
command -v cmake ctest >/dev/null || { echo "cmake runs this"; exit 77; }
cat > cannot.sh <<'SH'
echo looks around
why=$(LC_ALL=C mkdir /proc/here 2>&1) || { echo "a folder in /proc runs this: $why"; exit 77; }
SH
echo 'echo fine' > fine.sh
printf '%s\n' 'echo "[ RUN      ] Some.Case"' 'echo "some_test.cc:7: Skipped"' 'echo "a machine with less runs this"' \
  'echo' 'echo "[  SKIPPED ] Some.Case (0 ms)"' > cases.sh
cat > CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(skipped NONE)
enable_testing()
foreach(name cannot fine cases)
  add_test(NAME ${name} COMMAND bash $ENV{SOURCE}/tests/run_script.sh ${CMAKE_SOURCE_DIR}/${name}.sh)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
CMAKE
mkdir built
cmake -B built . > /dev/null
cp "$(dirname "$WARPMETER")/CTestCustom.cmake" built/
ctest --test-dir built > told.txt || { cat told.txt; fail "ctest fails"; }
sed -n '/^Skipped, and why:/,$p' told.txt > why.txt
diff - why.txt <<'WHY' || fail "other reasons"
Skipped, and why:
  cannot: a folder in /proc runs this: mkdir: cannot create directory '/proc/here': No such file or directory
  cases, Some.Case: a machine with less runs this
WHY

#!/usr/bin/env bash
# ctest's output tells of tests that were skipped why: of a script what it said last, with the words of the system; of
# programs with many cases the reason of each. Every one of them says what would run it: a setup, or hardware.
. "$(dirname "$0")/../common.sh"
python3 - "$SOURCE/tests" <<'PY' || fail "a test that is skipped and does not say what runs it"
import pathlib, re, sys
RUNS = re.compile(r'\bruns? (this|the rest|these)\b|, and then this runs\b')
bad, seen = [], 0
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*')):
    if not path.is_file() or path.suffix not in ('.cc', '.h', '.cu', '.sh', '.py', ''): continue
    text = path.read_text(errors='replace')
    said = re.findall(r'GTEST_SKIP\(\)(.*?);', text, re.S) + re.findall(r'skipTest\((.*?)\)\n', text, re.S)
    if path.suffix in ('.sh', ''):  # what a script says last: on this line, or those before
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if re.search(r'\bexit 77\b', line): said.append(line if 'echo' in line else '\n'.join(lines[max(0, at - 3):at + 1]))
        said = [words for words in said if 'skip() {' not in words]
        said += re.findall(r'\|\| skip "(.*?)"', text)
    for words in said:
        seen += 1
        shared = re.match(r'\s*<<\s*kWhoRunsWireTests\s*<<', words)  # ends with a colon: the system's words follow
        is_passed_on = words.strip() == 'said'
        if not RUNS.search(words) and not shared and not is_passed_on: bad.append(f'{path}: {words.strip()}')
print('\n'.join(bad))
assert seen > 150, seen
sys.exit(bool(bad))
PY
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

#!/usr/bin/env bash
# The Python package: tests/python, and that bench/python and bench/flat_memory run.
. "$(dirname "$0")/../common.sh"
package=$(dirname "$WARPMETER")/python
ls "$package"/warpmeter/_extension*.so >/dev/null 2>&1 ||
  { echo "tools/setup-python and then a build with -DWARPMETER_PYTHON=ON run this"; exit 77; }
python=$SOURCE/build/python/bin/python3
"$python" -c 'import duckdb, matplotlib, pandas, polars, pyarrow' 2>/dev/null || { echo "tools/setup-python runs this"; exit 77; }
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
if [ -n "${SANITIZE:-}" ]; then
  # Python has no sanitizer, so its runtime has to come first, and what that watches of C++ with it; what Python keeps to its
  # end is no leak of ours.
  export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so.6)"
  export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
  tests=test_in*.py  # what fails, and what is interrupted; all where there is time
  [ "${LONG:-OFF}" = OFF ] || tests=test_*.py
  "$python" -X faulthandler -m unittest discover -s "$SOURCE/tests/python" -p "$tests"
  exit
fi
"$SOURCE/bench/python" --smoke --build "$(dirname "$WARPMETER")" >bench.md 2>bench.log || { cat bench.log; fail "bench/python"; }
"$SOURCE/bench/flat_memory" --smoke --build "$(dirname "$WARPMETER")" >flat.md 2>flat.log || { cat flat.md flat.log; fail "bench/flat_memory"; }
"$python" -X faulthandler -W error::ResourceWarning -m unittest discover -s "$SOURCE/tests/python"

#!/usr/bin/env bash
# The Python package: tests/python, and that bench/python and bench/flat_memory run.
. "$(dirname "$0")/common.sh"
package=$(dirname "$WARPMETER")/python
ls "$package"/warpmeter/_extension*.so >/dev/null 2>&1 ||
  { echo "tools/setup-python and then a build with -DWARPMETER_PYTHON=ON run this"; exit 77; }
python=$SOURCE/build/python/bin/python3
"$python" -c 'import duckdb, matplotlib, pandas, polars, pyarrow' 2>/dev/null || { echo "tools/setup-python runs this"; exit 77; }
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
"$SOURCE/bench/python" --smoke --build "$(dirname "$WARPMETER")" >bench.md 2>bench.log || { cat bench.log; fail "bench/python"; }
"$SOURCE/bench/flat_memory" --smoke --build "$(dirname "$WARPMETER")" >flat.md 2>flat.log || { cat flat.md flat.log; fail "bench/flat_memory"; }
"$python" -W error::ResourceWarning -m unittest discover -s "$SOURCE/tests/python"

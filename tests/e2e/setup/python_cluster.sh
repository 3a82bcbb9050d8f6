#!/usr/bin/env bash
# `warpmeter cluster`, the Python package on Ray: tests/python/cluster. What needs no Ray is tried in any case.
. "$(dirname "$0")/../common.sh"
package=$(dirname "$WARPMETER")/python
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
ls "$package"/warpmeter/_extension*.so >/dev/null 2>&1 ||
  { echo "tools/setup-python and then a build with -DWARPMETER_PYTHON=ON run this"; exit 77; }
python=$SOURCE/build/python/bin/python3
"$python" -c 'import pyarrow' 2>/dev/null || { echo "tools/setup-python runs this"; exit 77; }
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
"$python" -X faulthandler -W error::ResourceWarning -m unittest discover -s "$SOURCE/tests/python/cluster" 2>said || { cat said; exit 1; }
cat said
if ! "$python" -c 'import ray, s3fs, moto' 2>/dev/null; then
  echo "tools/setup-cluster runs the rest of this"
  exit 77
fi

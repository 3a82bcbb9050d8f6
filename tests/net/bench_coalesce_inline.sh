#!/usr/bin/env bash
# bench/coalesce/inline.py: a throughput for each way between two hosts and each number of connections, ratios of them, and a
# picture.
. "$(dirname "$0")/inline/hosts.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
python3 "$SOURCE/bench/coalesce/inline.py" --smoke --build "$(dirname "$WARPMETER")" --out report --raw raw.json >report.txt 2>log.txt ||
  { cat log.txt >&2; fail "a short run"; }
[ "$(grep -cE 'Gbit/s \| [0-9.]+ \| [0-9.]+ \|$' report.txt)" = 6 ] || { cat report.txt; fail "ways are missing"; }
[ "$(grep -cE ', to .* \| [0-9.]+ \| [0-9.]+ \|$' report.txt)" = 9 ] || { cat report.txt; fail "ratios are missing"; }
grep -q 'packets joined' report/inline.md
grep -q '<svg' report/inline.svg
python3 -c "
import json
found = json.load(open('raw.json'))
assert len(found) == 12 and all(rate > 0 for one in found for rate in one['rates']), found
assert all(one['joined'][0] > 5 for one in found if one['way'] in ('batch', 'no_push', 'average')), found"

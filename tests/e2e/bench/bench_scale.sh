#!/usr/bin/env bash
# bench/scale/run has a row for every point of every series, all counters as planted, and says when a run fails.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BUILD=$(dirname "$WARPMETER")
"$SOURCE/bench/scale/run" --smoke --build "$BUILD" --tmp . --out out 2> log.txt
python3 - <<'PY'
import json, xml.dom.minidom
report, series = open('out/report.md').read(), json.load(open('out/raw.json'))['series']
assert list(series) == ['packets', 'live', 'threads', 'files'], series.keys()
for name, points in series.items():
    section = report.split(f'\n## {name}\n')[1].split('\n## ')[0]
    for point in points:
        assert f'\n| {point["point"]} | ' in section, (name, point['point'])
        stats = point['stats']
        assert stats['packets read'] == point['packets'], (name, point)
        assert stats['rows'] == point['planted flows'], (name, point)
        assert stats['damage'] == [] and point['runs'][0]['wall'] > 0, (name, point)
packets, live, threads, files = series.values()
assert packets[1]['packets'] == 10 * packets[0]['packets']
assert live[1]['alive at once'] > 5 * live[0]['alive at once'] and live[1]['packets'] == live[0]['packets']
assert [p['threads'] for p in threads] == [1, 2]
assert files[0]['stats']['totals'] == files[1]['stats']['totals']
xml.dom.minidom.parse('out/scale.svg')
PY
[ "$(ls)" = "log.txt
out" ] || fail "left behind: $(ls)"
# A program that fails: every point says so, and so does the exit status.
mkdir -p broken/tools
ln -s "$(dirname "$(dirname "$TRAFFIC_GEN")")/traffic_gen" broken/tools/traffic_gen
printf '#!/bin/sh\necho "warpmeter: out of order" >&2\nexit 1\n' > broken/warpmeter
chmod +x broken/warpmeter
expect_status 1 "$SOURCE/bench/scale/run" --smoke --series packets files --build broken --tmp . --out failed
[ "$(grep -c 'exit status 1: warpmeter: out of order' failed/report.md)" -ge 4 ] || fail "failures are not told"

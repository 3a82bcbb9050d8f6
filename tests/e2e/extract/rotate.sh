#!/usr/bin/env bash
# --rotate: many files that together hold what one file holds, each complete, by size or by the time flows ended.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 60000 --mean-packets 6 -o t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
mkdir size time
"$WARPMETER" extract -q --rotate 100K -o size/flows.csv t.pcap
"$WARPMETER" extract -q --rotate 100ms -o time/flows.csv t.pcap
[ "$(ls size | head -1)" = flows.000001.csv ] || fail "names: $(ls size)"
[ "$(ls size | wc -l)" -gt 3 ] || fail "few files: $(ls size)"
{ head -1 all.csv; for f in size/*; do tail -n +2 "$f"; done; } | cmp - all.csv
python3 - <<'PY'
import csv, glob, re, datetime
files = sorted(glob.glob('time/*'))
assert len(files) > 1, files
whole, seen = [r for r in open('all.csv')][1:], []
for name in files:
    text = re.fullmatch(r'time/flows\.(\d{8}T\d{6})(?:\.(\d{9}))?Z\.csv', name)
    assert text, name
    begin = int(datetime.datetime.strptime(text[1] + '+0000', '%Y%m%dT%H%M%S%z').timestamp()) * 10**9 + int(text[2] or 0)
    lines = open(name).readlines()
    assert lines[0] == open('all.csv').readline()
    for line in lines[1:]: assert begin <= int(line.split(',')[6]) < begin + 100_000_000, (name, line)
    seen += lines[1:]
assert sorted(seen) == sorted(whole) and len(seen) == len(whole)
PY
expect_status 2 "$WARPMETER" extract -q --rotate 1M t.pcap
expect_one_line '--rotate goes with -o FILE'
expect_status 2 "$WARPMETER" extract -q --rotate soon -o x.csv t.pcap
expect_one_line 'soon'
no_leftovers

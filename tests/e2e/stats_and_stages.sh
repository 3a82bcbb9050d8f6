#!/usr/bin/env bash
# --stats writes JSON with the exit status and all counts; --stages adds the time per stage to the summary; -q is silent.
. "$(dirname "$0")/common.sh"
"$WARPMETER" extract --stages --stats stats.json -o out.csv "$DATA/first-look.pcap" 2> summary.txt
grep -q 'merge and export' summary.txt
python3 - <<'PY'
import csv, json
stats, rows = json.load(open('stats.json')), list(csv.DictReader(open('out.csv')))
assert stats['exit status'] == 0 and stats['rows'] == len(rows) == sum(stats['flows by end reason'].values()), stats
assert stats['packets read'] == stats['packets metered'] + sum(stats['ignored'].values()), stats
for name, value in stats['totals'].items(): assert value == sum(int(row[name] or 0) for row in rows), name
PY
"$WARPMETER" extract -q -o out.csv "$DATA/first-look.pcap" 2> summary.txt
[ ! -s summary.txt ] || fail "-q is not silent"

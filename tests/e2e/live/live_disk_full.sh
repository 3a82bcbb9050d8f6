#!/usr/bin/env bash
# Files of `live` that are written when it ends, on a disk without enough room: they have, in output order, what there is
# room for, the rest is counted as lost, an output on another disk is whole, and the exit status is 1.
. "$(dirname "$0")/../common.sh"
mkdir small roomy captures
why=$(mount -t tmpfs -o size=1m tmpfs small 2>&1) || { echo "root with the right to mount runs this: $why"; exit 77; }
trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
"$TRAFFIC_GEN" --packets 60000 --mean-packets 4 -o captures/many.pcap
live="$WARPMETER live -q -i folder:captures --duration 1s --stats stats.json"

# balance FILES: rows in them + lost = all.
balance() {
  python3 - "$1" <<'PY'
import csv, glob, json, sys
stats = json.load(open('stats.json'))
small, = [o for o in stats['outputs'] if o['output'].startswith('small/')]
roomy = [o for o in stats['outputs'] if o['output'].startswith('roomy/')]
assert not roomy or roomy[0]['lost records'] == roomy[0]['files not complete'] == 0, roomy
rows = [row for name in glob.glob(sys.argv[1]) for row in csv.DictReader(open(name))]
reverse = lambda row, column: int(row.get('reverse_' + column) or 0)
sums = [len(rows)] + [sum(int(row[c]) + reverse(row, c) for row in rows) for c in ('packets', 'bytes')]
lost = [small['lost ' + what] for what in ('records', 'packets', 'octets')]
assert len(rows) > 1000 and lost[0] > 1000, (len(rows), lost)
got = [a + b for a, b in zip(sums, lost)]
assert got == [stats['rows'], stats['packets metered'], stats['totals']['bytes']], (got, stats['rows'])
assert stats['exit status'] == 1 and 'No space left on device' in stats['error']
PY
}

expect_status 1 $live -o small/flows.csv -o roomy/flows.csv
grep -q '^warpmeter: small/flows.csv: cannot be written: No space left on device: [1-9][0-9]* of [0-9]* Flow Records are in it, .* lost$' stderr.txt ||
  fail "$(cat stderr.txt)"
[ "$(wc -l <stderr.txt)" = 1 ] || fail "more than one line: $(cat stderr.txt)"
balance small/flows.csv
head -n "$(wc -l <small/flows.csv)" roomy/flows.csv | cmp - small/flows.csv || fail "not the first of all Flow Records"
"$WARPMETER" extract -q -o expected.csv captures
cmp expected.csv roomy/flows.csv || fail "other Flow Records than those of extract"
rm small/*

# Pairs, in files of intervals.
expect_status 1 $live --biflow --rotate 10s -o small/flows.csv
balance 'small/flows.*.csv'
no_leftovers

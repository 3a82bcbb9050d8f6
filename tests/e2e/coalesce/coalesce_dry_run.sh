#!/usr/bin/env bash
# --dry-run tells of each threshold and timeout what a run with it does, and writes nothing.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --flows 20 --mean-packets 1000 --frame-size 1400 --clean -o all.pcap
"$WARPMETER" coalesce -q --no-push --dry-run all.pcap --stats dry.json > table.txt
[ "$(ls | grep -c pcap)" = 1 ] || fail "something was written: $(ls)"
"$WARPMETER" coalesce -q --no-push --dry-run --threads 1 all.pcap | cmp - table.txt
[ "$(wc -l < table.txt)" = 6 ] && head -n 1 table.txt | grep -q '^THRESHOLD '
for threshold in 16K 32K 64K; do
  "$WARPMETER" coalesce -q --no-push --threshold $threshold all.pcap -o x.pcap --stats x.json
  python3 - $threshold $(($(stat -c %s all.pcap) - $(stat -c %s x.pcap))) <<'PY'
import json, sys
wanted, dry = json.load(open('x.json')), json.load(open('dry.json'))
row = next(row for row in dry['what_if'] if row['threshold'] == int(sys.argv[1][:-1]) * 1024 and row['timeout_intervals'] == 10)
line = next(line.split() for line in open('table.txt') if line.split()[:2] == [sys.argv[1], '10x'])
for name in 'super_packets', 'joined', 'saved_bytes': assert row[name] == wanted[name], (name, row, wanted)
assert row['packets'] == wanted['packets_written'] and row['joined'] > 1000
assert line[2:3] + line[4:5] + line[6:] == [str(row[name]) for name in ('packets', 'super_packets', 'saved_bytes')], (line, row)
assert line[3] == f'{100 - 100 * row["packets"] / wanted["packets_read"]:.0f}%', (line, row)
# Of a pcap file, a record header of 16 bytes goes with each packet.
assert int(sys.argv[2]) == row['saved_bytes'] + 16 * (wanted['packets_read'] - row['packets']), (sys.argv, row)
PY
done

# The shorter the timeout, the less is joined.
python3 - <<'PY'
import json
rows = [row for row in json.load(open('dry.json'))['what_if'] if row['threshold'] == 64 * 1024]
assert [row['timeout_intervals'] for row in rows] == [1, 10, 100], rows
joined = [row['joined'] for row in rows]
assert joined == sorted(joined) and joined[0] < joined[1], rows
PY

#!/usr/bin/env bash
# --order: by time unless something else is said. Where time runs back from file to file, the summary names them.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 --flows 10 -o early.pcap
python3 - <<'PY'
import struct
data = bytearray(open('early.pcap', 'rb').read())
at = 24
while at < len(data):                                   # an hour later
    second, _, size = struct.unpack_from('<III', data, at)
    struct.pack_into('<I', data, at, second + 3600)
    at += 16 + size
open('a-late.pcap', 'wb').write(data)
PY
expect_status 0 "$WARPMETER" extract -o time.csv a-late.pcap early.pcap
! grep -q 'time runs back' stderr.txt || fail "time runs back"
expect_status 0 "$WARPMETER" extract --order given -o given.csv --stats stats.json a-late.pcap early.pcap
grep -qE '^  time runs back +by 1 h from a-late.pcap to early.pcap$' stderr.txt || { cat stderr.txt; fail "not said"; }
grep -q '"from": "a-late.pcap"' stats.json || fail "not in the statistics"
expect_status 0 "$WARPMETER" extract --order name -o name.csv early.pcap a-late.pcap
cmp given.csv name.csv
! cmp -s given.csv time.csv || fail "the order does not matter"
expect_status 0 "$WARPMETER" extract --order given -o given.csv early.pcap a-late.pcap
cmp given.csv time.csv
for times in '1 time' '2 times'; do
  set -- a-late.pcap early.pcap
  [ "$times" = '1 time' ] || set -- "$@" "$@"
  expect_status 0 "$WARPMETER" memory --order given -o memory.txt "$@"
  grep -q "^  time runs back  *$times between files; it stands still there$" stderr.txt || { cat stderr.txt; fail "not $times"; }
done
expect_status 2 "$WARPMETER" extract --order size early.pcap

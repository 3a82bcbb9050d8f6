#!/usr/bin/env bash
# --resync goes on behind damage and tells what it skipped: one bad record of 100, in every command that reads captures, for
# any number of threads, as a file, packed, from a pipe, and in a folder that grows. Without it nothing changes.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
out = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1)
for n in range(100):
    frame = bytes(12) + b'\x08\x00' + struct.pack('>BBHHHBBH4s4sHHHH', 0x45, 0, 48, n, 0, 64, 17, 0, b'\x0a\0\0\1', b'\x0a\0\0\2', 5, 53, 28, 0) + bytes(20)
    if n == 50: assert len(out) == 3924
    out += struct.pack('<IIII', 1700000000, 1000 * n, 0x7ffffff0 if n == 50 else len(frame), len(frame)) + frame
open('bad.pcap', 'wb').write(out)
PY
packets() { python3 -c "import json; print(json.load(open('stats.json'))['packets read'])"; }
expect_status 3 "$WARPMETER" extract -q --stats stats.json -o plain.csv bad.pcap
expect_one_line 'bad.pcap: damaged at byte 3924: captured length 2147483632; what came before is in the output'
[ "$(packets)" = 50 ]
for threads in 1 2 5; do
  expect_status 3 "$WARPMETER" extract -q --resync --threads $threads --stats stats.json -o on.csv bad.pcap
  expect_one_line 'bad.pcap: damaged at byte 3924: captured length 2147483632; 78 bytes skipped'
  [ "$(packets)" = 99 ]
  python3 -c "
import json
s = json.load(open('stats.json'))
assert s['skipped'] == {'places': 1, 'bytes': 78} and s['damage'][0]['skipped'] == 78, s"
done
expect_status 3 "$WARPMETER" extract --resync -o again.csv bad.pcap
grep -qE '^  skipped +78 bytes in 1 place \(--resync\)$' stderr.txt
expect_status 3 "$WARPMETER" extract -q --resync -o piped.csv - < <(cat bad.pcap)
cmp on.csv piped.csv
expect_status 3 "$WARPMETER" decode -q --resync -o set bad.pcap
expect_one_line '78 bytes skipped'
expect_status 3 "$WARPMETER" extract -q -o of_set.csv set
expect_one_line '78 bytes skipped'
cmp on.csv of_set.csv
expect_status 3 "$WARPMETER" reassemble -q --resync --stats stats.json -o streams bad.pcap
[ "$(packets)" = 99 ] && grep -q '78 bytes skipped' stderr.txt
expect_status 3 "$WARPMETER" memory -q --resync --stats stats.json -o memory.csv bad.pcap
[ "$(packets)" = 99 ] && grep -q '78 bytes skipped' stderr.txt
expect_status 3 "$WARPMETER" info --resync bad.pcap
grep -qE '^  packets +99$' stdout.txt && grep -qE '^  skipped +78 bytes in 1 place' stdout.txt
mkdir folder
cp bad.pcap folder/
"$WARPMETER" live -q -i folder:folder --resync --stats stats.json -o live.csv 2>stderr.txt & meter=$!
wait_for 20 interruptible $meter
wait_for 20 grep -q 'bad.pcap: damaged at byte 3924: captured length 2147483632; 78 bytes skipped' stderr.txt
status=0; kill -INT $meter; wait $meter || status=$?
[ $status = 3 ] && cmp on.csv live.csv
expect_status 2 "$WARPMETER" live --resync -i lo -o x.csv
expect_one_line '--resync goes with -i folder'

# Hundreds of places: counted, the first of them named; files behind are read.
python3 - <<'PY'
data = open('bad.pcap', 'rb').read()
out = data[:24]
for n in range(500): out += data[24:24 + 156] + b'\xff' * 20
open('many.pcap', 'wb').write(out)
PY
expect_status 3 "$WARPMETER" extract -q --resync --stats stats.json -o many.csv many.pcap bad.pcap
[ "$(packets)" = 1099 ]
[ "$(grep -c 'many.pcap: damaged at byte' stderr.txt)" = 20 ] && grep -q '480 more places of damage skipped' stderr.txt
python3 -c "
import json
assert json.load(open('stats.json'))['skipped'] == {'places': 501, 'bytes': 10078}"

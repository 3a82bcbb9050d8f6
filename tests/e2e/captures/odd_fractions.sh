#!/usr/bin/env bash
# A pcap fraction is a signed number; below 0, or of a second and more, it is taken as it is, and one line names the file.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
frame = bytes(12) + b'\x08\x00' + struct.pack('>BBHHHBBH4s4sHHHH', 0x45, 0, 28, 1, 0, 64, 17, 0, b'\x0a\0\0\1', b'\x0a\0\0\2', 5, 53, 8, 0)
for order, name in (('<', 'little'), ('>', 'big')):
    def capture(magic, times):
        out = struct.pack(order + 'IHHiIII', magic, 2, 4, 0, 0, 262144, 1)
        for seconds, fraction in times: out += struct.pack(order + 'IiII', seconds, fraction, len(frame), len(frame)) + frame
        return out
    base = 1700000000
    open(f'{name}-us.pcap', 'wb').write(capture(0xa1b2c3d4, [(base, 900000), (base + 1, -50000), (base + 1, 10000)]))
    open(f'{name}-ns.pcap', 'wb').write(capture(0xa1b23c4d, [(base, 900000000), (base + 1, -50000000), (base + 1, 10000000)]))
    open(f'{name}-large.pcap', 'wb').write(capture(0xa1b2c3d4, [(base, 0), (base, 999999999), (base + 500, 0), (base + 501, 1000000)]))
PY
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv little-us.pcap 2>/dev/null
for file in little-us big-us little-ns big-ns; do
  for threads in 1 3; do
    "$WARPMETER" extract -q --duplicate-window 0 --threads $threads --stats stats.json -o $file.csv $file.pcap 2>stderr.txt
    grep -qE "^warpmeter: $file.pcap: fractions below 0 or of a second and more from byte 82 on; they are taken as they are$" stderr.txt
    [ "$(grep -c . stderr.txt)" = 1 ]
    cmp expected.csv $file.csv
  done
done
grep -q ',1700000000900000000,1700000001010000000,3,' expected.csv || fail "not one flow of 0.11 s"
"$WARPMETER" extract -q --stats stats.json -o large.csv little-large.pcap 2>stderr.txt
grep -q 'little-large.pcap: fractions .* from byte 82 on' stderr.txt && [ "$(grep -c . stderr.txt)" = 1 ]
python3 -c "
import json
assert json.load(open('stats.json'))['fractions out of range'] == [{'file': 'little-large.pcap', 'offset': 82}]"
# In the order of time, which the sign decides: the second begins before the first.
python3 - <<'PY'
data = bytearray(open('little-us.pcap', 'rb').read())
data[28:32] = (-2000000).to_bytes(4, 'little', signed=True)
open('earlier.pcap', 'wb').write(data)
PY
"$WARPMETER" extract -q --duplicate-window 0 -o both.csv little-us.pcap earlier.pcap 2>stderr.txt
[ "$(grep -c fractions stderr.txt)" = 2 ] && ! grep -q 'runs back' stderr.txt
grep -q ',1699999998000000000,' both.csv
"$WARPMETER" info big-us.pcap 2>/dev/null | grep -qE '^  fractions +below 0 or of a second and more from byte 82 on$'

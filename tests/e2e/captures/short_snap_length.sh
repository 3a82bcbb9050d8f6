#!/usr/bin/env bash
# Where the capture cut off TCP headers, one line says that retransmissions could not be counted.
. "$(dirname "$0")/../common.sh"
python3 - "$DATA/first-look.pcap" <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
at, out = 24, bytearray(data[:24])
while at < len(data):
    sec, fraction, captured, original = struct.unpack_from('<IIII', data, at)
    keep = min(captured, 46)
    out += struct.pack('<IIII', sec, fraction, keep, original) + data[at + 16:at + 16 + keep]
    at += 16 + captured
open('snapped.pcap', 'wb').write(out)
PY
expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json snapped.pcap
grep -qE '^  TCP headers cut off +of [0-9]+ packets, by too short a snap length: their retransmissions could not be counted$' \
  stderr.txt || { cat stderr.txt; fail "not said"; }
grep -q '"TCP headers cut off": [1-9]' stats.json
expect_status 0 "$WARPMETER" extract -o out.csv "$DATA/first-look.pcap"
! grep -q 'cut off' stderr.txt || fail "said without reason"

# Where the frame was captured whole, no snap length is to blame: a TCP header that ends after 9 bytes.
python3 - <<'PY'
import struct
ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40, 1, 0, 64, 6, 0, bytes([192, 0, 2, 1]), bytes([198, 51, 100, 2]))
frame = bytes(12) + b'\x08\0' + ip + struct.pack('>HHIB', 40000, 443, 1, 0)
header = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1)
open('short.pcap', 'wb').write(header + struct.pack('<IIII', 1, 0, 43, 43) + frame)
open('both.pcap', 'wb').write(header + struct.pack('<IIII', 1, 0, 43, 43) + frame + struct.pack('<IIII', 1, 0, 43, 54) + frame)
open('shorter.pcap', 'wb').write(header + struct.pack('<IIII', 1, 0, 40, 43) + frame[:40])
PY
for capture in short shorter; do  # to keep all of it would not have helped either
  expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json $capture.pcap
  grep -q '^  TCP header cut short in 1 packet' stderr.txt || { cat stderr.txt; fail "$capture: not said"; }
  ! grep -q 'snap length' stderr.txt || fail "$capture: the snap length is blamed"
  grep -q '"TCP headers cut off": 0' stats.json && grep -q '"TCP headers cut short on the wire": 1' stats.json || fail "stats"
done
expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json both.pcap
grep -q '^  TCP header cut short in 1 packet' stderr.txt || fail "both: not said"
grep -qE '^  TCP headers cut off +of 1 packet, by too short a snap length' stderr.txt || fail "both: the other is not said"
"$WARPMETER" report --stats stats.json -o page.html out.csv 2> /dev/null
grep -q 'cut short before they were captured' page.html || fail "the page does not say so"

#!/usr/bin/env bash
# Where the capture cut off TCP headers, one line says that retransmissions could not be counted.
. "$(dirname "$0")/common.sh"
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

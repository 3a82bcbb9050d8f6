#!/usr/bin/env bash
# Packet times that 64 bits of nanoseconds do not hold are counted, and said.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
def block(kind, body): return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
frame = bytes.fromhex('ffffffffffff0000000000000800') + bytes.fromhex('4500001c000100004011000001020304050607080010001100080000')
out = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack('<HHI', 1, 0, 0))
for ticks in (10**15, 2**63, 2**64 - 1):
    out += block(6, struct.pack('<IIIII', 0, ticks >> 32, ticks & 0xffffffff, len(frame), len(frame)) + frame + b'\0' * (-len(frame) % 4))
open('far.pcapng', 'wb').write(out)
PY
expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json far.pcapng
grep -qE '^  times out of range +2 packets' stderr.txt || { cat stderr.txt; fail "not said"; }
grep -q '"times out of range": 2' stats.json
cp far.pcapng again.pcapng
expect_status 0 "$WARPMETER" extract -q -o out.csv --stats stats.json far.pcapng again.pcapng
grep -q '"times out of range": 4' stats.json || fail "merged files count otherwise"

#!/usr/bin/env bash
# A pcapng file with known and unknown link types is read for the known ones; with unknown ones alone it is an error that
# names them.
. "$(dirname "$0")/../common.sh"
cat > make.py <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
def interface(link): return block(1, struct.pack('<HHIHHI', link, 0, 0, 9, 1, 9))
section = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
mixed, unknown, at = section + interface(195) + interface(1), section + interface(195) + interface(189), 24
while at < len(data):
    seconds, fraction, captured, original = struct.unpack_from('<IIII', data, at)
    ticks = seconds * 10**9 + fraction
    for number in (0, 1):
        packet = struct.pack('<IIIII', number, ticks >> 32, ticks & 0xffffffff, captured, original)
        packet = block(6, packet + data[at + 16:at + 16 + captured])
        mixed += packet
        unknown += packet if number == 0 else b''
    at += 16 + captured
open('mixed.pcapng', 'wb').write(mixed)
open('unknown.pcapng', 'wb').write(unknown)
PY
python3 make.py "$DATA/first-look.pcap"
expect_status 0 "$WARPMETER" extract -q -o mixed.csv --stats stats.json mixed.pcapng
[ ! -s stderr.txt ] || fail "there is a message"
cut -d, -f1-24 mixed.csv > a; cut -d, -f1-24 "$DATA/first-look.expected.csv" > b
cmp a b || fail "the packets of the known interface are not all there"
packets=$(sed -n 's/.*"packets read": \([0-9]*\).*/\1/p' stats.json)
grep -q "\"unknown link type\": $((packets / 2))" stats.json || fail "unknown ones are not counted"
expect_status 1 "$WARPMETER" extract -q -o unknown.csv unknown.pcapng
expect_one_line '^warpmeter: unknown.pcapng: no interface with a supported link type, only 195 \(IEEE802_15_4\), 189 \(USB_LINUX\)$'
[ ! -e unknown.csv ] || fail "there is an output"

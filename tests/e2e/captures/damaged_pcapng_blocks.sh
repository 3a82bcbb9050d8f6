#!/usr/bin/env bash
# A pcapng block that makes no sense ends its file: one line says where and why, and what came before it counts whole.
. "$(dirname "$0")/../common.sh"
cat > make.py <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
def block(kind, body, length=None, trailer=None):
    body += bytes(-len(body) % 4)
    length = len(body) + 12 if length is None else length
    return struct.pack('<II', kind, length) + body + struct.pack('<I', length if trailer is None else trailer)
def packet(seconds, fraction, bytes_, original, interface=0, captured=None):
    ticks = seconds * 10**9 + fraction
    captured = len(bytes_) if captured is None else captured
    return block(6, struct.pack('<IIIII', interface, ticks >> 32, ticks & 0xffffffff, captured, original) + bytes_)
good = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack('<HHIHHI', 1, 0, 0, 9, 1, 9))
at, last = 24, None
while at < len(data):
    seconds, fraction, captured, original = struct.unpack_from('<IIII', data, at)
    last = (seconds, fraction, data[at + 16:at + 16 + captured], original)
    good += packet(*last)
    at += 16 + captured
wrong = {
    'short': block(6, bytes(20), length=8), 'odd': block(6, bytes(20), length=33), 'beyond': block(6, bytes(20), length=4096),
    'differ': block(6, bytes(20), trailer=36), 'interface': packet(*last, interface=1),
    'captured': packet(*last, captured=0x7ffffff0), 'longer': packet(*last, captured=len(last[2]) + 5),
    'tiny': block(6, bytes(8)), 'description': block(1, bytes(4)), 'section': block(0x0a0d0d0a, bytes(16)),
    'simple': block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)) + block(3, bytes(8)),
    'header': bytes(5),
}
open('good.pcapng', 'wb').write(good)
for name, bytes_ in wrong.items(): open(name + '.pcapng', 'wb').write(good + bytes_ + packet(*last))
open('header.pcapng', 'wb').write(good + bytes(5))
PY
python3 make.py "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o good.csv good.pcapng
cmp good.csv "$DATA/first-look.expected.csv" || fail "the pcapng is not the pcap"
damaged=$(stat -c %s good.pcapng)

# damage NAME REASON [BYTES]: at the end of the good blocks, or so many bytes behind it
damage() {
  expect_status 3 "$WARPMETER" extract -q -o "$1.csv" "$1.pcapng"
  expect_one_line "^warpmeter: $1.pcapng: damaged at byte $((damaged + ${3:-0})): $2; what came before is in the output\$"
  cmp good.csv "$1.csv" || fail "$1: what came before is not all there"
}
damage short 'block length 8'
damage odd 'block length 33'
damage beyond 'block length 4096'
damage differ 'block lengths differ'
damage interface 'unknown interface 1'
damage captured 'captured length 2147483632'
damage longer 'captured length [0-9]+'
damage tiny 'short packet block'
damage description 'short interface block'
damage section 'bad byte-order magic'
damage simple 'simple packet without interface' 28
damage header 'block header cut short'

# From a pipe the same.
expect_status 3 bash -c '"$1" extract -q -o pipe.csv - < <(cat beyond.pcapng)' - "$WARPMETER"
expect_one_line "^warpmeter: standard input: damaged at byte $damaged: block length 4096; what came before is in the output\$"
cmp good.csv pipe.csv || fail "from a pipe what came before is not all there"

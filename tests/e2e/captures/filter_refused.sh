#!/usr/bin/env bash
# What a filter is none for is named, and the rest is read: files of such a link type, and interfaces that have packets.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" info | grep -q 'filters *built in' || { echo "a build with libpcap (libpcap-dev) runs this"; exit 77; }
ethernet=$DATA/first-look.pcap
cat > make.py <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
def interface(link): return block(1, struct.pack('<HHIHHI', link, 0, 0, 9, 1, 9))
def packets(number):
    out, at = b'', 24
    while at < len(data):
        seconds, fraction, captured, original = struct.unpack_from('<IIII', data, at)
        ticks = seconds * 10**9 + fraction
        fields = struct.pack('<IIIII', number, ticks >> 32, ticks & 0xffffffff, captured, original)
        out += block(6, fields + data[at + 16:at + 16 + captured])
        at += 16 + captured
    return out
section = block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
def write(name, *parts): open(name, 'wb').write(b''.join(parts))
write('silent.pcapng', section, interface(258), interface(1), packets(1))
write('both.pcapng', section, interface(258), interface(1), packets(0), packets(1))
write('alone.pcapng', section, interface(258), packets(0))
write('late.pcapng', section, interface(1), packets(0), section, interface(258), packets(0))
write('raw.pcap', data[:20], struct.pack('<I', 101), data[24:])
PY
python3 make.py "$ethernet"
"$WARPMETER" extract -q -o wanted.csv "$ethernet" tcp
[ "$(rows wanted.csv)" -gt 0 ] || fail "nothing to compare"
reason="link type 258 \(PKTAP\): filter 'tcp': .*not implemented"

# An interface without packets harms nobody; one with packets is told, once, however many threads read.
expect_status 0 "$WARPMETER" extract -q -o got.csv silent.pcapng tcp
[ ! -s stderr.txt ] || fail "there is a message"
cmp wanted.csv got.csv
for file in both late; do
  for threads in 1 3; do
    expect_status 3 "$WARPMETER" extract -q --threads $threads --stats stats.json -o got.csv $file.pcapng tcp
    expect_one_line "^warpmeter: $file.pcapng: $reason; its packets are left out\$"
    cmp wanted.csv got.csv || fail "$file: the packets of the other are not all there"
  done
done
packets=$(sed -n 's/.*"packets read": \([0-9]*\).*/\1/p' stats.json)
left_out=$(sed -n 's/.*"filtered out": \([0-9]*\).*/\1/p' stats.json)
[ "$left_out" -ge $((packets / 2)) ] || fail "what is left out is not counted as filtered out"

# Nothing else is in the file, or given: no command begins.
rm got.csv
for command in extract reassemble memory; do
  expect_status 1 "$WARPMETER" $command -o got.json alone.pcapng tcp
  expect_one_line "^warpmeter: alone.pcapng: $reason\$"
done
expect_status 1 "$WARPMETER" decode -o got.set alone.pcapng tcp
expect_one_line "^warpmeter: alone.pcapng: $reason\$"
[ -z "$(ls | grep '^got' || true)" ] || fail "there is an output"

# Files beside others; and one behind another in the same pipe.
host='ether host 00:00:00:00:00:01 or tcp'
expect_status 3 "$WARPMETER" extract -q -o got.csv raw.pcap "$ethernet" "$host"
expect_one_line "^warpmeter: raw.pcap: link type 101( \(RAW\))?: filter '$host': ethernet addresses supported only on"
"$WARPMETER" extract -q -o wanted.csv "$ethernet" "$host"
cmp wanted.csv got.csv
expect_status 3 sh -c 'cat "$1" raw.pcap | "$2" extract -q -o got.csv - "$3"' sh "$ethernet" "$WARPMETER" "$host"
expect_one_line "standard input: damaged at byte [0-9]+: another capture begins here: link type 101.*ethernet addresses"
cmp wanted.csv got.csv

# No filter of any link type is a mistake in the command.
expect_status 2 "$WARPMETER" extract raw.pcap tcp prot 80
no_leftovers

#!/usr/bin/env bash
# Very many handshakes push connections out of little memory: they are counted, and labels and names that come behind
# that are those of the Flow Records that live.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
def packet(src, dst, sport, dport, seq, ack, flags, payload=b''):
    tcp = struct.pack('>HHIIBBHHH', sport, dport, seq, ack, 5 << 4, flags, 65535, 0, 0) + payload
    return b'\2' * 12 + b'\x08\0' + struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, bytes(src), bytes(dst)) + tcp
packets = []
server = (192, 0, 2, 1)
for c in range(100):
    packets.append(packet((10, 77, 0, c), server, 30000, 80, 1000, 0, 2))
    packets.append(packet(server, (10, 77, 0, c), 80, 30000, 5000, 1001, 18))
for k in range(4000):
    packets.append(packet((10, 88, k >> 8, k & 255), (192, 0, 2, 2), 1024 + k, 443, k, 0, 2))
for c in range(100):
    packets.append(packet((10, 77, 0, c), server, 30000, 80, 1001, 5001, 24, b'GET / HTTP/1.1\r\nHost: www.example.org\r\n\r\n'))
    packets.append(packet(server, (10, 77, 0, c), 80, 30000, 5001, 1042, 24, b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
with open('flood.pcap', 'wb') as out:
    out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for n, p in enumerate(packets): out.write(struct.pack('<IIII', 1000 + n // 1000, n % 1000 * 1000, len(p), len(p)) + p)
PY
"$WARPMETER" extract -q --policy stock -o all.csv --stats all.json flood.pcap
grep -q '"forgotten_connections": *0\b' all.json || fail "forgotten: $(cat all.json)"
[ "$(grep -c 'www.example.org' all.csv)" = 200 ] || fail "$(grep -c example.org all.csv) names"
for threads in 1 3; do
  "$WARPMETER" extract -q --policy stock --memory 4M --threads $threads -o few.csv --stats few.json flood.pcap
  grep -qE '"forgotten_connections": *[1-9][0-9]{2}' few.json || fail "not forgotten: $(cat few.json)"
  cmp all.csv few.csv || fail "other labels or names with $threads threads"
done
mkdir folder && cp flood.pcap folder
"$WARPMETER" live -q -i folder:folder --duration 1s --policy stock --memory 4M -o live.csv
cmp all.csv live.csv || fail "live: other labels or names"

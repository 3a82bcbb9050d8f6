#!/usr/bin/env bash
# Who the initiator of a biflow is where no SYN, or a late one, was captured; also in the parts that an active timeout cuts.
. "$(dirname "$0")/../common.sh"
cat > make.py <<'PY'
import struct
def ip(source, target, protocol, payload):
    return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0) + bytes(source + target) + payload
def tcp(source, target, sequence, acknowledged, flags, size=0):
    return ip(source[0], target[0], 6, struct.pack('>HHIIBBHHH', source[1], target[1], sequence, acknowledged, 0x50, flags, 900, 0, 0) + bytes(size))
def echo(source, target, type_): return ip(source, target, 1, struct.pack('>BBHHH', type_, 0, 0, 1, 1) + bytes(8))
def udp(source, target): return ip(source[0], target[0], 17, struct.pack('>HHHH', source[1], target[1], 9, 0) + b'x')
def end(last, port): return [192, 0, 2, last], port
SYN, ACK, BOTH = 2, 16, 18
packets = []
def add(time, packet): packets.append((time, packet))
client, server = end(1, 40100), end(201, 25)          # the server speaks first, and its SYN+ACK is all there is of the handshake
add(0, tcp(server, client, 5000, 1001, BOTH))
for i in range(20):
    add(i + 0.1, tcp(server, client, 5001 + 10 * i, 1001 + 5 * i, ACK, 10))
    add(i + 0.2, tcp(client, server, 1001 + 5 * i, 5011 + 10 * i, ACK, 5))
client, server = end(2, 40200), end(202, 443)         # the SYN was stored behind its answer
add(1.00000, tcp(server, client, 5000, 1001, BOTH))
add(1.00001, tcp(client, server, 1000, 0, SYN))
add(1.1, tcp(client, server, 1001, 5001, ACK, 5))
client, server = end(3, 40300), end(203, 443)         # in the middle: the first packet
add(2.0, tcp(server, client, 5000, 1001, ACK, 5))
add(2.1, tcp(client, server, 1001, 5005, ACK, 5))
add(3.0, echo([192, 0, 2, 204], [192, 0, 2, 4], 0))   # the reply before its request, and as it should be
add(3.1, echo([192, 0, 2, 4], [192, 0, 2, 204], 8))
add(3.2, echo([192, 0, 2, 5], [192, 0, 2, 205], 8))
add(3.3, echo([192, 0, 2, 205], [192, 0, 2, 5], 0))
add(4.0, udp(end(206, 53), end(6, 5300)))
add(4.1, udp(end(6, 5300), end(206, 53)))
packets.sort(key=lambda p: p[0])
with open('t.pcap', 'wb') as out:
    out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for time, packet in packets:
        micros = round(time * 10**6)
        out.write(struct.pack('<IIII', 1700000000 + micros // 10**6, micros % 10**6, len(packet), len(packet)) + packet)
PY
python3 make.py
forward() { tail -n +2 "$1" | cut -d, -f1-5 | sort | uniq -c | sed 's/^ *//'; }
cat > wanted <<'END'
1 192.0.2.1,192.0.2.201,40100,25,6
1 192.0.2.2,192.0.2.202,40200,443,6
1 192.0.2.203,192.0.2.3,443,40300,6
1 192.0.2.206,192.0.2.6,53,5300,17
1 192.0.2.4,192.0.2.204,0,2048,1
1 192.0.2.5,192.0.2.205,0,2048,1
END
"$WARPMETER" extract -q --biflow -o bi.csv t.pcap
forward bi.csv | diff wanted - || fail "initiators"
"$WARPMETER" extract -q --biflow --aggregate -o all.csv t.pcap
forward all.csv | diff wanted - || fail "initiators of aggregates"
"$WARPMETER" decode -q -o t.set t.pcap
"$WARPMETER" extract -q --biflow -o segments.csv t.set
cmp bi.csv segments.csv
sed -i '1s/^1 /4 /' wanted
for threads in 1 3; do
  "$WARPMETER" extract -q --biflow --active-timeout 5s --threads $threads -o cut.csv t.pcap
  forward cut.csv | diff wanted - || fail "initiators of parts"
done
no_leftovers

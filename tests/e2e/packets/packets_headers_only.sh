#!/usr/bin/env bash
# --headers-only: each packet ends behind its transport header, whatever is in front of that; its original length, time and
# comments stay. Metering such a capture gives the same Flow Records. With a filter of flows, verdicts and `show` too.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import json, struct
def ip4(protocol, payload, fragment=0, ident=7):
    return struct.pack('>BBHHHBBH8s', 0x45, 0, 20 + len(payload), ident, fragment, 64, protocol, 0, bytes([10, 0, 0, 1, 10, 0, 0, 2])) + payload
def ip6(following, payload): return struct.pack('>IHBB', 6 << 28, len(payload), following, 64) + bytes(15) + b'\1' + bytes(15) + b'\2' + payload
def tcp(options, data): return struct.pack('>HHIIBBHHH', 1000, 80, 1, 1, (5 + len(options) // 4) << 4, 0x18, 100, 0, 0) + options + data
def udp(port, data): return struct.pack('>HHHH', port, port, 8 + len(data), 1) + data
def ether(kind, payload): return b'\2' * 12 + struct.pack('>H', kind) + payload
secret = b'SECRET' * 50
inner = ether(0x800, ip4(6, tcp(b'', secret), ident=8))
vxlan = b'\x08' + bytes(7) + inner
cases = [   # a frame, what is left of it, what is left with --decapsulate
    (ether(0x800, ip4(6, tcp(b'\1' * 12, secret))), 14 + 20 + 32),
    (ether(0x800, ip4(17, udp(53, secret))), 14 + 20 + 8),
    (ether(0x800, ip4(1, b'\x08\0\0\0\0\1\0\1' + secret)), 14 + 20 + 8),
    (ether(0x8100, b'\0\5' + struct.pack('>H', 0x800) + ip4(6, tcp(b'', secret))), 14 + 4 + 20 + 20),
    (ether(0x86dd, ip6(0, b'\x06\0' + bytes(6) + tcp(b'', secret))), 14 + 40 + 8 + 20),
    (ether(0x800, ip4(6, secret, fragment=100)), 14 + 20),                  # a later fragment
    (ether(0x800, ip4(132, secret)), 14 + 20 + 12),
    (ether(0x800, ip4(50, secret)), 14 + 20),                               # ESP: no header of transport is to be seen
    (ether(0x800, ip4(6, tcp(b'', b''))) + bytes(6), 14 + 20 + 20),         # padding
    (ether(0x800, b'\x45\0\0\4' + secret), 14 + 60),                        # shorter than its header
    (ether(0x806, bytes(28)), 14 + 28),
    (ether(0x800, ip4(17, udp(4789, vxlan))), 14 + 20 + 8, 14 + 20 + 8 + 8 + 14 + 20 + 20),
]
with open('odd.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
    for i, case in enumerate(cases):
        f.write(struct.pack('<IIII', 1700000000, i, len(case[0]), len(case[0]) + 3) + case[0])
json.dump([(case[1], case[-1], len(case[0]) + 3) for case in cases], open('left.json', 'w'))
PY
"$WARPMETER" packets -q odd.pcap --headers-only -o outer.pcap
"$WARPMETER" packets -q odd.pcap --headers-only --decapsulate -o inner.pcap
python3 - <<'PY'
import json, struct
def records(name):
    data, at, found = open(name, 'rb').read(), 24, []
    while at < len(data):
        _, ns, captured, original = struct.unpack_from('<IIII', data, at)
        found.append((ns, captured, original, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return found
whole = records('odd.pcap')
for name, which in (('outer.pcap', 0), ('inner.pcap', 1)):
    found = records(name)
    for at, (before, after, wanted) in enumerate(zip(whole, found, json.load(open('left.json')), strict=True)):
        assert after == (before[0], wanted[which], wanted[2], before[3][:wanted[which]]), (name, at, after[1], wanted)
PY

# A cut capture meters the same, also as an input of the next one.
"$TRAFFIC_GEN" --packets 30000 --seed 5 --frame-size 1400 -o t.pcap
"$WARPMETER" packets -q t.pcap --headers-only -o cut.pcapng
"$WARPMETER" extract -q t.pcap -o whole.csv
"$WARPMETER" extract -q cut.pcapng -o cut.csv
cmp whole.csv cut.csv
[ "$(stat -c %s cut.pcapng)" -lt $(($(stat -c %s t.pcap) / 2)) ] || fail "hardly anything was cut"
"$WARPMETER" packets -q cut.pcapng --headers-only -o again.pcapng
cmp cut.pcapng again.pcapng

# Flows, verdicts with their comments, and show take the same packets as without it.
wanted='retransmitted_segments > 0'
for words in "-w retransmitted" ""; do
  "$WARPMETER" packets -q t.pcap -f "$wanted" $words -o whole.pcapng
  "$WARPMETER" packets -q whole.pcapng --headers-only -o after.pcapng
  "$WARPMETER" packets -q t.pcap -f "$wanted" $words --headers-only -o at-once.pcapng
  cmp after.pcapng at-once.pcapng
done
"$WARPMETER" show whole.csv -q -f "$wanted" --packets t.pcap --headers-only -o shown.pcapng
"$WARPMETER" packets -q t.pcap --flows whole.csv -f "$wanted" --headers-only -o by-flows.pcapng
cmp shown.pcapng by-flows.pcapng

expect_status 2 "$WARPMETER" packets -q t.pcap --headers-only -o t.csv
expect_one_line 'headers-only: it goes with captures; a table has no payload$'
expect_status 2 "$WARPMETER" show -q whole.csv --headers-only
expect_one_line 'headers-only goes with --packets$'

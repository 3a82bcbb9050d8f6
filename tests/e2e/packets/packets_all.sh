#!/usr/bin/env bash
# Without a filter of flows all packets come through as they were: bytes, nanoseconds, link types, interfaces, comments, what
# is not IP; of damaged inputs what could be read; several inputs are one. Once more makes the same bytes.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --vlan 0 -o t.pcap   # a filter does not look behind tags by itself
"$WARPMETER" packets -q t.pcap -o copy.pcap
"$WARPMETER" packets -q copy.pcap -o again.pcap
cmp copy.pcap again.pcap
cmp <(tail -c +25 t.pcap) <(tail -c +25 copy.pcap) || fail "other records"   # behind the headers of the files

python3 - <<'PY'
import struct
def block(kind, body):
    body += b'\0' * (-len(body) % 4)
    return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
def option(code, value): return struct.pack('<HH', code, len(value)) + value + b'\0' * (-len(value) % 4)
def packet(interface, ns, data, comment=b''):
    body = struct.pack('<IIIII', interface, ns >> 32, ns & 0xffffffff, len(data), len(data) + 7) + data + b'\0' * (-len(data) % 4)
    return block(6, body + (option(1, comment) + option(0, b'') if comment else b''))
ns = option(9, b'\x09') + option(0, b'')
arp = b'\xff' * 12 + b'\x08\x06' + bytes(28)
ip = bytes.fromhex('4500001c000000004011000001020304050607080035003500080000')
with open('odd.pcapng', 'wb') as f:
    f.write(block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1)))
    f.write(block(1, struct.pack('<HHI', 1, 0, 0) + option(2, b'eth7') + ns))
    f.write(block(1, struct.pack('<HHI', 101, 0, 0) + option(2, b'tun3') + ns))
    f.write(block(1, struct.pack('<HHI', 271, 0, 0) + option(2, b'vsock') + ns))   # which nobody decodes
    f.write(packet(2, 1700000000000000000, b'socket'))
    for i in range(2000):
        f.write(packet(i % 2, 1700000000123456789 + i * 1000003, arp if i % 2 == 0 else ip, b'odd' if i % 5 == 0 else b''))
PY
"$WARPMETER" packets -q odd.pcapng -o copy.pcapng
"$WARPMETER" packets -q copy.pcapng -o again.pcapng
cmp copy.pcapng again.pcapng
python3 - <<'PY'
import struct
def packets(name):
    data, at, found, links = open(name, 'rb').read(), 0, [], []
    while at < len(data):
        kind, size = struct.unpack_from('<II', data, at)
        if kind == 1: links.append(struct.unpack_from('<H', data, at + 8)[0])
        if kind == 6:
            interface, high, low, captured, original = struct.unpack_from('<IIIII', data, at + 8)
            end = at + 28 + captured + -captured % 4
            found.append((links[interface], high << 32 | low, original, data[at + 28:at + 28 + captured], b'odd' in data[end:at + size]))
        at += size
    return found
assert packets('odd.pcapng') == packets('copy.pcapng') and len(packets('copy.pcapng')) == 2001
PY
# Two link types have no place in a pcap file; those of the packets that are wanted decide.
expect_status 1 "$WARPMETER" packets -q odd.pcapng -o two.pcap
expect_one_line 'link types .* and .*: a pcap file has one, a .pcapng file may have several$'
[ ! -e two.pcap ] || fail "there is an output"
"$WARPMETER" packets -q odd.pcapng -f udp -o one.pcap
# A filter takes nothing that it cannot look at.
"$WARPMETER" packets -q odd.pcapng -o arps.pcap arp
[ "$("$WARPMETER" packets arps.pcap -o again.pcap 2>&1 | sed -n 's/^ *packets written *\([0-9]*\).*/\1/p')" = 1000 ] || fail "not the ARPs"

head -c 500000 t.pcap >cut.pcap
expect_status 3 "$WARPMETER" packets -q cut.pcap -o cut-copy.pcap
size=$(stat -c %s cut-copy.pcap)
cmp <(tail -c +25 cut-copy.pcap) <(tail -c +25 cut.pcap | head -c $((size - 24))) || fail "other records"
[ "$size" -gt 499000 ] || fail "packets before the damage are lost"
expect_status 3 "$WARPMETER" packets -q cut.pcap -f tcp -o tcp.pcap

# A capture filter alone; and two inputs as one.
"$WARPMETER" packets -q t.pcap -o udp.pcap udp
"$WARPMETER" packets -q t.pcap -o rest.pcap not udp
"$WARPMETER" packets -q udp.pcap rest.pcap -o whole.pcap
[ "$(stat -c %s whole.pcap)" = "$(stat -c %s copy.pcap)" ] || fail "packets are lost"
"$WARPMETER" packets -q t.pcap -f udp -o udp-flows.pcap
cmp udp.pcap udp-flows.pcap
no_leftovers

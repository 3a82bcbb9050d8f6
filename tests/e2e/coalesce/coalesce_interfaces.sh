#!/usr/bin/env bash
# Interfaces and comments of pcapng files stay; several link types are for pcapng alone.
. "$(dirname "$0")/../common.sh"
cat > captures.py <<'PY'
import struct
def option(code, value): return struct.pack('<HH', code, len(value)) + value + bytes(-len(value) % 4)
def block(kind, body): return struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12)
def section(): return block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
def interface(link, snap, name, text):
    return block(1, struct.pack('<HHI', link, 0, snap) + option(2, name) + option(3, text) + option(9, b'\x06') + option(0, b''))
def packet(number, time, data, *comments):
    options = b''.join(option(1, comment) for comment in comments) + (option(0, b'') if comments else b'')
    return block(6, struct.pack('<IIIII', number, time >> 32, time & 0xffffffff, len(data), len(data)) + data + bytes(-len(data) % 4) + options)
def tcp(sequence, size, flags=0x10, port=1000):
    header = struct.pack('>HHIIBBHHH', port, 80, sequence, 0, 0x50, flags, 1000, 0, 0)
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 40 + size, 0, 0x4000, 64, 6, 0) + b'\x0a\0\0\1\x0a\0\0\2'
    return ip + header + bytes(size)
ethernet = lambda ip: bytes(12) + b'\x08\0' + ip
time = 1_700_000_000_000_000
with open('two.pcapng', 'wb') as f:
    f.write(section() + interface(1, 96, b'idle', b'never used') + interface(1, 262144, b'eth0', b'a tap') + interface(101, 0, b'tun0', b''))
    f.write(packet(1, time, ethernet(tcp(100, 50)), b'first') + packet(2, time + 1, tcp(0, 0, port=2000), b'an ACK', b'said twice'))
    f.write(packet(1, time + 2, ethernet(tcp(150, 50))))
    f.write(section() + interface(101, 0, b'tun0', b'') + packet(0, time + 3, tcp(0, 0, 0x04, 2000)))
large = bytes([65]) * 65000
with open('large.pcapng', 'wb') as f:
    f.write(section() + interface(101, 0, b'tun0', b'') + packet(0, time, tcp(0, 0), large, large, b'and a third', large))
    for i in range(40): f.write(packet(0, time + i, tcp(100 + 10 * i, 10), large))
with open('many.pcapng', 'wb') as f:
    for part in b'a', b'b':
        f.write(section() + b''.join(interface(1, 0, part + b'%d' % i, b'') for i in range(40_000)))
        f.write(packet(0, time, ethernet(tcp(100, 50))))
with open('none.pcapng', 'wb') as f: f.write(section())
with open('raw.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    data = tcp(500, 5)
    f.write(struct.pack('<IIII', 1_700_000_001, 0, len(data), len(data)) + data)
PY
cat > told.py <<'PY'
import struct, sys
data, at, out = open(sys.argv[1], 'rb').read(), 0, []
while at < len(data):
    kind, length = struct.unpack('<II', data[at:at + 8])
    body, words = data[at + 8:at + length - 4], []
    assert struct.unpack('<I', data[at + length - 4:at + length])[0] == length
    o = 8
    if kind == 1: said = 'interface %d %d' % struct.unpack('<HxxI', body[:8])
    elif kind == 6:
        number, size = struct.unpack('<I8xI', body[:16])
        said, o = 'packet %d %d' % (number, size), 20 + (size + 3) // 4 * 4
    else: o = len(body)
    while o + 4 <= len(body):
        code, size = struct.unpack('<HH', body[o:o + 4])
        if code in (1, 2, 3): words.append(body[o + 4:o + 4 + size].decode())
        o += 4 + (size + 3) // 4 * 4
    if kind in (1, 6): print(' '.join([said, *words]))
    at += length
PY
python3 captures.py
for threads in 1 3; do
  "$WARPMETER" coalesce -q --no-verify --threads $threads two.pcapng raw.pcap -o x.pcapng
  python3 told.py x.pcapng > told.txt
  # The packet on interface 1 of the second section, a tunnel, is of one that was there before; a pcap file has no names.
  diff told.txt - <<'TEXT'
interface 101 0 tun0
packet 0 40 an ACK said twice
interface 1 262144 eth0 a tap
packet 1 154 joined 2 first
packet 0 40
interface 101 0
packet 2 45
interface 1 262144 idle never used
TEXT
done
expect_status 1 "$WARPMETER" coalesce -q --no-verify two.pcapng -o x.pcap
expect_one_line '^warpmeter: x.pcap: the inputs have packets of link types 101( \(RAW\))? and 1 \(EN10MB\): a pcap file has one, a .pcapng file may have several$'
[ ! -e x.pcap ] || fail "there is half an output"
"$WARPMETER" coalesce -q --no-verify two.pcapng port 80 -o x.pcapng

# Large comments stay, all of them, and no block becomes longer than readers take (tcpdump: 16 MiB).
for threads in 1 3; do
  "$WARPMETER" coalesce -q --no-verify --threads $threads large.pcapng -o x.pcapng
  python3 told.py x.pcapng > told.txt
  [ "$(tr -cd A < told.txt | wc -c)" = $((43 * 65000)) ] && grep -q 'and a third' told.txt || fail "comments are gone"
  [ "$(awk '{ print (length($0) > 1100000) }' told.txt | sort -u)" = 0 ] && [ "$(grep -c joined told.txt)" -ge 3 ] || fail "one is too long"
done

# More interfaces than the output has numbers for end their file, as damage does.
expect_status 3 "$WARPMETER" coalesce -q --no-verify many.pcapng -o x.pcapng
expect_one_line '^warpmeter: many.pcapng: damaged at byte [0-9]+: more than 65435 interfaces, in all inputs; what came before is in the output$'
[ "$(python3 told.py x.pcapng | sort | uniq -c | grep -c 'packet 0 104')" = 1 ] || fail "what came before is not there"

# A capture without packets has an interface: some readers refuse one without.
"$WARPMETER" coalesce -q none.pcapng -o x.pcapng
[ "$(python3 told.py x.pcapng)" = 'interface 1 0' ] || { python3 told.py x.pcapng; fail "no interface"; }
no_leftovers

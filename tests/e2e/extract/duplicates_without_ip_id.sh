#!/usr/bin/env bash
# Packets that differ only behind their first bytes are no copies of each other where nothing else tells them apart: UDP
# without checksum, and TCP without an IP id. With --decapsulate, and by way of segment files, as without.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
def ip4(protocol, payload, ident): return struct.pack('>BBHHHBBH8s', 0x45, 0, 20 + len(payload), ident, 0x4000, 64, protocol, 0,
                                                      bytes([10, 0, 0, 1, 10, 0, 0, 2])) + payload
def ip6(payload): return struct.pack('>IHBB', 0x60000000, len(payload), 6, 64) + bytes.fromhex('20010db8') + bytes(11) + b'\1' + \
                         bytes.fromhex('20010db8') + bytes(11) + b'\2' + payload
def udp(port, payload, checksum=0): return struct.pack('>HHHH', 50000, port, 8 + len(payload), checksum) + payload
def tcp(sequence, ports=(40000, 443), options=b'', payload=b''):
    return struct.pack('>HHIIBBHHH', *ports, sequence, 1, (20 + len(options)) << 2, 16, 500, 0xbeef, 0) + options + payload
def write(name, packets, captured=65535):
    with open(name, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, captured, 101))
        for i, p in enumerate(packets):
            f.write(struct.pack('<IIII', 1700000000, 20 * i, min(len(p), captured), len(p)) + p[:captured])
# As behind a gateway load balancer: Geneve with 32 bytes of options, 20 segments 20 us apart.
geneve = struct.pack('>BBHI', 8, 0, 0x0800, 77 << 8) + struct.pack('>HBB', 0x108, 1, 7) + bytes(28)
write('geneve.pcap', [ip4(17, udp(6081, geneve + ip4(6, tcp(1000 + 1400 * i, payload=bytes(1400)), 0)), 0) for i in range(20)])
def stamps(value): return b'\1\1\x08\x0a' + struct.pack('>II', value, 7)
def sack(edge): return b'\1\1\5\x12' + struct.pack('>IIII', 2000, edge, 5000, 6000)
# 4 acknowledgements whose options differ, and a copy of the last, of each kind.
for name, options in (('stamps', stamps), ('sack', sack)):
    acks = [tcp(1, options=options(3000 + i)) for i in (0, 1, 2, 3, 3)]
    write(f'{name}6.pcap', [ip6(a) for a in acks])
    write(f'{name}0.pcap', [ip4(6, a, 0) for a in acks])
    write(f'{name}-id.pcap', [ip4(6, a, 9) for a in acks])
    write(f'{name}-cut.pcap', [ip6(a) for a in acks], 40 + 20 + 8)     # in the options, before what differs
PY
# duplicates NAME OPTION...: packets and duplicates of the only flow, from the capture and from a set.
duplicates() {
  local name=$1
  shift
  rm -rf set
  "$WARPMETER" extract -q "$@" -o flows.csv "$name.pcap"
  "$WARPMETER" decode -q $([ "${1:-}" != --decapsulate ] || echo --decapsulate) -o set "$name.pcap"
  "$WARPMETER" extract -q -o again.csv set
  cmp flows.csv again.csv || fail "$name: others from segment files"
  [ "$(rows flows.csv)" = 1 ] || fail "$name: $(rows flows.csv) flows"
  tail -n 1 flows.csv | cut -d, -f8,14
}
# expect PACKETS,DUPLICATES NAME OPTION...
expect() {
  local wanted=$1
  shift
  [ "$(duplicates "$@")" = "$wanted" ] || fail "$*: $(duplicates "$@"), expected $wanted"
}
expect 20,0 geneve
expect 20,0 geneve --decapsulate
for name in stamps sack; do
  expect 5,1 ${name}6
  expect 5,1 ${name}0
  expect 5,4 $name-id
done
expect 5,4 sack-cut
# Of the time stamps 8 bytes were captured, all that differs among them.
expect 5,1 stamps-cut

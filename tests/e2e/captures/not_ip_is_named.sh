#!/usr/bin/env bash
# Frames without IP are told by what they are, by every command that reads captures, and tunnels that stayed closed.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
def frame(kind, payload=bytes(46)): return bytes(12) + struct.pack('>H', kind) + payload
def ip(protocol, payload):
    return struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])) + payload
def udp(port, payload): return ip(17, struct.pack('>HHHH', 40000, port, 8 + len(payload), 0) + payload)
def write(name, frames):
    with open(name, 'wb') as out:
        out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for i, f in enumerate(frames): out.write(struct.pack('<IIII', i // 1000, i % 1000, len(f), len(f)) + f)
some = [frame(0x0806)] * 8 + [frame(0x88cc)] * 3 + [frame(0x88b5)] + [frame(38, b'\x42\x42\3' + bytes(43))] * 2
some += [frame(0x888e), frame(0x88f7), frame(0x0800, udp(4789, b'\x08' + bytes(7) + frame(0x0806)))]
some += [frame(0x0800, ip(47, struct.pack('>HH', 2, 0x800) + bytes(20)))] * 2
write('some.pcap', some)
write('many.pcap', [frame(kind) for kind in range(0x0600, 0x10000) if kind not in (0x0800, 0x86dd)] * 2)
PY
json() { python3 -c "import json, sys; print(json.dumps(json.load(open(sys.argv[1]))$2))" "$1"; }
NAMED='{"ARP": 8, "LLDP": 3, "STP": 2, "EAPOL": 1, "EtherType 0x88b5": 1, "PTP": 1}'
SHORT='16 (ARP 8, LLDP 3, STP 2, EAPOL 1, EtherType 0x88b5 1, others 1)'
CLOSED='{"GRE, another version": 2, "VXLAN, not IP": 1}'
for command in "extract -o out.csv" "decode -o set" "reassemble -o out.json" "memory -o out.txt"; do
  expect_status 0 "$WARPMETER" $command --decapsulate --stats stats.json some.pcap
  grep -qxF "  not IP              $SHORT" stderr.txt || { cat stderr.txt; fail "$command: not IP"; }
  grep -qxF '  tunnels not opened  3 (GRE, another version 2, VXLAN, not IP 1)' stderr.txt || fail "$command: tunnels"
  [ "$(json stats.json '["not IP"]')" = "$NAMED" ] || fail "$command --stats"
  [ "$(json stats.json '["tunnels not opened"]')" = "$CLOSED" ] || fail "$command --stats of tunnels"
done
expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json set
grep -qxF "  not IP              $SHORT" stderr.txt || { cat stderr.txt; fail "segment files"; }
[ "$(json stats.json '["tunnels not opened"]')" = "$CLOSED" ] || fail "segment files: tunnels"
"$WARPMETER" info set > info.txt
grep -qxF "  not IP              $SHORT" info.txt || fail "info of segment files"
"$WARPMETER" info some.pcap > info.txt
grep -qxF '  not IP              16 (ARP 8, LLDP 3, STP 2, EAPOL 1, EtherType 0x88b5 1, PTP 1)' info.txt || fail "info"
"$WARPMETER" info --json some.pcap > info.json
[ "$(json info.json '["not_ip"]')" = "$NAMED" ] || fail "info --json"
expect_status 0 "$WARPMETER" extract -v -o out.csv some.pcap
grep -qE '^    PTP +1$' stderr.txt || fail "-v"
expect_status 0 "$WARPMETER" extract -o out.csv some.pcap
! grep -q 'tunnels not opened' stderr.txt || fail "tunnels without --decapsulate"

# All EtherTypes that there are: counted exactly, by any number of threads, and told in few words.
for threads in 1 3; do
  expect_status 0 "$WARPMETER" extract -v --threads $threads --batch 1000 -o out.csv --stats stats$threads.json many.pcap
  [ "$(wc -l < stderr.txt)" -lt 400 ] || fail "too much is said"
done
[ "$(json stats1.json '["not IP"]')" = "$(json stats3.json '["not IP"]')" ] || fail "threads count otherwise"
python3 - <<'PY'
import json
told = json.load(open('stats1.json'))
assert sum(told['not IP'].values()) == told['ignored']['not IP'] > 100000, told['ignored']
assert len(told['not IP']) == 257, len(told['not IP'])
PY

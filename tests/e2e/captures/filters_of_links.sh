#!/usr/bin/env bash
# A filter sees frames of every link type as they were on the wire, and means what it means to tcpdump; what cannot be
# filtered is refused before anything is read. Compared with tcpdump where there is one, else with what it said.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" info | grep -q 'filters *built in' || { echo "a build with libpcap (libpcap-dev) runs this"; exit 77; }
cat > make.py <<'PY'
import struct
def tcp(source, target, flags, size): return struct.pack('>HHIIBBHHH', source, target, 1, 1, 0x50, flags, 100, 0, 0) + bytes(size)
def udp(source, target, size): return struct.pack('>HHHH', source, target, 8 + size, 0) + bytes(size)
def ip4(source, target, protocol, payload, fragment=0, ttl=64):
    return struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(payload), 7, fragment, ttl, protocol, 0) + bytes(source + target) + payload
def ip6(source, target, protocol, payload):
    return struct.pack('>IHBB', 6 << 28, len(payload), protocol, 64) + bytes([*[0] * 15, source, *[0] * 15, target]) + payload
A, B, C, ALL = [10, 0, 0, 1], [10, 0, 0, 2], [192, 168, 1, 2], [255] * 4
echo = b'\x08\0\0\0\0\1\0\1'
packets = [ip4(A, B, 6, tcp(40000, 443, 2, 0)), ip4(B, A, 6, tcp(443, 40000, 18, 0)), ip4(A, B, 6, tcp(40000, 443, 24, 20)),
           ip4(A, C, 17, udp(5000, 53, 30)), ip4(C, A, 17, udp(53, 5000, 60)), ip4(B, C, 1, echo + bytes(10), ttl=3),
           ip4(A, ALL, 17, udp(68, 67, 12)), ip4(A, B, 17, bytes(24), fragment=5),
           ip6(1, 2, 6, tcp(40001, 443, 2, 0)), ip6(2, 1, 17, udp(53, 5001, 9)), ip6(1, 2, 58, b'\x80' + echo[1:])]
with open('ethernet.pcap', 'wb') as out:
    out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for i, packet in enumerate(packets):
        kind = 0x0800 if packet[0] >> 4 == 4 else 0x86dd
        frame = bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]) + struct.pack('>H', kind) + packet
        out.write(struct.pack('<IIII', 1700000000 + i, 0, len(frame), len(frame)) + frame)
PY
python3 make.py
FRAMES=11

# of_warpmeter FILE FILTER: the frames that pass, or `refused`.
of_warpmeter() {
  local status=0
  "$WARPMETER" extract -q --threads 1 -o out.csv --stats stats.json "$@" 2>stderr.txt >stdout.txt || status=$?
  if [ $status = 1 ]; then
    expect_one_line "^warpmeter: $1: link type [0-9]+( \\([A-Z0-9_]+\\))?: filter '.*': "
    [ ! -e out.csv ] || fail "there is an output"
    echo refused
    return
  fi
  [ $status = 0 ] || { cat stderr.txt >&2; fail "exit status $status: $*"; }
  local left_out
  left_out=$(sed -n 's/.*"filtered out": \([0-9]*\).*/\1/p' stats.json)
  echo $((FRAMES - ${left_out:-0}))
  rm out.csv
}

# That no frame of a link type matches is an error to tcpdump.
of_tcpdump() {
  local count
  if count=$(tcpdump -nr "$1" --count "$2" 2>reason.txt); then echo "${count%% *}"
  elif grep -q 'rejects all packets' reason.txt; then echo 0
  else echo refused; fi
}

links=$(sed -n 's/^    \([0-9]*\): .*/\1/p' "$SOURCE/tests/e2e/wrap_frames.py")
[ "$(wc -w <<< "$links")" -ge 33 ] || fail "link types are missing: $links"
for link in $links; do python3 "$SOURCE/tests/e2e/wrap_frames.py" link $link ethernet.pcap l$link.pcap; done

# A link type, a filter, and what passes.
while read -r link wanted filter; do
  got=$(of_warpmeter l$link.pcap "$filter")
  [ "$got" = "$wanted" ] || fail "link type $link, $filter: $got instead of $wanted"
done <<'TABLE'
0 4 tcp
0 3 ip6
0 6 less 60
0 1 len = 62
0 8 link[0] = 2
0 8 ether[0] = 2
0 0 arp
0 refused vlan
0 refused ether host 02:00:00:00:00:01
1 5 less 60
1 3 ip and greater 70
1 refused inbound
9 1 greater 90
9 1 len = 62
14 4 tcp
101 10 less 60
101 1 ip broadcast
101 refused tcp port 443 or (vlan and tcp port 443)
105 11 wlan type data
108 3 ip6
108 6 less 60
113 11 inbound
127 6 greater 90
127 4 tcp port 443 or (vlan and tcp port 443)
226 1 ip[8] < 10
239 refused tcp
239 5 less 60
239 8 link[0] = 2
258 refused not tcp
258 11 greater 90
285 refused host 10.0.0.1
285 3 len = 62
TABLE

if [ "$SCALE" = 1 ] && [[ "$(tcpdump --help 2>&1)" == *--count* ]]; then
  turn=0
  for link in $links; do
    file=l$link.pcap
    [ $link != 14 ] || file=l101.pcap   # the same frames, of which tcpdump does not know that number
    turn=$((turn + 1)) number=0
    while read -r filter; do
      number=$((number + 1))  # a link type has each third one, and each filter each third link type
      [ "${LONG:-OFF}" = ON ] || [ $(((turn + number) % 3)) = 0 ] || continue
      wanted=$(of_tcpdump $file "$filter") got=$(of_warpmeter l$link.pcap "$filter")
      [ "$got" = "$wanted" ] || fail "link type $link, $filter: $got; tcpdump: $wanted"
    done <<'FILTERS'
tcp
host 10.0.0.1 and not tcp
dst net 10.0.0.0/8
ip6 and tcp port 443
tcp[tcpflags] & tcp-syn != 0 or portrange 50-70
greater 90
len = 62
link[0] = 2
arp
vlan
inbound
ip broadcast
ip[6:2] & 0x1fff != 0
type data
FILTERS
  done
fi
no_leftovers

#!/usr/bin/env bash
# VLAN tags that come beside frames, not in them, as a veth hands on those of the kernel, and as cards do: all rings give the
# Flow Records that extract makes of the same packets with their tags in them, for each kind of tag, of frames that have tags
# inside as well, and of the longest frames. Where AF_XDP cannot have them, it is told.
. "$(dirname "$0")/live/wire.sh"

# pushing TPID TCI COMMAND...: while the interface `sender` puts that tag beside what it sends.
pushing() {
  local tpid=$1 tci=$2 status=0
  shift 2
  rm -f pushing.txt  # the last one's must not be taken for this one's
  mkfifo hold
  python3 "$HERE/live/push_tag.py" sender "$tpid" "$tci" <hold >pushing.txt 2>&1 &
  local pusher=$!
  exec 9>hold
  wait_for 10 grep -q pushing pushing.txt
  "$@" || status=$?
  exec 9>&-
  wait "$pusher"
  rm hold
  return $status
}
if ! pushing 8100 5 true; then
  cat pushing.txt
  echo "Linux 6.6, with bpf(2) for root, runs this: $(tail -1 pushing.txt)"
  exit 77
fi

# tagged IN OUT TPID TCI: with that tag in each frame. Timestamps stay.
tagged() {
  python3 - "$@" <<'PY'
import struct, sys
data, tag = open(sys.argv[1], 'rb').read(), struct.pack('>HH', int(sys.argv[3], 16), int(sys.argv[4]))
out, at = [data[:24]], 24
while at < len(data):
    seconds, part, captured, original = struct.unpack('<IIII', data[at:at + 16])
    frame = data[at + 16:at + 16 + captured]
    out.append(struct.pack('<IIII', seconds, part, captured + 4, original + 4) + frame[:12] + tag + frame[12:])
    at += 16 + captured
open(sys.argv[2], 'wb').write(b''.join(out))
PY
}

RINGS="packet xdp"
if "$WARPMETER" live --ring pcap -i capture --duration 1ms -q -o none.csv 2>pcap.txt; then RINGS+=" pcap"
else grep -q 'was built without it' pcap.txt || { cat pcap.txt; fail "no libpcap"; }; fi

# alike FILE TPID TCI: sent with a tag beside it, by every ring.
alike() {
  local ring sent
  tagged "$1" expected.pcap "$2" "$3"
  "$WARPMETER" extract -q --duplicate-window 0 --key-vlan -o expected.csv expected.pcap
  grep -q ",$(($3 & 4095))\$" expected.csv || fail "no flow of VLAN $3"
  for ring in $RINGS; do
    start_live --ring $ring -i capture --duplicate-window 0 --key-vlan -o got.csv
    if [ $ring = xdp ] && grep -q 'VLAN tags' live.txt; then
      grep -q 'capture: VLAN tags that the other end keeps beside frames are lost to AF_XDP (ethtool -K sender txvlan off' live.txt || { cat live.txt; fail "not told how"; }
      "$WARPMETER" live --advise capture | grep -q 'ethtool -K sender txvlan off tx-vlan-stag-hw-insert off' || fail "not advised"
      end_live 0
      continue
    fi
    sent=$(pushing "$2" "$3" send_frames "$1")
    end_live 0
    stats "offered == received == $sent"
    same_but_times expected.csv got.csv
  done
}
"$TRAFFIC_GEN" --packets $((2000 / SCALE)) --mean-packets 20 -o traffic.pcap
alike traffic.pcap 8100 5
alike traffic.pcap 88a8 $((0x6000 + 4095))
tagged traffic.pcap inside.pcap 8100 9  # the outermost is the one beside it
alike inside.pcap 88a8 7

# The longest frames: in one chunk of AF_XDP, and in several.
for mtu in 1500 9000; do
  ip link delete capture
  make_wire $mtu
  python3 - $mtu <<'PY'
import struct, sys
mtu = int(sys.argv[1])
out, sequence = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)], 1
for i in range(40):
    size = [mtu, 60, mtu - 1, mtu // 2][i % 4]  # of the IP packet
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, size, i, 0, 64, 6, 0, 0x0a000001, 0x0a000002)
    tcp = struct.pack('>HHIIHHHH', 1000, 443, sequence, 1, 0x5010, 8192, 0, 0)
    sequence += size - 40
    frame = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]) + ip + tcp + bytes((i + k) & 255 for k in range(size - 40))
    out.append(struct.pack('<IIII', 1700000000, i, len(frame), len(frame)) + frame)
open('long.pcap', 'wb').write(b''.join(out))
PY
  alike long.pcap 8100 5
done
no_leftovers

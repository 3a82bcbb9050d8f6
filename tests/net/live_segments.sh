#!/usr/bin/env bash
# Frames of several segments, as the other end of a veth or a tap leaves them (TSO), are counted as they would be on the
# wire: --ring packet gives the Flow Records that extract makes of the segments, with VLAN tags in frames and beside them, with
# one ring and several, of TCP and UDP, IPv4 and IPv6. Where they cannot be cut, a line says so, and they are counted.
. "$(dirname "$0")/live/wire.sh"
ip link delete capture
make_wire 1500
ip link set lo up  # for metrics

# Connections with segments of all sizes; one time: one frame.
python3 - <<'PY'
import random, struct
random.seed(5)
FIN, SYN, PUSH, ACK, CWR = 1, 2, 8, 16, 128
def frame(flow, sequence, payload, flags, id):
    is_6, is_udp, tag = flow % 2, flow % 3 == 2, flow % 5 == 4
    transport = struct.pack('>HHHH', 1000 + flow, 443, 8 + len(payload), 0) if is_udp else struct.pack(
        '>HHIIBBHHH', 1000 + flow, 443, sequence & 0xffffffff, 1, 0x50, flags, 8192, 0, 0)
    protocol, length = 17 if is_udp else 6, len(transport) + len(payload)
    if is_6: ip = struct.pack('>IHBB', 0x60000000, length, protocol, 64) + bytes(15) + b'\1' + bytes(15) + b'\2'
    else: ip = struct.pack('>BBHHHBBHII', 0x45, 0, 20 + length, id & 0xffff, 0x4000, 64, protocol, 0, 0x0a000001, 0x0a000002)
    link = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]) + (b'\x81\0\0\5' if tag else b'') + (b'\x86\xdd' if is_6 else b'\x08\0')
    return link + ip + transport + payload
out, time = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)], 0
def put(data, time): out.append(struct.pack('<IIII', 1700000000 + time, 0, len(data), len(data)) + data)
state = {flow: [0xffff0000 + flow, 0xffe0] for flow in range(12)}
for flow in state:
    put(frame(flow, state[flow][0] - 1, b'', SYN, 1), time)
    time += 1
for _ in range(300):
    flow = random.randrange(12)
    size = random.choice([1440, 1408, 500, 100, 33])
    segments = random.choice([1, 2, 3, min(43, 62000 // size)])
    again = random.random() < .05  # the whole frame is sent twice
    for twice in range(2 if again else 1):
        sequence, id = state[flow]
        for i in range(segments):
            last = i == segments - 1
            bytes_ = random.Random(flow * 1000 + size).randrange(1, size + 1) if last and segments > 1 else size
            flags = ACK | (PUSH if last else 0) | (CWR if i == 0 and size == 500 else 0)
            put(frame(flow, sequence, random.randbytes(bytes_), flags, id + i), time)
            sequence += bytes_
        state[flow][1] += segments
        time += 1
    state[flow][0] = sequence
for flow in state:
    put(frame(flow, state[flow][0], b'', ACK | FIN, 7), time)
    time += 1
open('wire.pcap', 'wb').write(b''.join(out))
PY
"$WARPMETER" extract -q --duplicate-window 0 --key-vlan --stats extract.json -o expected.csv wire.pcap
packets=$(python3 -c 'import json; print(json.load(open("extract.json"))["packets read"])')

send_joined() { python3 "$HERE/live/send_joined.py" sender wire.pcap; }
alike() {  # OPTION...
  start_live -i capture --ring packet --duplicate-window 0 --key-vlan -o got.csv "$@"
  read -r sent joined < <(send_joined)
  end_live 0
  [ "$joined" -gt 100 ] || fail "$joined frames were joined"
  stats "offered == received == $packets and sum(r['frames cut into segments'] for r in rings) == $joined"
  stats "sum(r['frames longer than the MTU'] for r in rings) == 0"
  grep -q "frames of segments  *$joined cut as on the wire" live.txt || { cat live.txt; fail "not told"; }
  ! grep -q 'longer than its MTU' live.txt || { cat live.txt; fail "they were cut"; }
  same_but_times expected.csv got.csv
}
case $(uname -r) in [1-5].* | 6.[01].*) echo "Linux 6.2 runs this"; exit 77 ;; esac
[ ! -e /proc/net/sctp ] || { echo "a host without SCTP runs this"; exit 77; }
alike
alike --rings 3 --threads 2
alike --ring-size 8M  # blocks that hold two frames

# What an interface's MTU allows since it was raised is one packet, from the first frame on.
python3 - <<'PY'
import struct
for size in (2000, 5000, 9000):
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, size, 1, 0x4000, 64, 17, 0, 0x0a000001, 0x0a000002)
    frame = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]) + ip + struct.pack('>HHHH', 5, 6, size - 20, 0)
    frame += bytes(size + 14 - len(frame))
    head = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    open(f'mtu{size}.pcap', 'wb').write(head + struct.pack('<IIII', 1700000000, 0, size + 14, size + 14) + frame)
PY
start_live -i capture --ring packet --duplicate-window 0 -o got.csv
for mtu in 2000 5000 9000; do
  for end in sender capture; do ip link set $end mtu $mtu; done
  send_frames mtu$mtu.pcap 10 >/dev/null
  sleep 0.2  # the ring gives them before anything else is looked at
done
sleep 1
end_live 0
stats "received == 30 and sum(r['frames longer than the MTU'] for r in rings) == 0"
! grep -q 'longer than its MTU' live.txt || { cat live.txt; fail "its MTU is another one now"; }
for end in sender capture; do ip link set $end mtu 1500; done

# With a tag beside the frame, which is in each segment.
exec 9> >(python3 "$HERE/live/push_tag.py" sender 88a8 7 >pushing.txt 2>&1)
if (wait_for 10 grep -q pushing pushing.txt); then
  python3 - <<'PY'
import struct
data = open('wire.pcap', 'rb').read()
out, at = [data[:24]], 24
while at < len(data):
    seconds, part, length, _ = struct.unpack('<IIII', data[at:at + 16])
    out.append(struct.pack('<IIII', seconds, part, length + 4, length + 4) + data[at + 16:at + 28] + b'\x88\xa8\0\7' + data[at + 28:at + 16 + length])
    at += 16 + length
open('tagged.pcap', 'wb').write(b''.join(out))
PY
  "$WARPMETER" extract -q --duplicate-window 0 --key-vlan -o expected.csv tagged.pcap
  grep -q ',7$' expected.csv || fail "no flow of VLAN 7"
  alike
fi
exec 9>&-

# Where they are not cut. --advise says what is to be changed at the other end, also beforehand, until it is.
"$WARPMETER" live --advise capture | grep -q 'ethtool -K sender tso off tx-udp-segmentation off' || fail "not advised"
if "$WARPMETER" live --ring pcap -i capture --duration 1ms -q -o none.csv 2>pcap.txt; then
  start_live -i capture --ring pcap -o got.csv --metrics 0
  url=$(grep -o 'http://[^ ]*' live.txt)
  read -r sent joined < <(send_joined)
  longer='longer than its MTU of 1500 .*(ethtool -K sender tso off tx-udp-segmentation off)$'
  wait_for $((10 * SCALE)) grep -q "^warpmeter: capture: .*$longer" live.txt
  python3 -c "
import sys, urllib.request
text = urllib.request.urlopen('$url').read().decode()
line, = [l for l in text.splitlines() if l.startswith('warpmeter_ring_frames_of_segments_total') and 'as_one' in l]
assert 0 < int(line.split()[1]) <= $joined, line"
  end_live 0
  stats "received == $sent and 0 < rings[0]['frames longer than the MTU'] <= $joined and rings[0]['frames cut into segments'] == 0"
  [ "$(grep -c 'longer than its MTU' live.txt)" = 1 ] || { cat live.txt; fail "told more than once"; }
else
  grep -q 'was built without it' pcap.txt || { cat pcap.txt; fail "no libpcap"; }
fi
# An XDP program at a veth lets its other end cut them.
start_live -i capture --ring xdp --duplicate-window 0 --key-vlan -o got.csv
send_joined >sent.txt
end_live 0
stats "received == $packets and sum(r['frames cut into segments'] for r in rings) == 0"
"$WARPMETER" extract -q --duplicate-window 0 --key-vlan -o expected.csv wire.pcap
same_but_times expected.csv got.csv
no_leftovers

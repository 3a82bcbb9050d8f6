#!/usr/bin/env bash
# By AF_XDP, too, what comes over a wire gives the Flow Records that extract makes of the same packets, but for their times:
# with one queue and several, with VLAN tags, with frames that need several chunks; and each packet is received or counted
# as lost, to the last one, whatever happens to the program, to the link and to the queues.
. "$(dirname "$0")/live/wire.sh"
: "${LIVE_FRAMES:?run these scripts through ctest}"
RING="--ring xdp"  # of 32,768 frames, more than what is sent at once

# wire QUEUES: another one in the place of what there was.
wire() {
  ip link delete capture
  make_wire 1500 "$1"
}
live_frames() { "$LIVE_FRAMES" --to sender "$@"; }

# split FILE N: into FILE.0, FILE.1, ...: each conversation into one of them.
split() {
  python3 - "$@" <<'PY'
import struct, sys
name, n = sys.argv[1], int(sys.argv[2])
data = open(name, 'rb').read()
parts, at = [[data[:24]] for _ in range(n)], 24
while at < len(data):
    captured = struct.unpack('<I', data[at + 8:at + 12])[0]
    end = at + 16 + captured
    frame = data[at + 16:end]
    addresses = {b'\x08\x00': frame[26:34], b'\x86\xdd': frame[22:54]}.get(frame[12:14], b'')
    key = sum(addresses)  # the same in both directions
    parts[key % n].append(data[at:end])
    at = end
for number, part in enumerate(parts): open(f'{name}.{number}', 'wb').write(b''.join(part))
PY
}

wire 1
start_live $RING -i capture -o flows.csv || { cat live.txt; fail "no start"; }
grep -q 'capturing from capture (AF_XDP, 1 ring of 64 MiB, copied once by the kernel)' live.txt || { cat live.txt; fail "which way?"; }
end_live 0

# One queue, two, and four where there are so many cores to send from.
"$TRAFFIC_GEN" --packets $((8000 / SCALE)) --mean-packets 20 -o traffic.pcap
alike() {  # QUEUES NAME OPTION...
  local queues=$1 name=$2 sent=0 queue
  shift 2
  "$WARPMETER" extract -q --duplicate-window 0 "$@" -o expected.csv "$name"
  [ "$queues" = 1 ] && cp "$name" "$name.0" || split "$name" "$queues"
  start_live $RING -i capture --duplicate-window 0 "$@" -o got.csv
  for ((queue = 0; queue < queues; ++queue)); do sent=$((sent + $(live_frames --queue $queue "$name.$queue"))); done
  end_live 0
  stats "offered == received == $sent == s['packets read'] and len(rings) == $queues and all(r['received'] for r in rings)"
  same_but_times expected.csv got.csv
}
cp "$DATA/first-look.pcap" first-look.pcap
alike 1 first-look.pcap
alike 1 traffic.pcap --biflow
wire 2
[ "$(nproc)" -lt 2 ] || alike 2 traffic.pcap
if [ "$(nproc)" -ge 4 ]; then
  wire 4
  alike 4 traffic.pcap
fi

# One tag, two, one of a provider: they stay where they are.
python3 - <<'PY'
import struct
data = open('traffic.pcap', 'rb').read()
out, at, number = [data[:24]], 24, 0
tags = [b'', b'\x81\x00\x00\x05', b'\x88\xa8\x00\x07\x81\x00\x20\x09', b'\x81\x00\x6f\xff\x81\x00\x00\x01']
while at < len(data) and number < 4000:
    seconds, part, captured, original = struct.unpack('<IIII', data[at:at + 16])
    frame = data[at + 16:at + 16 + captured]
    tag = tags[sum(frame[26:34]) % 4]  # a connection has one
    frame = frame[:12] + tag + frame[12:]
    out.append(struct.pack('<IIII', seconds, part, len(frame), original + len(tag)) + frame)
    at, number = at + 16 + captured, number + 1
open('tagged.pcap', 'wb').write(b''.join(out))
PY
wire 1
alike 1 tagged.pcap --key-vlan
for id in 5 7 4095; do grep -q ",$id\$" got.csv || fail "no flow of VLAN $id"; done

# A filter counts what it leaves out.
start_live $RING -i capture -o got.csv tcp and port 443
sent=$(live_frames traffic.pcap)
end_live 0
stats "received == $sent and s['ignored']['filtered out'] > 0"

# Overload without chance: nobody reads while more comes than fits. To the last packet.
start_live --ring xdp --ring-size 256K -i capture -o flows.csv
first=$(live_frames first-look.pcap)
kill -STOP "$LIVE"
second=$(live_frames --times 20 first-look.pcap)
kill -CONT "$LIVE"
third=$(live_frames first-look.pcap)
end_live 0
stats "offered == $((first + second + third)) and full >= $second - 128 and rings[0]['times full'] > 0"
grep -qE 'packets lost  *[1-9][0-9]* because a ring was full' live.txt || { cat live.txt; fail "losses are not told"; }

# Stopped for good while the ring is full: what lies in it is metered.
start_live --ring xdp --ring-size 256K -i capture -o flows.csv
kill -STOP "$LIVE"
sent=$(live_frames --times 10 first-look.pcap)
kill -TERM "$LIVE"
kill -CONT "$LIVE"
end_live 0 none
stats "offered == $sent and received >= 128 and full > 0"

# Down for a while.
start_live $RING -i capture -o flows.csv
sent=$(live_frames first-look.pcap)
ip link set capture down
ip link set capture up
sent=$((sent + $(live_frames first-look.pcap)))
end_live 0
stats "received == $sent"

# Killed, it leaves nothing behind, and another begins at once. While it runs no other can have the queue.
start_live $RING -i capture -o flows.csv
expect_status 1 "$WARPMETER" live --ring xdp -i capture
expect_one_line 'capture: no AF_XDP: its RX queue 0 belongs to another program'
ip link show capture | grep -q 'xdp' || fail "no program to be seen"
kill -9 "$LIVE"
wait "$LIVE" 2>/dev/null || true
start_live $RING -i capture -o flows.csv
sent=$(live_frames first-look.pcap)
end_live 0
stats "received == $sent"
! ip link show capture | grep -q 'xdp' || fail "a program was left behind"

# A queue that nobody takes: told at the start, counted, and left to the host.
wire 2
if [ "$(nproc)" -ge 2 ]; then
  start_live $RING --rings 1 -i capture -o flows.csv
  grep -q 'capture: 1 of its 2 RX queues have no ring' live.txt || { cat live.txt; fail "not told"; }
  taken=$(live_frames --queue 0 first-look.pcap)
  missed=$(live_frames --queue 1 --times 3 first-look.pcap)
  end_live 0
  python3 -c "
import json
ring, = json.load(open('stats.json'))['capture']['rings']
assert ring['received'] == $taken and ring['lost because nobody takes their queue'] == $missed == 900, ring
assert ring['offered'] == $taken + $missed, ring"
  grep -q 'packets lost .*, 900 because nobody takes their queue' live.txt || { cat live.txt; fail "loss is not told"; }
fi

# Removed.
start_live $RING -i capture -o flows.csv
sent=$(live_frames first-look.pcap)
ip link delete capture
end_live 3 none
grep -q 'warpmeter: capture: the interface is gone' live.txt || { cat live.txt; fail "gone is not told"; }
stats "received == $sent and s['exit status'] == 3"

# The MTU is raised while it captures: what is too long now is told, and counted as that, also while the ring is full.
make_wire 1500
python3 - <<'PY'
import struct
def frames(name, count, size):
    out = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, size, 0, 0, 64, 17, 0, 0x0a000001, 0x0a000002)
    frame = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]) + ip + struct.pack('>HHHH', 1000, 443, size - 20, 0) + bytes(size - 28)
    for i in range(count): out.append(struct.pack('<IIII', 1700000000, i, len(frame), len(frame)) + frame)
    open(name, 'wb').write(b''.join(out))
frames('short.pcap', 100, 500)
frames('long.pcap', 70, 2500)
PY
start_live --ring xdp --ring-size 256K -i capture -o flows.csv
short=$(send_frames short.pcap)
ip link set capture mtu 9000
ip link set sender mtu 9000
long=$(send_frames long.pcap)
wait_for $((10 * SCALE)) grep -q 'capture: frames come that are too long for the MTU that it had' live.txt
kill -STOP "$LIVE"
short=$((short + $(send_frames short.pcap 10)))
long=$((long + $(send_frames long.pcap 3)))
kill -CONT "$LIVE"
end_live 0
stats "offered == $((short + long)) and too_long == $long and full >= 1000 - 128 and received == $short - full"
grep -q "packets lost .*, $long because they were too long" live.txt || { cat live.txt; fail "loss is not told"; }

# Frames longer than a page: the largest, and others between.
ip link delete capture
make_wire 9000
python3 - <<'PY'
import struct
out = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
sequence = {}
for i in range(120):
    size = [60, 9000, 1460, 5000, 3770, 3771, 8999, 4000][i % 8]  # of the IP packet
    port = 1000 + i % 3
    s = sequence.setdefault(port, 1)
    sequence[port] = s + size - 40
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, size, i, 0, 64, 6, 0, 0x0a000001, 0x0a000002)
    tcp = struct.pack('>HHIIHHHH', port, 443, s, 1, 0x5010, 8192, 0, 0)
    frame = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]) + ip + tcp + bytes((i + k) & 255 for k in range(size - 40))
    out.append(struct.pack('<IIII', 1700000000, i, len(frame), len(frame)) + frame)
open('jumbo.pcap', 'wb').write(b''.join(out))
PY
# The kernel would make one of several segments (GRO), later.
python3 - <<'PY'
import ctypes, fcntl, socket, struct
value = ctypes.create_string_buffer(struct.pack('II', 0x2c, 1))  # ETHTOOL_SGRO
fcntl.ioctl(socket.socket(), 0x8946, struct.pack('16sQ16x', b'capture', ctypes.addressof(value)))
PY
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv jumbo.pcap
start_live --ring xdp -i capture --duplicate-window 0 -o got.csv
sent=$(send_frames jumbo.pcap)
has_come_in() { awk -v wanted="$1" '$1 == "capture:" { exit !($3 >= wanted) }' /proc/net/dev; }
wait_for $((10 * SCALE)) has_come_in "$sent"
end_live 0
stats "received == offered == $sent == 120"
! grep -q 'gro is on' live.txt || fail "GRO comes later"
same_but_times expected.csv got.csv
no_leftovers

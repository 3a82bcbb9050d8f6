#!/usr/bin/env bash
# Packets that the kernel gives to another ring than that of their flow are metered with it, and counted: of a datagram that
# is cut into fragments it knows no ports, so the first one, which has them, may come elsewhere. And a collector that does
# not read for long stops nothing: memory stays as it is, no packet and no Flow Record is lost.
. "$(dirname "$0")/live/wire.sh"
python3 - <<'PY'
import struct
out = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
number = 0
for turn in range(40):
    for port in range(4000, 4032):
        number += 1
        more = turn % 2  # more fragments follow
        datagram = struct.pack('>HHHH', port, 53, 32, 0) + bytes([turn]) * 24
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(datagram), number, 0x2000 * more, 64, 17, 0) + bytes([10, 0, 0, 1, 10, 0, 0, 2])
        frame = bytes(12) + b'\x08\x00' + ip + datagram
        out.append(struct.pack('<IIII', 1700000000, number, len(frame), len(frame)) + frame)
open('fragments.pcap', 'wb').write(b''.join(out))
PY
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv fragments.pcap
[ "$(rows expected.csv)" = 32 ]
for threads in 2 1; do
  start_live -i capture --rings 2 --threads $threads --duplicate-window 0 -o got.csv
  sent=$(send_frames fragments.pcap 4)
  end_live 0
  stats "received == $sent and not_handed == 0 and (sum(r['handed over'] for r in rings) > 0) == ($threads == 2)"
  python3 - <<'PY'
import csv
got = list(csv.DictReader(open('got.csv')))
assert len(got) == 32 and all(row['packets'] == '160' and row['bytes'] == str(160 * 52) for row in got), got[:3]
PY
done

# The collector reads nothing until all has been sent, and then all of it.
ip link set lo up
"$TRAFFIC_GEN" --packets 8000 --mean-packets 3 -o traffic.pcap
python3 - <<'PY' &
import os, socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.bind(('127.0.0.1', 4739))
s.listen()
open('ready', 'w').close()
connection = s.accept()[0]
while not os.path.exists('read'): time.sleep(0.01)
while connection.recv(1 << 20): pass
PY
OTHERS=$!
wait_for 20 test -e ready
start_live -i capture --duplicate-window 0 --idle-timeout 100ms --max-latency 20ms --memory 64M --run-memory 16K --ring-size 8M \
  --collector tcp://127.0.0.1:4739
sent=0
for turn in $(seq $((12 / SCALE))); do
  sent=$((sent + $(send_frames traffic.pcap)))
  sleep 0.2  # so that its flows end, and are not those of the next turn
done
most=$(awk '/^VmHWM/ { print $2 }' /proc/$LIVE/status)
[ $SCALE -gt 1 ] || [ "$most" -lt 300000 ] || fail "$most KiB"
touch read
end_live 0
stats "received == $sent and s['rows'] == s['exported']['records'] > 10000 and s['exported']['lost records'] == 0"
wait $OTHERS
no_leftovers

#!/usr/bin/env bash
# What TCP carried over a wire comes to a detector as reassemble gives it, by AF_PACKET and AF_XDP, with one ring and several;
# connections end on a silent wire, while the capture goes on; a detector that stands still costs no packet; and metrics tell.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 20000 --flows 200 --mean-packets 30 --loss 0.01 --reorder 0.02 --duplicate 0 -o traffic.pcap
"$WARPMETER" reassemble -q --unordered -o expected.streams traffic.pcap
cat > detector.py <<'PY'
"""detector.py HOW: what comes to the socket goes to got.streams; still: only once there is a file `now`."""
import os, socket, sys, time

server = socket.socket(socket.AF_UNIX)
server.bind('new')
server.listen()
os.rename('new', 'socket')
peer, _ = server.accept()
while sys.argv[1] == 'still' and not os.path.exists('now'): time.sleep(0.05)
with open('got.streams', 'wb', buffering=0) as out:
    while data := peer.recv(1 << 16): out.write(data)
PY
detect() {  # HOW
  rm -f socket got.streams now
  python3 detector.py $1 &
  OTHERS=$!
  wait_for 20 [ -S socket ]
}
cat > compare.py <<'PY'
"""compare.py HOW: but for times, got.streams is expected.streams; bytes: what each direction carried; silent: what has come so
far is that all have ended by the timeout."""
import os, sys

sys.path.insert(0, os.environ['SOURCE'] + '/examples')
from read_streams import records


def read(path):
    found = {}
    with open(path, 'rb') as stream:
        try:
            for kind, number, *more in records(stream):
                if kind != 'last': found.setdefault(number, []).append((kind, *more))
        except EOFError:
            if sys.argv[1] != 'silent': raise
    return found


def without_times(connections):
    return {n: [k[:1] + k[2:] if k[0] != 'block' else k for k in c] for n, c in connections.items()}


def of_directions(connections):
    carried = {}
    for c in connections.values():
        for block in (k for k in c if k[0] == 'block'):
            for side, _, _, data in block[3]:
                ends = c[0][2:] if side == 'client' else c[0][:1:-1]
                carried[ends] = carried.get(ends, b'') + data
    return carried


got, expected = read('got.streams'), read('expected.streams')
if sys.argv[1] == 'all': assert without_times(got) == without_times(expected)
if sys.argv[1] == 'bytes': assert of_directions(got) == of_directions(expected)
if sys.argv[1] == 'silent':
    assert len(got) == len(expected) and all(c[-1][0] == 'ended' for c in got.values())
    assert any(c[-1][3] == 'timeout' for c in got.values())
PY
for how in '--ring packet' '--ring packet --rings 3' '--ring xdp'; do
  detect read
  start_live -i capture $how -o got.csv --streams unix:socket
  packets=$(send_frames traffic.pcap)
  end_live 0
  wait $OTHERS
  stats "offered == received == $packets and s['streams']['dropped blocks'] == s['streams']['blocks without a detector'] == 0"
  if [[ $how == *rings* ]]; then python3 compare.py bytes; else python3 compare.py all; fi
done

# Silence.
detect read
start_live -i capture -o got.csv --streams unix:socket --stream-timeout 1s --metrics 0
send_frames traffic.pcap >/dev/null
wait_for 20 python3 compare.py silent
url=$(sed -n 's/^warpmeter: metrics at //p' live.txt)
ip link set lo up
python3 - "$url" <<'PY'
import sys, urllib.request

text = urllib.request.urlopen(sys.argv[1]).read().decode()
values = dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))
assert float(values['warpmeter_stream_connections_total']) > 100 and values['warpmeter_stream_live_connections'] == '0', text
assert values['warpmeter_stream_detector_connected'] == '1' and float(values['warpmeter_stream_bytes_total']) > 0
PY
kill -USR1 $LIVE
wait_for 20 grep -qE '^  streams +[0-9]+ connections' live.txt
end_live 0
wait $OTHERS

# It stands still: no packet is lost, blocks are, and what is told of that adds up.
detect still
start_live -i capture -o got.csv --streams unix:socket --stream-queue 1M --drain-timeout 20s
packets=$(send_frames traffic.pcap)
touch now
end_live 0
wait $OTHERS
stats "offered == received == $packets and full == 0 and s['streams']['dropped blocks'] > 0"
python3 - <<'PY'
import json, os, sys

sys.path.insert(0, os.environ['SOURCE'] + '/examples')
from read_streams import records

told = json.load(open('stats.json'))['streams']
taken = list(records(open('got.streams', 'rb')))
assert sum(r[1] for r in taken if r[0] == 'dropped') == told['dropped blocks']
assert sum(r[0] == 'block' for r in taken) + told['dropped blocks'] == told['blocks'], told
assert told['ends not told'] == 0 and taken[-1][0] == 'last'
PY
no_leftovers

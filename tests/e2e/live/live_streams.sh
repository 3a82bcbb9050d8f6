#!/usr/bin/env bash
# live --streams: a detector at a Unix socket gets the streams that reassemble makes of the same packets, from one ring and
# from several; one that is absent, slow, silent, or dies changes nothing of what is metered, and holds up the end no longer
# than it may; what stands in its place and is none is one clear error.
. "$(dirname "$0")/../common.sh"
[ -n "${FEEDER:-}" ] || { echo "a build of examples/, which a C compiler makes, runs this"; exit 77; }
NAME=streams-$$
SOCKET=$SCRATCH/socket
traffic() {  # OPTION...
  "$TRAFFIC_GEN" --packets 40000 --flows 300 --mean-packets 30 \
    --vlan 0 "$@" -o traffic.pcap
  "$WARPMETER" extract -q -o expected.csv traffic.pcap
  "$WARPMETER" reassemble -q --unordered -o expected.streams traffic.pcap
}
LIVE= DETECTOR=
trap 'kill -9 $LIVE $DETECTOR 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT

cat > detector.py <<'PY'
"""detector.py SOCKET HOW: listens, and writes what comes to got.streams. HOW: read; slow: it begins late; silent: it never
reads; dies: after some bytes; talks: says something all the time."""
import os, socket, sys, time

path, how = sys.argv[1:]
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
peer, _ = server.accept()
if how == 'slow':
    while not os.path.exists('now'): time.sleep(0.05)
if how == 'silent': time.sleep(1000)
if how == 'dies':
    peer.recv(1000)
    os._exit(0)
with open('got.streams', 'wb') as out:
    while True:
        try: data = peer.recv(1 << 16)
        except ConnectionResetError: data = b''  # what it said last was not read
        if not data: break
        out.write(data)
        try:
            if how == 'talks': peer.sendall(b'x' * 1000)
        except BrokenPipeError: how = 'read'  # nobody is there any more, but what was sent is
PY
listens() { grep -q "^[0-9a-f]*: [0-9A-F]* [0-9A-F]* 00010000 .* $SOCKET\$" /proc/net/unix; }
detect() {  # HOW
  rm -f got.streams now "$SOCKET"
  python3 detector.py "$SOCKET" "$1" &
  DETECTOR=$!
  wait_for 20 listens
}
feed() {  # FEEDER-OPTION... -- LIVE-OPTION...
  local fed=()
  while [ "$1" != -- ]; do fed+=("$1"); shift; done
  rm -f got.csv
  "$WARPMETER" live -i shm:$NAME -o got.csv --stats stats.json --streams "unix:$SOCKET" "${@:2}" 2>live.txt &
  LIVE=$!
  wait_for 20 grep -q '^warpmeter: capturing from' live.txt
  "$FEEDER" "${fed[@]}" $NAME traffic.pcap >/dev/null
}
ended() {  # once all is metered, which is as ever
  wait $LIVE || { cat live.txt >&2; fail "exit status $?"; }
  LIVE=
  cmp expected.csv got.csv
}
read_all() { wait $DETECTOR || fail "the detector failed"; DETECTOR=; }
stats() { python3 -c "import json; s = json.load(open('stats.json')); t = s['streams']; assert $1, t"; }

cat > compare.py <<'PY'
"""compare.py GOT HOW: all: what GOT holds is what reassemble wrote; renumbered: but for the numbers of packets; bytes: each
direction's, whatever order the directions came in; partly: what it holds is a part of that, with what it says that was dropped."""
import os, sys

sys.path.insert(0, os.environ['SOURCE'] + '/examples')
from read_streams import records


def read(path):
    found, last, dropped = {}, None, [0, 0, 0]
    with open(path, 'rb') as stream:
        for kind, number, *more in records(stream):
            if kind == 'last': last = (number, *more)
            elif kind == 'dropped': dropped = [a + b for a, b in zip(dropped, (number, *more))]
            else:
                assert (kind == 'opened') == (number not in found), 'not opened before'
                found.setdefault(number, []).append((kind, *more))
    return found, last, dropped


def without_numbers(connections):  # a connection is its ends and its first time then
    return {c[0]: [(k[0], k[1], k[3]) if k[0] == 'block' else k for k in c[1:]] for c in connections.values()}


def of_directions(connections):
    carried = {}
    for c in connections.values():
        for side, offset, gap, data in (s for b in blocks(c) for s in b[3]):
            ends = c[0][2:] if side == 'client' else c[0][:1:-1]
            carried.setdefault(ends, []).append((offset, gap, data))
    return {ends: b''.join(data for _, _, data in parts) for ends, parts in carried.items()}


def blocks(connection): return [b for b in connection if b[0] == 'block']
def carried(of): return sum(len(s[3]) for c in of.values() for b in blocks(c) for s in b[3])


got, last, dropped = read(sys.argv[1])
expected, expected_last, _ = read('expected.streams')
how = sys.argv[2]
if how == 'all': assert (got, last, dropped) == (expected, expected_last, [0, 0, 0])
if how == 'renumbered': assert (without_numbers(got), last) == (without_numbers(expected), expected_last)
if how == 'bytes':
    a, b = of_directions(got), of_directions(expected)
    differ = [(ends, len(a.get(ends, b'')), len(b.get(ends, b''))) for ends in a.keys() | b.keys() if a.get(ends) != b.get(ends)]
    assert not differ and len(got) == len(expected), (differ[:9], len(got), len(expected))
if how == 'partly':
    assert 0 < carried(got) < carried(expected) and last
    for number, connection in got.items():
        assert all(b in expected[number] for b in connection), number
    assert dropped[0] > 0 and carried(got) + dropped[1] == carried(expected), (dropped, carried(got), carried(expected))
print(how, len(got), 'connections,', carried(got), 'bytes, dropped', dropped)
PY
compare() { python3 compare.py got.streams "$1" || fail "$1"; }

# All of it, of one ring and of several, with as many threads and with fewer. Over IPv4 the feeder gives both directions of a
# connection to one ring; over IPv6 not, so that they come in any order, far apart: a gap would be given up sooner where the other
# direction is ahead, by its reset or its bytes, and there is none.
traffic --clean --ipv6 1 --port-reuse 0 --reset 0
detect read; feed -q 3 -- --rings 3; ended; read_all; compare bytes
traffic --ipv6 0.3 --duplicate 0.05 --port-reuse 0.3 --loss 0.01 --reorder 0.02
detect read; feed --; ended; read_all; compare all
stats "t['dropped blocks'] == t['blocks without a detector'] == 0 and t['detectors'] == 1 and t['blocks'] > 100"
grep -qE '^  streams +[0-9]+ connections, [0-9]+ blocks \([^)]*\)$' live.txt || fail "no line of the summary"
traffic --ipv6 0 --duplicate 0 --port-reuse 0.3 --loss 0.01 --reorder 0.02
for threads in 1 3; do
  detect read; feed -q 3 -- --rings 3 --threads $threads; ended; read_all; compare renumbered
done
detect talks; feed --; ended; read_all; compare all
# As told, and as reassemble does with the same options, each of which makes another answer.
mv expected.streams plain.streams
"$WARPMETER" reassemble -q --unordered --gap-packets 0 -o expected.streams traffic.pcap
! cmp -s plain.streams expected.streams || fail "the traffic does not tell --gap-packets"
detect read; feed -- --stream-gap-packets 0; ended; read_all; compare all
"$WARPMETER" reassemble -q --unordered --block-size 1K --timeout 2s --gap-packets 40 --overlap linux -o expected.streams traffic.pcap
detect read
feed -- --stream-block-size 1K --stream-timeout 2s --stream-gap-packets 40 --stream-overlap linux --stream-memory 64M
ended; read_all; compare all
"$WARPMETER" reassemble -q --unordered -o expected.streams traffic.pcap
# By the example of the docs, which takes the place of the last one's socket.
python3 "$SOURCE/examples/read_streams.py" "$SOCKET" >told.txt & DETECTOR=$!
wait_for 20 listens
feed --; ended
wait_for 20 grep -q '^last ' told.txt
kill $DETECTOR; wait $DETECTOR || true
cmp <(python3 "$SOURCE/examples/read_streams.py" <expected.streams | sort) <(sort told.txt)

# Nobody; one that dies; one that begins to read when all has been fed; one that never does.
rm -f "$SOCKET"
feed --; ended
grep -q "^warpmeter: unix:$SOCKET: nobody listens there yet" live.txt || fail "that nobody listens was not told"
stats "t['blocks'] == t['blocks without a detector'] > 0 and t['detectors'] == 0"
detect dies; feed --; ended; read_all
stats "t['blocks without a detector'] > 0 and t['detectors'] > 0"
detect slow; feed -- --stream-queue 1M
touch now; ended; read_all; compare partly
stats "t['dropped blocks'] > 0 and t['ends not told'] == 0"
grep -qE 'streams .*; [0-9]+ blocks \(.*\) dropped, since the detector was too slow' live.txt || fail "not in the summary"
detect silent
feed -- --stream-queue 1M --drain-timeout 4s
SECONDS=0; ended; [ $SECONDS -lt $((10 * SCALE)) ] || fail "a detector held up the end for $SECONDS s"
kill -9 $DETECTOR; wait $DETECTOR 2>/dev/null || true; DETECTOR=
stats "t['dropped blocks'] > 0 and t['blocks without a detector'] > 0"
grep -q '^warpmeter: unix:.*: --drain-timeout is over, and the detector has not read all' live.txt || fail 'given up without a word'
grep -q '^warpmeter: outputs have another [12] s (--drain-timeout) .*; the detector has .* to read$' live.txt || fail 'waited without a word'
grep -qE 'streams .*; [0-9]+ blocks \(.*\) that no detector took' live.txt || fail 'not in the summary'

# What is no detector, and what the options do not mean.
refused() {  # STATUS PATTERN OPTION...
  expect_status $1 "$WARPMETER" live -o flows.csv "${@:3}"
  expect_one_line "$2"
  [ ! -e flows.csv ] || fail "an output of a run that was refused"
}
echo mine >file; mkdir folder
refused 1 "streams unix:file: no socket, but a file or folder that is there already" -i shm:$NAME --streams unix:file
refused 1 "streams unix:folder: no socket" -i shm:$NAME --streams unix:folder
[ "$(cat file)" = mine ] || fail "the file was changed"
refused 1 "streams unix:file/socket: Not a directory" -i shm:$NAME --streams unix:file/socket
refused_late() {  # STATUS PATTERN OPTION...: once it is known where packets come from
  expect_status $1 "$WARPMETER" live -o flows.csv -i shm:$NAME "${@:3}"
  tail -n 1 stderr.txt | grep -qE "^warpmeter: $2" || { cat stderr.txt >&2; fail "expected $2"; }
  [ ! -e flows.csv ] || fail "an output of a run that was refused"
}
python3 -c '
import socket, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("datagrams"); time.sleep(1000)' & DETECTOR=$!
wait_for 20 [ -S datagrams ]
refused_late 1 "--streams unix:datagrams: a socket of another kind: a stream socket \(SOCK_STREAM\) is needed" \
  --streams unix:datagrams
kill -9 $DETECTOR; wait $DETECTOR || true; DETECTOR=
refused_late 2 "--streams: .* fewer --threads, or more --rings" --threads 2 --streams unix:s
refused 2 "at most 107 bytes" -i shm:$NAME --streams "unix:/$(printf 'x%.0s' {1..107})"
for place in unix: detector tcp://localhost:1 /run/detector; do
  refused 2 "streams $place: unix:PATH" -i shm:$NAME --streams $place
done
refused 2 'streams means nothing for -i folder:PATH: what files hold warpmeter reassemble' -i folder:folder --streams unix:s
refused 2 'streams goes with metering on the CPU' -i shm:$NAME --backend cuda --streams unix:s
[ -n "${SANITIZE:-}" ] ||  # which has a limit of its own
  refused_late 1 'there is not so much memory for records that wait' --streams unix:s --stream-queue 4000T
refused 2 'stream-queue: at least 1M' -i shm:$NAME --streams unix:s --stream-queue 1K
refused 2 'stream-memory: at least 1M' -i shm:$NAME --streams unix:s --stream-memory 1K
refused 2 'stream-block-size 1M: 1K to 256K' -i shm:$NAME --streams unix:s --stream-block-size 1M
refused 2 'stream-timeout 1ms: 1s to 256s' -i shm:$NAME --streams unix:s --stream-timeout 1ms
refused 2 'stream-gap-packets -1: ' -i shm:$NAME --streams unix:s --stream-gap-packets=-1
for option in block-size timeout gap-packets overlap memory queue; do
  value=1M; [ $option != overlap ] || value=first; [ $option != block-size ] || value=16K; [ $option != timeout ] || value=1s
  refused 2 "stream-$option goes with --streams" -i shm:$NAME --stream-$option $value
done
no_leftovers

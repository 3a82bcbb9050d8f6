#!/usr/bin/env bash
# The feeder of tools/dpdk_feeder, with a device of DPDK that replays captures, without huge pages: Flow Records are those
# that extract makes, with one queue and with two; its end by a signal is an end as it should be.
. "$(dirname "$0")/../e2e/common.sh"
DPDK_FEEDER=${DPDK_FEEDER:-${BUILT_DPDK_FEEDER:-}}
[ -n "$DPDK_FEEDER" ] ||
  { echo "a build where DPDK is (apt-get install libdpdk-dev), or DPDK_FEEDER=PROGRAM, runs this"; exit 77; }
NAME=dpdk-test-$$
FED= LIVE=
trap 'kill -9 $FED $LIVE 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
# Of DPDK; its replaying device knows times to the microsecond.
eal() { echo "--no-huge --no-pci -m 128 --no-telemetry --no-shconf --log-level=error ${DPDK_OPTIONS:-} $*"; }
"$TRAFFIC_GEN" --packets $((4000 / SCALE)) --mean-packets 20 -o traffic.pcap
python3 - <<'PY'
import struct
data = open('traffic.pcap', 'rb').read()
nano = struct.unpack('<I', data[:4])[0] == 0xa1b23c4d
parts, at = [[], []], 24
while at < len(data):
    seconds, part, captured, original = struct.unpack('<IIII', data[at:at + 16])
    frame = data[at + 16:at + 16 + captured]
    record = struct.pack('<IIII', seconds, part // 1000 if nano else part, captured, original) + frame
    parts[sum(frame[6:14]) % 2].append(record)  # by sender and kind: flows stay whole
    at += 16 + captured
head = struct.pack('<I', 0xa1b2c3d4) + data[4:24]
for name, records in (('a', parts[0]), ('b', parts[1])): open(name + '.pcap', 'wb').write(head + b''.join(records))
PY
"$WARPMETER" extract -q -o a.csv a.pcap
"$WARPMETER" extract -q -o both.csv --duplicate-window 0 a.pcap b.pcap

start_live() {  # OPTION...
  : >live.txt
  "$WARPMETER" live -i shm:$NAME --stats stats.json -o got.csv "$@" 2>live.txt &
  LIVE=$!
  wait_for 20 grep -q '^warpmeter: capturing from' live.txt
}
start_feeder() {  # EAL... -- OPTION...
  "$DPDK_FEEDER" $(eal) "$@" --name $NAME >fed.txt 2>fed.err </dev/null &
  FED=$!
}
ended() {  # STATUS PID
  local got=0
  wait "$2" || got=$?
  if [ "$2" = "$FED" ]; then FED=; else LIVE=; fi
  [ "$got" = "$1" ] || { cat live.txt fed.err >&2; fail "exit status $got, expected $1"; }
}
same_sums() {
  read -r _ offered _ dropped _ missed <fed.txt
  python3 - "$offered" "$dropped" "$missed" <<'PY'
import json, sys
s = json.load(open('stats.json'))
rings = s['capture']['rings']
sums = [sum(r['offered'] for r in rings), sum(r['lost because it was full'] for r in rings),
        s['capture']['interfaces'][0]['lost by the interface']]
assert sums == [int(n) for n in sys.argv[1:]] and sums[0] > 100, (sums, sys.argv)
PY
}

start_live
start_feeder -l 0 --vdev net_pcap0,rx_pcap=a.pcap -- --snaplen 2000 --wait --end-when-idle 300
ended 0 $FED
ended 0 $LIVE
cmp a.csv got.csv
same_sums

start_live --rings 2 --duplicate-window 0
start_feeder --lcores 0,1@0 --vdev net_pcap0,rx_pcap=a.pcap,rx_pcap=b.pcap -- --queues 2 --snaplen 2000 --wait --end-when-idle 600
ended 0 $FED
ended 0 $LIVE
cmp both.csv got.csv
same_sums

# Again and again, until a signal; what found no room is counted by both alike.
start_live
start_feeder -l 0 --vdev net_pcap0,rx_pcap=a.pcap,infinite_rx=1 -- --ring-size 65536
wait_for 20 grep -q 'has come' live.txt
kill -STOP $LIVE
sleep 0.2
kill -CONT $LIVE
kill -INT $FED
ended 0 $FED
ended 0 $LIVE
same_sums
no_leftovers

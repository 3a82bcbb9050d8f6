#!/usr/bin/env bash
# --collector-statistics: a collector hears while the capture runs, and at its end, what was metered, sent and lost, in Options
# Records that ipfixDump and tshark read; who reads flows passes over them.
. "$(dirname "$0")/live/wire.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 4000 --mean-packets 8 -o traffic.pcap
ip link set lo up
python3 "$HERE/receive.py" tcp 4739 tcp.ipfix >receiver.txt &
OTHERS=$!
receiver=$!
wait_for 10 grep -q listening receiver.txt
start_live -i capture --duplicate-window 0 --idle-timeout 300ms --max-latency 100ms --collector-statistics 200ms \
  --collector tcp://127.0.0.1 -o f.csv
told() { [ "$(grep -c capture tcp.ipfix)" -gt 0 ]; }   # a ring's name: before any packet came
wait_for 10 told
sent=$(send_frames traffic.pcap)
sleep 0.8
end_live 0
wait "$receiver"
flows=$(rows f.csv)
stats "s['exported']['records'] == s['rows'] == $flows and s['exported']['lost records'] == 0"   # no Options Records
grep -qE "^  exported +$flows records in" live.txt || { cat live.txt; fail "the summary says something else"; }
"$WARPMETER" show -q tcp.ipfix -o shown.csv --format csv
[ "$(rows shown.csv)" = "$flows" ] || fail "the stream has not the flows"

expect_status 2 "$WARPMETER" live -i capture -o g.csv --collector-statistics 1s
expect_one_line 'goes with --collector'
expect_status 2 "$WARPMETER" live -i capture --collector udp://127.0.0.1 --biflow --collector-statistics 1s
expect_one_line 'not with --biflow'

read_by=0
if command -v ipfixDump >/dev/null; then
  read_by=1
  ipfixDump --in tcp.ipfix >dump.txt
  python3 - "$sent" "$flows" <<'PY'
import re, sys
sent, flows = map(int, sys.argv[1:])
values = {}
for line in open('dump.txt'):
    field = re.match(r'\s*\((\d+)\) (?:\(S\))?\s*(\w+) : (?:\(len: \d+\) )?(.*)', line)
    if field: values.setdefault(field[2], []).append(field[3].strip())
numbers = lambda name: [int(v) for v in values[name]]
assert len(numbers('exportedFlowRecordTotalCount')) >= 4, 'told too seldom'
assert numbers('exportedFlowRecordTotalCount')[0] == 0 and numbers('exportedFlowRecordTotalCount')[-1] == flows
assert numbers('observedFlowTotalCount')[-1] == flows and numbers('notSentFlowTotalCount')[-1] == 0
assert numbers('exportedOctetTotalCount')[-1] > 1000 and numbers('exportedMessageTotalCount')[-1] > 4
assert numbers('ignoredPacketTotalCount')[-1] == 0 == numbers('ignoredOctetTotalCount')[-1]
points = list(zip(values['interfaceName'], numbers('observationPointId'), numbers('packetTotalCount'),
                  numbers('droppedPacketTotalCount')))
assert points[-2:] == [('capture', 1, sent, 0), ('capture', 2, 0, 0)], points[-2:]
PY
fi
if command -v tshark >/dev/null; then
  read_by=1
  tshark -r tcp.ipfix -V >shark.txt 2>/dev/null
  if grep -q Malformed shark.txt; then fail "malformed for tshark"; fi
  grep -qE "Permanent Packets: $sent\$" shark.txt || fail "tshark does not show the ring"
  grep -qE "FlowsExp: $flows\$" shark.txt || fail "tshark does not show what was exported"
fi
[ $read_by = 1 ] || { echo "apt-get install libfixbuf-tools tshark runs the rest: there is neither"; exit 77; }

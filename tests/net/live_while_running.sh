#!/usr/bin/env bash
# Flow Records leave while the capture runs: into a pipe within the latency, to a collector, and into files of intervals,
# each of which is complete and sorted when it has its name. All together they are those of extract.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets $((8000 / SCALE)) --mean-packets 8 -o traffic.pcap
METER="--duplicate-window 0 --idle-timeout 1s"
"$WARPMETER" extract -q --duplicate-window 0 --idle-timeout 0 -o expected.csv traffic.pcap

# The same but for times, and where a silence ended what there the end of the input did.
same_flows() {
  python3 - "$@" <<'PY'
import csv, sys
def rows(names):
    got = [row for name in names for row in csv.DictReader(open(name))]
    for row in got: row['end_reason'] = {'4': '1'}.get(row['end_reason'], row['end_reason'])
    return sorted(tuple(v for c, v in row.items() if not c.endswith('_ns')) for row in got)
a, b = rows(sys.argv[1:2]), rows(sys.argv[2:])
assert a and a == b, (len(a), len(b), list(set(a) ^ set(b))[:4])
PY
}

# A pipe: lines come while it runs, on a silent wire too, and the last is there long before the end.
mkfifo pipe
cat pipe >got.csv &
reader=$!
start_live -i capture $METER --max-latency 200ms -o pipe --format csv
grep -q 'Flow Records are written as they end' live.txt
sent=$(send_frames traffic.pcap)
all_there() { [ "$(rows got.csv)" = "$(rows expected.csv)" ]; }
wait_for $((20 * SCALE)) all_there
same_flows expected.csv got.csv
end_live 0
wait $reader
stats "received == $sent and s['rows'] == $(rows expected.csv)"
same_flows expected.csv got.csv

# How long after its last packet a record came: no more than the idle timeout and the latency, and a bit for a busy machine.
python3 - <<'PY' &
import csv, sys, time
late = []
with open('pipe') as pipe:
    for row in csv.DictReader(iter(pipe.readline, '')): late.append(time.time() - int(row['end_ns']) / 1e9)
open('late.txt', 'w').write(f'{min(late)} {max(late)}\n')
PY
reader=$!
start_live -i capture $METER --max-latency 200ms -o pipe --format csv
send_frames traffic.pcap >/dev/null
sleep 2
end_live 0
wait $reader
read -r earliest latest <late.txt
python3 -c "assert 0 < $earliest and $latest < 1 + 0.2 + 0.5 * $SCALE, ($earliest, $latest)"

# Files of intervals, and a whole one beside them; packets before and after a pause that ends flows.
mkdir files
start_live -i capture $METER --max-latency 200ms --rotate 1s -o files/flows.csv -o files/flows.json
first=$(send_frames traffic.pcap)
sleep 3
[ "$(ls files/*.csv 2>/dev/null | wc -l)" -ge 1 ] || fail "no file while it runs"
ls files | grep -q part && fail "an interval that is over has a part file" || true
second=$(send_frames traffic.pcap)
end_live 0
stats "received == $((first + second)) and s['rows'] == $((2 * $(rows expected.csv)))"
for file in files/*.csv; do
  grep -qE 'flows\.[0-9]{8}T[0-9]{6}Z(-[0-9]+)?\.csv$' <<<"$file" || fail "$file"
  "$WARPMETER" show -q "$file" -o - --format csv >sorted.csv 2>/dev/null
  cmp sorted.csv "$file" || fail "$file is not sorted"
  [ -e "${file%.csv}.json" ] || fail "no ${file%.csv}.json"
done
cp expected.csv twice.csv && tail -n +2 expected.csv >>twice.csv
same_flows twice.csv files/*.csv

# A collector gets them while it runs, and a file beside it all of them, sorted, at the end.
ip link set lo up
python3 - 2>collector.err <<'PY' &
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
s.bind(('127.0.0.1', 4739))
open('ready', 'w').close()
while True:
    data = s.recv(65535)
    with open('messages', 'a') as to: to.write(f'{struct.unpack(">H", data[:2])[0]} {len(data)}\n')
PY
OTHERS=$!
wait_for 20 test -e ready
for protocol in "10 8000" "9 1500 --netflow-v9"; do  # version, octets with most of the records, options
  read -r version octets options <<<"$protocol"
  : >messages
  start_live -i capture $METER --max-latency 200ms --collector udp://127.0.0.1:4739 $options -o beside.csv
  send_frames "$DATA/first-look.pcap" >/dev/null
  long_messages() { [ "$(awk -v v=$version '$1 == v { sum += $2 } END { print sum + 0 }' messages)" -gt $octets ]; }
  wait_for $((20 * SCALE)) long_messages
  [ ! -e beside.csv ] || fail "the file is there before it is complete"
  end_live 0
  stats "s['exported']['records'] == s['rows'] > 20 and s['exported']['lost records'] == 0"
  "$WARPMETER" extract -q --duplicate-window 0 -o looked.csv "$DATA/first-look.pcap"
  same_flows looked.csv beside.csv
  "$WARPMETER" show -q beside.csv -o - --format csv | cmp - beside.csv
  rm beside.csv
done
kill $OTHERS; OTHERS=

# A second capture with the same names takes nobody's place.
ls files >before.txt
for run in 1 2 3; do
  start_live -i capture $METER --rotate 1h -o files/flows.csv
  send_frames "$DATA/first-look.pcap" >/dev/null
  end_live 0
done
[ "$(ls files | wc -l)" = "$(($(wc -l <before.txt) + 3))" ] || { ls files; fail "a file was replaced"; }

# Whoever reads the pipe goes away: so does the capture.
cat pipe >/dev/null & reader=$!
start_live -i capture $METER -o pipe --format json
kill $reader; wait $reader 2>/dev/null || true
send_frames "$DATA/first-look.pcap" >/dev/null
end_live 141 none
# While nobody reads it yet, one signal is enough (`--foreground`: otherwise timeout sends two).
expect_status 1 timeout --foreground --preserve-status -s INT 1 "$WARPMETER" live -q -i capture -o pipe --format csv
# What needs all Flow Records is written at the end.
start_live -i capture --biflow -o pairs.csv --rotate 1s
grep -q 'Flow Records are written when the capture ends' live.txt
end_live 0
expect_status 2 "$WARPMETER" live -i capture --max-latency 1ms
expect_one_line 'max-latency: 10ms to 1h'
no_leftovers

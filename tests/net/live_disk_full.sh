#!/usr/bin/env bash
# A disk that fills and empties again under `live --rotate`: files end valid with what there is room for, the collector and
# the other outputs get everything, what was lost is counted, and later intervals are whole. For every format: Flow Records in
# files + counted as lost = those of the collector = those of the flows that were sent, and so for packets and octets.
. "$(dirname "$0")/live/wire.sh"
need_ipfix
ip link set lo up
mkdir roomy
"$TRAFFIC_GEN" --packets 8000 --mean-packets 4 -o traffic.pcap
METER="--duplicate-window 0 --idle-timeout 2s --max-latency 200ms"  # longer than a busy machine lets a sender wait
"$WARPMETER" extract -q --duplicate-window 0 --idle-timeout 0 -o expected.csv traffic.pcap

# Counts what comes over one connection.
collect() {
  python3 -B - "$SOURCE/bench/soak" <<'PY' &
import json, sys
sys.path.insert(0, sys.argv[1])
from collector import Collector
collector, records, packets = Collector(), 0, 0
open('url', 'w').write(collector.url)
for some in collector.messages():
    for row in some: records, packets = records + 1, packets + row[0]
open('collected.json', 'w').write(json.dumps({'records': records, 'packets': packets}))
PY
  OTHERS=$!
  wait_for 20 test -s url
}

# balance FOLDER/NAME.SUFFIX...: of the run that has ended.
balance() {
  wait $OTHERS; OTHERS=
  local name
  for name in "$@"; do
    rm -rf shown; mkdir shown
    for file in "${name%%.*}".*."${name#*.}"; do
      [ ! -e "$file" ] || "$WARPMETER" show -q "$file" -o "shown/$(basename "$file").csv" || fail "$file cannot be read"
    done
    python3 - "$name" <<'PY'
import csv, glob, json, sys
stats, collected = json.load(open('stats.json')), json.load(open('collected.json'))
rows = [row for path in glob.glob('shown/*.csv') for row in csv.DictReader(open(path))]
lost, = [o for o in stats['outputs'] if o['output'] == sys.argv[1]]
records = len(rows) + lost['lost records']
packets = sum(int(r['packets']) for r in rows) + lost['lost packets']
octets = sum(int(r['bytes']) for r in rows) + lost['lost octets']
print(sys.argv[1], len(rows), 'in files', lost)
assert records == stats['rows'] == collected['records'] == stats['exported']['records'], (records, stats['rows'], collected)
assert packets == stats['packets metered'] == collected['packets'], (packets, stats['packets metered'], collected)
assert octets == stats['totals']['bytes'], (octets, stats['totals']['bytes'])
PY
  done
}
# Flows have ended, and so has their interval.
all_ended() {
  metrics 9105 && grep -qx 'warpmeter_live_flows 0' metrics.txt &&
    grep -qx "warpmeter_metered_packets_total $(awk '{ sum += $1 } END { print sum }' sent.txt)" metrics.txt
}
pause() { wait_for 30 all_ended; sleep 1.6; }

# A disk of each format's own: none takes the room of another.
outputs="a/flows.csv b/flows.json c/flows.ipfix d/flows.csv.gz e/flows.csv.zst"
! "$WARPMETER" info | grep -q 'Parquet *built in' || outputs+=" f/flows.parquet"
for name in $outputs; do mkdir "${name%/*}"; mount -t tmpfs -o size=16m tmpfs "${name%/*}"; done
trap 'for name in $outputs; do umount "$SCRATCH/${name%/*}"; done; rm -rf "$SCRATCH"' EXIT
fill_up() { for name in $outputs; do head -c 16m /dev/zero >"${name%/*}/filler" 2>/dev/null || true; done; }
# give_room BYTES: of each, so many, and at no time more.
give_room() { for name in $outputs; do truncate -s "-$1" "${name%/*}/filler"; done; }
has_lost() { metrics_of lost_records | grep -qE "^$1 [1-9]"; }
metrics_of() {
  python3 - "$1" <<'PY'
import sys, urllib.request
for line in urllib.request.urlopen('http://127.0.0.1:9105/metrics').read().decode().splitlines():
    if line.startswith(f'warpmeter_output_{sys.argv[1]}_total{{'): print(line.split('"')[1], line.split()[1])
PY
}
collect
# shellcheck disable=SC2086
start_live -i capture $METER --rotate 1s $(printf -- '-o %s ' $outputs) -o roomy/flows.csv --collector "$(cat url)" --metrics 9105
trap 'kill -9 $LIVE ${OTHERS:-} 2>/dev/null || true; for name in $outputs; do umount "$SCRATCH/${name%/*}"; done; rm -rf "$SCRATCH"' EXIT
times=0
again() { send_frames traffic.pcap >>sent.txt; times=$((times + 1)); pause; }
again
fill_up; again         # nothing has room
for name in $outputs; do wait_for $((20 * SCALE)) has_lost "$name"; done
give_room 500k; again  # a part has, or all, where the interval ended on the way
partial=$(for name in $outputs; do ls "${name%/*}"/flows.* | tail -n 1; done)
python3 - <<'PY' || fail "the metrics"
import urllib.request
text = urllib.request.urlopen('http://127.0.0.1:9105/metrics').read().decode().splitlines()
lost = {line.split('"')[1]: int(line.split()[1]) for line in text if line.startswith('warpmeter_output_lost_records_total{')}
assert lost['a/flows.csv'] > 0 and lost['roomy/flows.csv'] == 0, lost
assert 'warpmeter_output_failing{output="roomy/flows.csv"} 0' in text
PY
kill -USR1 $LIVE
wait_for 20 grep -q '^  not written  *[0-9]* Flow Records (.*) for a/flows.csv; ' live.txt
rm ?/filler
again
end_live 1
balance $outputs roomy/flows.csv
sent=$(awk '{ sum += $1 } END { print sum }' sent.txt)
stats "s['packets metered'] == $sent and s['rows'] == $times * $(rows expected.csv)"
stats "s['error'].endswith('cannot be written: No space left on device')"
# A line when it begins, and one when it is over; however often that is, which depends on where intervals end.
for name in $outputs; do
  told=$(sed -nE "s#^warpmeter: ${name%%.*}\..*: cannot be written: No space left on device: [0-9]+ of [0-9]+ Flow Records are in it, [1-9].* lost; the next file is tried again\$#began#p
    s#^warpmeter: ${name%%.*}\.${name#*.}: is written again, after [1-9][0-9]* files? that could not be: [1-9].* lost\$#over#p" live.txt | paste -sd' ')
  [[ "$told" =~ ^began\ over(\ began\ over)*$ ]] || fail "$name: $told: $(cat live.txt)"
done
for file in $partial; do
  [ "$("$WARPMETER" show -q "$file" -o - --format csv | wc -l)" -gt 100 ] || fail "$file has nothing of what there was room for"
done
! grep -q "roomy/.*cannot" live.txt || fail "$(cat live.txt)"
no_leftovers

#!/usr/bin/env bash
# --tmpdir on a full disk. Where all Flow Records are written at the end the capture ends then, with one line and status 1, and
# what was metered until then is in the output. Where they leave while it runs, it goes on.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --mean-packets 2 -o traffic.pcap
mkdir tmp
mount -t tmpfs -o size=64k tmpfs tmp
trap 'kill -9 ${LIVE:-} ${OTHERS:-} 2>/dev/null || true; umount --lazy "$SCRATCH/tmp"; rm -rf "$SCRATCH"' EXIT
start_live -i capture --tmpdir tmp --run-memory 256K --idle-timeout 100ms --duplicate-window 0 -o got.csv
trap 'kill -9 ${LIVE:-} ${OTHERS:-} 2>/dev/null || true; umount --lazy "$SCRATCH/tmp"; rm -rf "$SCRATCH"' EXIT
for _ in 1 2 3; do send_frames traffic.pcap >/dev/null; sleep 0.3; done
end_live 1 none  # by itself
grep -q '^warpmeter: tmp: .*: the capture ends, and what was metered until now is in the output$' live.txt || { cat live.txt; fail "not told"; }
stats "s['packets metered'] > 0 and s['exit status'] == 1 and 'tmp: ' in s['error'] and s['rows'] == $(rows got.csv)"
python3 - <<'PY'
import csv, json
metered = json.load(open('stats.json'))['packets metered']
assert sum(int(r['packets']) for r in csv.DictReader(open('got.csv'))) == metered
PY
mkfifo pipe
cat pipe >got.csv &
OTHERS=$!
start_live -i capture --tmpdir tmp --run-memory 256K --idle-timeout 100ms --max-latency 200ms --duplicate-window 0 -o pipe --format csv
trap 'kill -9 ${LIVE:-} ${OTHERS:-} 2>/dev/null || true; umount --lazy "$SCRATCH/tmp"; rm -rf "$SCRATCH"' EXIT
sent=0
for _ in 1 2; do sent=$((sent + $(send_frames traffic.pcap))); sleep 0.3; done
end_live 0
wait $OTHERS
stats "offered == $sent and s['rows'] == $(rows got.csv)"
no_leftovers

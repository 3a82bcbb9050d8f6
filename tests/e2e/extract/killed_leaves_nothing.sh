#!/usr/bin/env bash
# Neither the output's folder nor --tmpdir ever holds anything that could stay behind when the program is killed.
. "$(dirname "$0")/../common.sh"
mkdir out tmp probe
touch -d @1000000000 probe
python3 - <<'PY' || { echo "a file system with O_TMPFILE runs this"; exit 77; }
import os
os.close(os.open('probe', os.O_TMPFILE | os.O_WRONLY))
PY
[ "$(stat -c %Y probe)" = 1000000000 ] || fail "this file system cannot show it"
"$TRAFFIC_GEN" --packets $((1000000 / SCALE)) --mean-packets 4 -o t.pcap
mkfifo pipe
for name in flows.csv flows.json; do
  touch -d @1000000000 out tmp
  "$WARPMETER" extract -q --idle-timeout 1ms --run-memory 100K --tmpdir tmp -o out/$name --stats out/stats - < pipe &
  meter=$!
  { cat t.pcap; exec sleep 60; } > pipe & feeder=$!
  open_run_files() { [ "$(find /proc/$meter/fd -lname "*/tmp/*(deleted)" | grep -c .)" -gt 3 ]; }
  wait_for 60 open_run_files
  kill -9 $meter; wait $meter 2>/dev/null || true
  kill $feeder 2>/dev/null || true; wait $feeder 2>/dev/null || true
  for folder in out tmp; do   # whatever is made or removed in a folder changes its time
    [ "$(stat -c %Y $folder)" = 1000000000 ] || fail "something was in $folder"
    [ -z "$(ls -A $folder)" ] || fail "left behind: $(ls -A $folder)"
  done
done

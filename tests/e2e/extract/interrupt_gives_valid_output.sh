#!/usr/bin/env bash
# SIGINT and SIGTERM finish the outputs: exit status 130, a whole CSV file whose packets add up, and the same compressed.
. "$(dirname "$0")/../common.sh"
packed=(-o out.csv.gz)
"$WARPMETER" info | grep -q 'unpacking .*gzip' || packed=()
for signal in INT TERM; do
  rm -f pipe; mkfifo pipe
  "$TRAFFIC_GEN" --packets 0 -o - > pipe 2>/dev/null &
  generator=$!
  # A shell starts background jobs with SIGINT ignored; env puts it back.
  env --default-signal=INT "$WARPMETER" extract -o out.csv "${packed[@]}" --stats stats.json - < pipe 2> stderr.txt &
  meter=$!
  wait_for 60 interruptible $meter
  wait_for 60 has_read 20000000 $meter
  # Twice, as timeout does; once where this machine is so slow that a second one would be another.
  python3 - $meter $signal <<'PY'
import os, signal, sys, time
program, number, begun = int(sys.argv[1]), signal.Signals[f'SIG{sys.argv[2]}'], time.monotonic()
os.kill(program, number)
time.sleep(0.002)
if time.monotonic() - begun < 0.05: os.kill(program, number)
PY
  status=0; wait $meter || status=$?
  kill $generator 2>/dev/null || true; wait $generator 2>/dev/null || true
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  metered=$(sed -n 's/.*"packets metered": \([0-9]*\).*/\1/p' stats.json)
  summed=$(awk -F, 'NR > 1 { n += $8 } END { print n }' out.csv)
  [ "$metered" = "$summed" ] && [ "$metered" -gt 0 ] || fail "packets: $metered metered, $summed in the output"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q 'damaged' stderr.txt && fail "an interrupt is no damage"
  [ ${#packed[@]} = 0 ] || gzip -dc out.csv.gz | cmp - out.csv
  rm -f out.csv out.csv.gz stats.json
done
no_leftovers

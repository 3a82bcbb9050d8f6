#!/usr/bin/env bash
# SIGINT and SIGTERM finish the output, though the pipe that is read is still open: exit status 130, whole lines alone.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
for signal in INT TERM; do
  rm -f pipe; mkfifo pipe
  { head -5 a.csv; printf '10.0.0.1,10.0'; exec sleep 60; } > pipe &
  feeder=$!
  # A shell starts background jobs with SIGINT ignored; env puts it back.
  env --default-signal=INT "$WARPMETER" show - -o out.csv < pipe 2> stderr.txt &
  show=$!
  wait_for 60 starves $show $feeder
  kill -$signal $show
  status=0; wait $show || status=$?
  kill $feeder 2>/dev/null || true; wait $feeder 2>/dev/null || true
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  cmp out.csv <(head -5 a.csv)
  grep -q '^  4 of 4 flows: .*; interrupted, the rest was not read$' stderr.txt || fail "said $(cat stderr.txt)"
  grep -q 'damaged' stderr.txt && fail "an interrupt is no damage"
  rm out.csv
done
no_leftovers

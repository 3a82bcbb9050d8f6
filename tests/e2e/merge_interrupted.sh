#!/usr/bin/env bash
# SIGINT and SIGTERM end merge with status 130 and no output, though a pipe that is read is still open: half of the flows
# in the order of their keys are no use to anybody.
. "$(dirname "$0")/common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
for signal in INT TERM; do
  rm -f pipe; mkfifo pipe
  { head -5 a.csv; printf '10.0.0.1,10.0'; exec sleep 60; } > pipe &
  feeder=$!
  # A shell starts background jobs with SIGINT ignored; env puts it back.
  env --default-signal=INT "$WARPMETER" merge - a.csv -o out.csv < pipe 2> stderr.txt &
  merge=$!
  wait_for 60 starves $merge $feeder
  kill -$signal $merge
  status=0; wait $merge || status=$?
  kill $feeder 2>/dev/null || true; wait $feeder 2>/dev/null || true
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  echo 'warpmeter: interrupted before all was merged: no output' | cmp - stderr.txt || fail "said $(cat stderr.txt)"
  [ ! -e out.csv ] || fail "there is an output"
done
no_leftovers

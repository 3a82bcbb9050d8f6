#!/usr/bin/env bash
# SIGINT and SIGTERM end merge with status 130 and no output, though a pipe that is read is still open: half of the flows
# in the order of their keys are no use to anybody.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
{ head -5 a.csv; printf '10.0.0.1,10.0'; } > some.csv
for signal in INT TERM; do
  begin_open some.csv "$WARPMETER" merge - a.csv -o out.csv
  kill -$signal $program
  end_open
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  echo 'warpmeter: interrupted before all was merged: no output' | cmp - stderr.txt || fail "said $(cat stderr.txt)"
  [ ! -e out.csv ] || fail "there is an output"
done
no_leftovers

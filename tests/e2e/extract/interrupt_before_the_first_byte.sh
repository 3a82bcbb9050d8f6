#!/usr/bin/env bash
# A signal while nothing has come yet, or a pipe is still to be opened at its other end, ends the run with 130 and no
# error. It may come at any time, so also just before the pipe is opened.
. "$(dirname "$0")/../common.sh"
mkfifo pipe
interrupted() {
  local status=0
  "$@" >stdout.txt 2>stderr.txt 9<&- & local program=$!
  wait_for 60 interruptible $program
  sleep $pause; kill -TERM $program
  wait $program || status=$?
  [ $status = 130 ] || { cat stderr.txt; fail "status $status: $*"; }
  ! grep -q 'empty\|Interrupted system call' stderr.txt || { cat stderr.txt; fail "$*"; }
}
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
for pause in 0 0.01 0.5; do
  for command in "extract -q -o out.csv pipe" "info -q pipe" "show pipe" "report -o out.html pipe" \
    "extract -q --format csv -o pipe $DATA/first-look.pcap" "extract -q -o out.csv --stats pipe $DATA/first-look.pcap" \
    "show --format csv -o pipe flows.csv" "report -o pipe flows.csv"; do
    interrupted "$WARPMETER" $command
  done
done
pause=0.5
exec 9<>pipe
interrupted "$WARPMETER" extract -q -o out.csv pipe
[ "$(rows out.csv)" = 0 ] || fail "no valid output"
interrupted "$WARPMETER" info -q pipe

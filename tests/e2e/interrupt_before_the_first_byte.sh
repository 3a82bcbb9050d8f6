#!/usr/bin/env bash
# A signal while nothing has come yet, or a pipe is still to be opened by its writer, ends the run with 130 and no error.
. "$(dirname "$0")/common.sh"
mkfifo pipe
interrupted() {
  local status=0
  "$@" >stdout.txt 2>stderr.txt 9<&- & local program=$!
  sleep 0.7; kill -TERM $program
  wait $program || status=$?
  [ $status = 130 ] || { cat stderr.txt; fail "status $status: $*"; }
  ! grep -q 'empty\|Interrupted system call' stderr.txt || { cat stderr.txt; fail "$*"; }
}
interrupted "$WARPMETER" extract -q -o out.csv pipe
exec 9<>pipe
interrupted "$WARPMETER" extract -q -o out.csv pipe
[ "$(rows out.csv)" = 0 ] || fail "no valid output"
interrupted "$WARPMETER" info -q pipe

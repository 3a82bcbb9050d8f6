#!/usr/bin/env bash
# Interrupted while a pipe is waited for, report ends with status 130, and its page tells what had been read.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
begin_open flows.csv "$WARPMETER" report - -o page.html
kill -INT $program
end_open
[ "$status" = 130 ] || { cat stderr.txt >&2; fail "exit status $status"; }
grep -q 'Reading was interrupted' page.html || fail "the page does not tell"
no_leftovers

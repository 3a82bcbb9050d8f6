#!/usr/bin/env bash
# Interrupted while a pipe is waited for, report ends with status 130, and its page tells what had been read.
. "$(dirname "$0")/common.sh"
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
mkfifo pipe
{ cat flows.csv; exec sleep 60; } > pipe &
writer=$!
"$WARPMETER" report - -o page.html < pipe 2> stderr.txt &
reader=$!
wait_for 60 starves $reader $writer
kill -INT "$reader"
status=0
wait "$reader" || status=$?
kill "$writer" || true
[ "$status" = 130 ] || { cat stderr.txt >&2; fail "exit status $status"; }
grep -q 'Reading was interrupted' page.html || fail "the page does not tell"
no_leftovers

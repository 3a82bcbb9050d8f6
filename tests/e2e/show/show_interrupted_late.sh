#!/usr/bin/env bash
# A signal that comes when everything has been read, while the output waits for its reader, leaves nothing unread, and
# show does not say so.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 5 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
[ "$(wc -c < a.csv)" -gt 1000000 ] || fail "a pipe would hold all of it"
"$WARPMETER" show -q a.csv --sort bytes --csv > wanted.csv
mkfifo pipe
{ while [ ! -e told ]; do sleep 0.1; done; cat; } < pipe > got.csv &
reader=$!
# A shell starts background jobs with SIGINT ignored; env puts it back.
env --default-signal=INT "$WARPMETER" show a.csv --sort bytes --csv > pipe 2> stderr.txt &
show=$!
wait_for 60 pipe_holds_some /proc/$reader/fd/0
kill -INT $show
touch told
status=0
wait $show || status=$?
wait $reader
[ $status = 130 ] || fail "exit status $status: $(cat stderr.txt)"
cmp got.csv wanted.csv
grep -q '; interrupted when all was read$' stderr.txt || fail "said $(cat stderr.txt)"

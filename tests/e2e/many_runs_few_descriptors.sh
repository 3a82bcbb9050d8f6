#!/usr/bin/env bash
# More runs than file descriptors allow are merged in passes.
. "$(dirname "$0")/common.sh"
"$TRAFFIC_GEN" --packets 200000 --mean-packets 4 --flows 2000 -o t.pcap
"$WARPMETER" extract -q -o whole.csv t.pcap
ulimit -n 40
"$WARPMETER" extract -q --run-memory 1 --stats stats.json -o spilled.csv t.pcap
cmp whole.csv spilled.csv
runs=$(sed -n 's/.*"runs written": \([0-9]*\).*/\1/p' stats.json)
[ "$runs" -gt 40 ] || fail "only $runs runs"

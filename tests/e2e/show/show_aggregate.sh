#!/usr/bin/env bash
# show --aggregate of flows is extract --aggregate of their packets.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 --port-reuse 0.5 -o t.pcap
"$WARPMETER" extract -q -o flows.csv t.pcap
"$WARPMETER" extract -q --aggregate -o wanted.csv t.pcap
[ "$(rows wanted.csv)" -lt "$(rows flows.csv)" ] || fail "nothing to aggregate"
"$WARPMETER" show -q --aggregate flows.csv -o got.csv; cmp wanted.csv got.csv
{ head -1 flows.csv; tail -n +2 flows.csv | tac; } > turned.csv
"$WARPMETER" show -q --aggregate turned.csv -o got.csv; cmp wanted.csv got.csv
"$WARPMETER" show -q --aggregate flows.csv --top 5 by packets -o got.csv
"$WARPMETER" show -q wanted.csv --top 5 by packets -o top.csv
cmp top.csv got.csv

#!/usr/bin/env bash
# --key-vlan: the outermost VLAN id is part of the key and the last column; untagged is 0.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 5000 --flows 20 --vlan 0.5 -o t.pcap
"$WARPMETER" extract -q --key-vlan -o out.csv t.pcap
head -1 out.csv | grep -q ',end_reason,stray_segments,vlan_id$' || fail "no such column"
awk -F, 'NR > 1 { if ($NF > 0) tagged++; else untagged++ } END { exit !(tagged && untagged) }' out.csv
"$REFERENCE_METER" --key-vlan t.pcap | cmp - out.csv

#!/usr/bin/env bash
# Verdicts beside what tshark says of the same packets: all differences are of kinds that have a reason.
. "$(dirname "$0")/../common.sh"
command -v tshark >/dev/null || { echo "tshark (Debian: tshark) runs this"; exit 77; }
"$TRAFFIC_GEN" --packets 20000 --flows 200 --mean-packets 60 --vlan 0.1 -o t.pcap
"$SOURCE/tools/compare_tshark" --binary "$WARPMETER" --jobs 1 t.pcap "$DATA/first-look.pcap" >said.txt || { cat said.txt; fail "of no known kind"; }
grep -qE '^20300 packets of 2 captures: [0-9]+ are the same to both$' said.txt || { cat said.txt; fail "other packets"; }
grep -q '^mirror copy: ' said.txt || fail "no copies"

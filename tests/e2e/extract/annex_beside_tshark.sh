#!/usr/bin/env bash
# What --annex tells beside what tshark says of each flow's first packet: all differences are of kinds that have a reason.
. "$(dirname "$0")/../common.sh"
command -v tshark >/dev/null || { echo "tshark (Debian: tshark) runs this"; exit 77; }
python3 "$SOURCE/tests/e2e/first_packets.py" write 7 frames.pcap truth.json
"$TRAFFIC_GEN" --packets 20000 --flows 900 --mean-packets 9 --vlan 0.3 -o t.pcap
"$SOURCE/tools/compare_annex" --binary "$WARPMETER" --jobs 1 frames.pcap t.pcap "$DATA/first-look.pcap" >said.txt ||
  { cat said.txt; fail "of no known kind"; }
read -r values _ _ captures _ same _ <said.txt
[ "$values" -gt 40000 ] && [ "$captures" = 3 ] && [ "$same" -gt $((values * 95 / 100)) ] || { cat said.txt; fail "few are the same"; }

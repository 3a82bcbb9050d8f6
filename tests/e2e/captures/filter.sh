#!/usr/bin/env bash
# A filter behind the inputs, as one word or several; packets it drops keep their numbers and are counted.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" info | grep -q 'filters *built in' || { echo "a build with libpcap (libpcap-dev) runs this"; exit 77; }
"$WARPMETER" extract -q -o all.csv "$capture"
"$WARPMETER" extract -o udp.csv --stats stats.json "$capture" udp 2> summary.txt
"$WARPMETER" extract -q -o quoted.csv "$capture" "udp and port 53"
"$WARPMETER" extract -q -o words.csv "$capture" udp and port 53
cmp quoted.csv words.csv
cmp <(awk -F, 'NR == 1 || $5 == 17' all.csv) udp.csv
grep -q 'filtered out [1-9]' summary.txt || fail "not counted"

#!/usr/bin/env bash
# The capture of the README gives the output that is kept beside it, and the oracle agrees.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o out.csv "$DATA/first-look.pcap"
cmp out.csv "$DATA/first-look.expected.csv"
"$REFERENCE_METER" "$DATA/first-look.pcap" | cmp - out.csv

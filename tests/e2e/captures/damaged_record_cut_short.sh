#!/usr/bin/env bash
# A record cut short: what came before is in the output, the damage is told with its offset, exit status 3.
. "$(dirname "$0")/../common.sh"
size=$(stat -c %s "$DATA/first-look.pcap")
head -c $((size - 5)) "$DATA/first-look.pcap" > cut.pcap
expect_status 3 "$WARPMETER" extract -q -o out.csv cut.pcap
expect_one_line 'cut.pcap: damaged at byte [0-9]+: record cut short'
[ "$(rows out.csv)" -gt 1 ] || fail "what came before is lost"

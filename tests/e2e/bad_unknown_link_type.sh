#!/usr/bin/env bash
# An unknown link type is named; nothing is written.
. "$(dirname "$0")/common.sh"
{ head -c 20 "$DATA/first-look.pcap"; printf '\x93\0\0\0'; tail -c +25 "$DATA/first-look.pcap"; } > user0.pcap
expect_status 1 "$WARPMETER" extract user0.pcap
expect_one_line 'user0.pcap: link type 147'

#!/usr/bin/env bash
# `warpmeter info` of damaged and of unreadable files: what can be read is told, the rest costs nobody else anything.
. "$(dirname "$0")/../common.sh"
head -c 30000 "$DATA/first-look.pcap" > cut.pcap
expect_status 3 "$WARPMETER" info cut.pcap
grep -qE '^  damaged +at byte [0-9]+: record cut short' stdout.txt
grep -qE '^  packets +2[0-9][0-9]$' stdout.txt
[ "$(cat stderr.txt)" = "warpmeter: cut.pcap: damaged at byte $(sed -n 's/.*at byte \([0-9]*\):.*/\1/p' stdout.txt): record cut short" ]
expect_status 3 "$WARPMETER" info missing.pcap "$DATA/first-look.pcap"
grep -qE '^  packets +300$' stdout.txt
grep -q 'missing.pcap: No such file' stderr.txt
echo "no capture at all, but a text" > text.pcap
expect_status 1 "$WARPMETER" info text.pcap
expect_one_line 'text.pcap: not a pcap, pcapng, HP-CAP or ERF file'
expect_status 1 "$WARPMETER" info missing.pcap
expect_one_line 'missing.pcap: No such file'
expect_status 1 "$WARPMETER" info missing.pcap text.pcap
[ ! -s stdout.txt ] && [ "$(grep -c . stderr.txt)" = 2 ]
expect_status 1 "$WARPMETER" info --input-format erf "$DATA/first-look.pcap"
expect_one_line 'first-look.pcap: not an ERF file'
expect_status 2 "$WARPMETER" info --json
expect_one_line 'FILE'
[ ! -w /dev/full ] || { expect_status 1 bash -c '"$WARPMETER" info "$DATA/first-look.pcap" > /dev/full'; grep -q 'standard output' stderr.txt; }

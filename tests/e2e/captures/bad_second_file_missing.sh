#!/usr/bin/env bash
# A typing error in a later input is not taken for a filter: it is named, and the rest is read.
. "$(dirname "$0")/../common.sh"
expect_status 3 "$WARPMETER" extract -q -o out.csv "$DATA/first-look.pcap" other.pcap
expect_one_line 'other.pcap: No such file'
cmp out.csv "$DATA/first-look.expected.csv"
expect_status 1 "$WARPMETER" extract -q -o none.csv another.pcap other.pcap
expect_one_line 'another.pcap: No such file or directory; other.pcap: No such file or directory$'
[ ! -e none.csv ] || fail "there is an output"

#!/usr/bin/env bash
# A typing error in a later input is found before anything is read, and not taken for a filter.
. "$(dirname "$0")/common.sh"
expect_status 1 "$WARPMETER" extract -o out.csv "$DATA/first-look.pcap" other.pcap
expect_one_line 'other.pcap: No such file'
[ ! -e out.csv ] || fail "there is an output"

#!/usr/bin/env bash
# A file that does not exist: one line, exit status 1, no output.
. "$(dirname "$0")/common.sh"
expect_status 1 "$WARPMETER" extract -o out.csv nowhere.pcap
expect_one_line 'nowhere.pcap: No such file'
[ ! -e out.csv ] || fail "there is an output"
no_leftovers

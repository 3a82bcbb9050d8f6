#!/usr/bin/env bash
# A folder whose captures lie below it says how to read them; --recursive does, through links too, and each folder once.
. "$(dirname "$0")/../common.sh"
mkdir -p top/2026/11
cp "$DATA/first-look.pcap" top/2026/11/
ln -s ../.. top/2026/11/circle
expect_status 1 "$WARPMETER" extract -q -o out.csv top
expect_one_line '^warpmeter: top: no capture files in this folder; --recursive looks into those below it$'
expect_status 0 "$WARPMETER" extract -q --recursive -o out.csv top
cmp out.csv "$DATA/first-look.expected.csv"
expect_status 0 "$WARPMETER" info -q --recursive top
mkdir other with-both; mv top/2026/11/first-look.pcap other/; ln -s ../../../other top/2026/11/linked
expect_status 0 "$WARPMETER" extract -q --recursive -o linked.csv top other
cmp linked.csv "$DATA/first-look.expected.csv"
# One that has captures itself counts the folders that are not read.
cp other/first-look.pcap with-both/; mkdir with-both/below
expect_status 0 "$WARPMETER" extract -o both.csv --stats stats.json with-both
grep -q '^  folders below *1 not read (--recursive)$' stderr.txt || { cat stderr.txt; fail "the folder below is not counted"; }
grep -q '"folders below not read": 1' stats.json
# A folder without captures among others is named.
mkdir empty
expect_status 3 "$WARPMETER" extract -q -o both.csv other empty top/2026
grep -q '^warpmeter: empty: no capture files in this folder$' stderr.txt || fail "the empty folder is not named"
grep -q '^warpmeter: top/2026: no capture files in this folder; --recursive looks into those below it$' stderr.txt ||
  fail "the other is not named"
cmp both.csv "$DATA/first-look.expected.csv"

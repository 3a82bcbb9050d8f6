#!/usr/bin/env bash
# A folder whose captures lie below it says how to read them; --recursive does, and follows no links in circles.
. "$(dirname "$0")/common.sh"
mkdir -p top/2026/11
cp "$DATA/first-look.pcap" top/2026/11/
ln -s ../.. top/2026/11/circle
expect_status 1 "$WARPMETER" extract -q -o out.csv top
expect_one_line '^warpmeter: top: no capture files in this folder; --recursive looks into those below it$'
expect_status 0 "$WARPMETER" extract -q --recursive -o out.csv top
cmp out.csv "$DATA/first-look.expected.csv"
expect_status 0 "$WARPMETER" info -q --recursive top

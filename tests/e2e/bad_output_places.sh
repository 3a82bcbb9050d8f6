#!/usr/bin/env bash
# Outputs that cannot be written are found before the work: a missing folder, a folder, a full device.
. "$(dirname "$0")/common.sh"
capture=$DATA/first-look.pcap
expect_status 1 "$WARPMETER" extract -q -o nowhere/out.csv "$capture"
expect_one_line 'nowhere/out.csv: cannot be written: No such file or directory'
mkdir folder.csv
expect_status 1 "$WARPMETER" extract -q -o folder.csv "$capture"
expect_one_line 'folder.csv: is a folder'
expect_status 1 "$WARPMETER" extract -q --stats folder.csv -o x.csv "$capture"
expect_one_line 'folder.csv: is a folder'
mkdir empty
expect_status 1 "$WARPMETER" live -i folder:empty --duration 1s --stats folder.csv -o x.csv
expect_one_line 'folder.csv: is a folder'
expect_status 1 "$WARPMETER" extract -q --format csv -o /dev/full "$capture"
expect_one_line '/dev/full: cannot be written: No space left on device'
expect_status 1 "$WARPMETER" extract -q --backend cuda "$capture"
expect_one_line 'backend cuda'
no_leftovers

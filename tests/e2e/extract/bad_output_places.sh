#!/usr/bin/env bash
# Outputs that cannot be written are found before the work: a missing folder, a folder, a full device.
. "$(dirname "$0")/../common.sh"
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
# No format is asked for of a name that no file can have; nor is /dev/null said to be missing.
mkdir plain
for command in extract memory; do
  expect_status 2 "$WARPMETER" $command -q -o plain "$capture"
  expect_one_line '-o plain: is a folder: name a file in it'
done
expect_status 2 "$WARPMETER" live -i folder:empty -o plain
expect_one_line '-o plain: is a folder: name a file in it'
expect_status 2 "$WARPMETER" extract -q --rotate 1h -o /dev/null "$capture"
expect_one_line '--rotate: -o /dev/null is no file, of which there could be several'
mkfifo pipe.csv
expect_status 2 "$WARPMETER" extract -q --rotate 1h -o pipe.csv "$capture"
expect_one_line '--rotate: -o pipe.csv is no file, of which there could be several'
expect_status 1 "$WARPMETER" extract -q --format csv -o /dev/full "$capture"
expect_one_line '/dev/full: cannot be written: No space left on device'
expect_status 1 "$WARPMETER" extract -q --backend cuda "$capture"
expect_one_line 'backend cuda'
no_leftovers

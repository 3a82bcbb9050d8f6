#!/usr/bin/env bash
# Folders: without captures, with links that lead nowhere or in a circle, with pipes nobody writes to. What is a capture in
# there is read; where there is none, one line says so.
. "$(dirname "$0")/../common.sh"
mkdir empty other mixed
echo "no capture" > other/notes.txt
ln -s circle circle
ln -s ../other other/itself
mkfifo other/pipe
expect_status 1 timeout 60 "$WARPMETER" extract -q -o out.csv empty
expect_one_line "^warpmeter: empty: no capture files in this folder\$"
expect_status 1 timeout 60 "$WARPMETER" extract -q -o out.csv other
expect_one_line "^warpmeter: other: no capture files in this folder; --recursive looks into those below it\$"
expect_status 1 "$WARPMETER" extract -q -o out.csv circle
expect_one_line '^warpmeter: circle: Too many levels of symbolic links$'
[ ! -e out.csv ] || fail "there is an output"
cp "$DATA/first-look.pcap" mixed/b.pcap
cp other/notes.txt mixed/
ln -s nowhere mixed/a.pcap
ln -s circle mixed/circle
ln -s ../mixed mixed/itself
mkfifo mixed/pipe.pcap
expect_status 3 timeout 60 "$WARPMETER" extract -q -o out.csv mixed
[ "$(cat stderr.txt)" = "warpmeter: mixed/a.pcap: No such file or directory
warpmeter: mixed/circle: Too many levels of symbolic links" ] || { cat stderr.txt; fail "other messages"; }
cmp out.csv "$DATA/first-look.expected.csv" || fail "the capture in the folder was not read"

#!/usr/bin/env bash
# Folders: without captures, with links that lead nowhere or in a circle, with pipes nobody writes to. What is a capture in
# there is read; where there is none, one line says so.
. "$(dirname "$0")/common.sh"
mkdir empty other mixed
echo "no capture" > other/notes.txt
ln -s circle circle
ln -s ../other other/itself
mkfifo other/pipe
: > other/empty.pcap
for folder in empty other; do
  expect_status 1 timeout 60 "$WARPMETER" extract -q -o out.csv $folder
  expect_one_line "^warpmeter: $folder: no capture files in this folder\$"
done
expect_status 1 "$WARPMETER" extract -q -o out.csv circle
expect_one_line '^warpmeter: circle: Too many levels of symbolic links$'
[ ! -e out.csv ] || fail "there is an output"
cp "$DATA/first-look.pcap" mixed/b.pcap
cp other/notes.txt mixed/
ln -s nowhere mixed/a.pcap
ln -s circle mixed/circle
ln -s ../mixed mixed/itself
mkfifo mixed/pipe.pcap
expect_status 0 timeout 60 "$WARPMETER" extract -q -o out.csv mixed
[ ! -s stderr.txt ] || fail "there is a message"
cmp out.csv "$DATA/first-look.expected.csv" || fail "the capture in the folder was not read"

#!/usr/bin/env bash
# A file that is no capture, an empty one, one with half a header: one line that says so, and no output.
. "$(dirname "$0")/../common.sh"

# refused FILE REASON
refused() {
  expect_status 1 "$WARPMETER" extract -q -o out.csv "$1"
  expect_one_line "^warpmeter: $1: $2\$"
  [ ! -e out.csv ] || fail "there is an output"
}
echo "hello, this is a text and no capture at all" > text.pcap
refused text.pcap 'not a pcap, pcapng, HP-CAP or ERF file'
: > empty.pcap
refused empty.pcap 'the file is empty'
head -c 20 "$DATA/first-look.pcap" > half.pcap
refused half.pcap 'file header cut short'
printf '\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0' > half.pcapng
refused half.pcapng 'file header cut short'

# Among others, which are read.
expect_status 3 "$WARPMETER" extract -q -o out.csv "$DATA/first-look.pcap" text.pcap
expect_one_line '^warpmeter: text.pcap: not a pcap'
cmp out.csv "$DATA/first-look.expected.csv"
no_leftovers

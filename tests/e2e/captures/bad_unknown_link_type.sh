#!/usr/bin/env bash
# An unknown link type is named; nothing is written.
. "$(dirname "$0")/../common.sh"
for link in '\x93:147 \(USER0\)' '\xc3:195 \(IEEE802_15_4\)'; do
  { head -c 20 "$DATA/first-look.pcap"; printf "${link%%:*}\0\0\0"; tail -c +25 "$DATA/first-look.pcap"; } > other.pcap
  expect_status 1 "$WARPMETER" extract -o out.csv other.pcap
  expect_one_line "^warpmeter: other.pcap: link type ${link#*:} is not supported\$"
  [ ! -e out.csv ] || fail "there is an output"
done

#!/usr/bin/env bash
# A packed capture that is damaged: what was unpacked before is in the output, the reason is told with its place in what
# is unpacked, exit status 3, and the files behind it are read. Nothing to be had from it at all: exit status 1.
. "$(dirname "$0")/../common.sh"
need_unpacking
"$TRAFFIC_GEN" --packets 30000 --flows 50 -o whole.pcap 2>/dev/null
for program in $PACKERS; do
  $program -c -q < whole.pcap > packed
  head -c $(($(stat -c %s packed) / 2)) packed > cut
  expect_status 3 "$WARPMETER" extract -q -o out.csv cut
  expect_one_line "cut: damaged at byte [0-9]+: .*$program: cut short"
  at=$(grep -oE 'at byte [0-9]+' stderr.txt | grep -oE '[0-9]+')
  head -c "$at" whole.pcap > before.pcap
  "$WARPMETER" extract -q -o before.csv before.pcap
  cmp before.csv out.csv
  expect_status 3 "$WARPMETER" extract -q -o pipe.csv - < <(cat cut)
  cmp out.csv pipe.csv
  expect_status 3 "$WARPMETER" extract -q -o more.csv cut "$DATA/first-look.pcap"
  [ "$(rows more.csv)" -gt "$(rows out.csv)" ] || fail "the file behind the damaged one is lost"
  python3 -c "d = bytearray(open('packed', 'rb').read()); d[len(d) * 3 // 4] ^= 0x55; open('wrong', 'wb').write(d)"
  expect_status 3 "$WARPMETER" extract -q -o wrong.csv wrong
  sed -i "/: fractions below 0 /d" stderr.txt  # what is unpacked wrongly may have such
  expect_one_line "wrong: damaged at byte [0-9]+: "
  head -c 12 packed > stump
  expect_status 1 "$WARPMETER" extract -q -o none.csv stump
  expect_one_line "stump: $program: cut short"
  [ ! -e none.csv ] || fail "an output of nothing"
done

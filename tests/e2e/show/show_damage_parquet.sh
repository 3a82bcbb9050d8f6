#!/usr/bin/env bash
# A Parquet file that is cut short tells nothing, for its schema comes last: exit status 1, one line, no output.
. "$(dirname "$0")/../common.sh"
need_parquet
"$WARPMETER" extract -q -o all.parquet "$DATA/first-look.pcap"
size=$(stat -c %s all.parquet)
for kept in 4 8 $((size / 2)) $((size - 1)); do
  head -c "$kept" all.parquet > cut.parquet
  expect_status 1 "$WARPMETER" show cut.parquet -o shown.csv
  expect_one_line '^warpmeter: cut.parquet: no Parquet file, or not all of it: '
  [ ! -e shown.csv ] || fail "there is an output"
done
no_leftovers

#!/usr/bin/env bash
# A signal ends decode with status 130 and a whole set of what was read, which says so whenever it is metered: exit status 3.
# Neither calls the capture damaged.
# Killed outright it leaves an empty folder beside the one that was asked for, which hinders nobody.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" a.pcap
"$WARPMETER" extract -q -o wanted.csv a.pcap
begin() { begin_open a.pcap "$WARPMETER" decode --stats stats.json -o set --stdin-name 'tap 7' -; }
for signal in INT TERM HUP; do
  begin; kill -$signal $program; end_open
  [ $status = 130 ] || fail "exit status $status after SIG$signal"
  grep -q '^  interrupted ' stderr.txt || { cat stderr.txt; fail "the summary does not say so"; }
  grep -q '"exit status": 130' stats.json || fail "$(cat stats.json)"
  ! grep -q 'damaged\|tap 7' stderr.txt || { cat stderr.txt; fail "the capture is sound"; }
  [ "$(ls set | wc -l)" = 16 ] || fail "no whole set"
  expect_status 3 "$WARPMETER" extract -q -o got.csv set
  expect_one_line '^warpmeter: tap 7: decoding was interrupted at byte [0-9]+; what came before is in the output$'
  cmp got.csv wanted.csv
  expect_status 3 "$WARPMETER" extract -q -o got.csv --partition 2/16 set
  rm -r set
done
begin; kill -KILL $program; end_open
[ ! -e set ] || fail "there is a set"
[ "$(ls -d set.part-* | wc -l)" = 1 ] && [ -z "$(ls -A set.part-*)" ] || fail "left behind: $(ls -A set.part-*)"
"$WARPMETER" decode -q -o set a.pcap
"$WARPMETER" extract -q -o got.csv set
cmp got.csv wanted.csv
rmdir set.part-*
no_leftovers

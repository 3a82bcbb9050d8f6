#!/usr/bin/env bash
# Of files that are named, show and report name those that are not there, read the others, and exit with status 3; with
# none of them, one line and status 1.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
for files in 'a.csv nothing.csv' 'nothing.csv a.csv'; do
  expect_status 3 "$WARPMETER" show -q $files -o out.csv
  expect_one_line '^warpmeter: nothing.csv: cannot be read: No such file or directory$'
  cmp out.csv a.csv
  rm out.csv
  expect_status 3 "$WARPMETER" report $files -o page.html
  grep -q '^warpmeter: nothing.csv: cannot be read: No such file or directory$' stderr.txt || fail "$(cat stderr.txt)"
  grep -q '  1 file, 1 unreadable$' stderr.txt || fail "$(cat stderr.txt)"
  grep -q 'nothing.csv: cannot be read' page.html || fail "the page does not tell"
  rm page.html
done
expect_status 3 "$WARPMETER" show a.csv nothing.csv --sum protocol -o out.csv
grep -q '; 1 file, 1 unreadable$' stderr.txt || fail "$(cat stderr.txt)"
rm out.csv
for command in show report; do
  expect_status 1 "$WARPMETER" $command nothing.csv none.csv -o out.csv
  expect_one_line 'nothing.csv: cannot be read: No such file or directory; none.csv: cannot be read: No such file'
  [ ! -e out.csv ] || fail "there is an output"
done
no_leftovers

#!/usr/bin/env bash
# report takes folders as show does; the page says of how many files it is, and what it lacks. With -q standard error has
# what is wrong alone.
. "$(dirname "$0")/../common.sh"
mkdir -p flows/below
"$WARPMETER" extract -q -o flows/a.csv "$DATA/first-look.pcap"
cp flows/a.csv flows/below/b.csv
expect_status 0 "$WARPMETER" report flows -o page.html
grep -q '1 file, 1 folder below not read (--recursive)$' stderr.txt || fail "$(cat stderr.txt)"
for quiet in -q --quiet; do
  expect_status 0 "$WARPMETER" report $quiet flows -o page.html
  [ ! -s stderr.txt ] || fail "not quiet: $(cat stderr.txt)"
done
expect_status 0 "$WARPMETER" report flows --recursive -o page.html
grep -q '<code>flows</code> (2 files)' page.html || fail "of how many files?"
grep -q "title=\"$((2 * $(rows flows/a.csv)))\"><dt>Flows</dt>" page.html || fail "not the flows of both"
! grep -q 'Not all of the input' page.html || fail "all of it could be read"
: > 'flows/<empty>.csv'
expect_status 3 "$WARPMETER" report flows -o page.html
grep -q 'flows/<empty>.csv: no Flow Records: it is empty' stderr.txt || fail "$(cat stderr.txt)"
expect_status 3 "$WARPMETER" report -q flows -o page.html
expect_one_line 'flows/<empty>.csv: no Flow Records: it is empty'
grep -q '<li>flows/&lt;empty&gt;.csv: no Flow Records: it is empty</li>' page.html || fail "the page does not tell"
mkdir nothing
expect_status 1 "$WARPMETER" report nothing -o not.html
expect_one_line 'nothing: no Flow Records in this folder'
[ ! -e not.html ] || fail "a page of nothing"
no_leftovers

#!/usr/bin/env bash
# Damaged flows make a page of what could be read, and status 3; what cannot be read at all makes no page, and one line.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
{ head -n 9 flows.csv; echo 'this,is,no,flow'; } > damaged.csv
expect_status 3 "$WARPMETER" report damaged.csv -o page.html
expect_one_line 'damaged\.csv: damaged at byte [0-9]+: '
grep -q 'The input was damaged' page.html || fail "the page does not tell"
grep -q 'title="8"><dt>Flows</dt>' page.html || fail "not the flows before the damage"

head -n 1 flows.csv > none.csv
expect_status 0 "$WARPMETER" report none.csv -o none.html
grep -q 'not a single flow' none.html || fail "a page without flows does not say so"

expect_status 1 "$WARPMETER" report missing.csv -o not.html
expect_one_line 'missing\.csv'
expect_status 1 "$WARPMETER" report "$DATA/first-look.pcap" -o not.html
expect_one_line 'first-look\.pcap'
expect_status 1 "$WARPMETER" report flows.csv -o nowhere/not.html
expect_one_line 'nowhere/not\.html'
expect_status 2 "$WARPMETER" report flows.csv
expect_one_line 'output'
expect_status 2 "$WARPMETER" report flows.csv -o not.html --top 0
expect_one_line 'top'

# What is there and no page stays, as where names are mixed up; a page may go, and so may a file with nothing in it.
cp flows.csv victim.csv
expect_status 2 "$WARPMETER" report flows.csv -o victim.csv
expect_one_line 'victim\.csv: is no page, and is not overwritten'
cmp flows.csv victim.csv
cp "$DATA/first-look.pcap" trace.html
expect_status 2 "$WARPMETER" report flows.csv -o trace.html
expect_one_line 'trace\.html: is a capture'
: > page.txt
expect_status 0 "$WARPMETER" report -q flows.csv -o page.txt
expect_status 0 "$WARPMETER" report -q none.csv -o page.txt
cmp none.html page.txt
[ ! -e not.html ] || fail "a page of nothing"
no_leftovers

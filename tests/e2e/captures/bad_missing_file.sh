#!/usr/bin/env bash
# A file that does not exist: one line, exit status 1, no output. A name that is empty, as of a variable that is not set: one
# line that says so, exit status 2.
. "$(dirname "$0")/../common.sh"
expect_status 1 "$WARPMETER" extract -o out.csv nowhere.pcap
expect_one_line 'nowhere.pcap: No such file'
[ ! -e out.csv ] || fail "there is an output"
no_leftovers
for command in extract show info; do
  expect_status 2 "$WARPMETER" $command ""
  expect_one_line 'the name of an input is empty'
done
expect_status 2 "$WARPMETER" report "" -o out.html
expect_one_line 'the name of an input is empty'

#!/usr/bin/env bash
# A damaged file: what came before is shown, the damage is told with file and byte offset, exit status 3. What is no file
# of Flow Records at all: exit status 1, one line, nothing written.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o a.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o a.json "$DATA/first-look.pcap"
offset=$(head -3 a.csv | wc -c)
{ head -3 a.csv; echo 'this is no flow'; tail -n +4 a.csv; } > bad.csv
expect_status 3 "$WARPMETER" show -q bad.csv -o out.csv
expect_one_line "bad.csv: damaged at byte $offset: line 4: src_addr: 'this is no flow' is not an address; what came before is in the output"
cmp out.csv <(head -3 a.csv)
{ head -2 a.json; echo '{"src_addr":'; } > bad.json
expect_status 3 "$WARPMETER" show -q bad.json -o out.json
expect_one_line "bad.json: damaged at byte $(head -2 a.json | wc -c): line 3: no JSON object"
cmp out.json <(head -2 a.json)
# Cut anywhere: the whole lines count, and a part of one is damage.
for cut in 5 80; do
  head -c $((offset - cut)) a.csv > cut.csv
  expect_status 3 "$WARPMETER" show -q cut.csv -o out.csv
  expect_one_line 'cut.csv: damaged at byte [0-9]+: line 3: cut short'
  cmp out.csv <(head -2 a.csv)
done
# The other files are read all the same.
expect_status 3 "$WARPMETER" show -q bad.csv a.csv -o out.csv
[ "$(rows out.csv)" = $((2 + $(rows a.csv))) ] || fail "the second file is lost"
expect_status 3 "$WARPMETER" show -q - -o out.csv < bad.csv
expect_one_line 'standard input: damaged at byte'

rm out.*
unreadable() {
  local wanted=$1
  shift
  expect_status 1 "$WARPMETER" show "$@" -o out.csv
  expect_one_line "$wanted"
  [ ! -e out.csv ] || fail "there is an output"
}
: > empty.csv
unreadable 'nothing.csv: cannot be read: No such file' nothing.csv
unreadable 'empty.csv: no Flow Records: it is empty' empty.csv
unreadable 'pcap: no Flow Records: neither CSV' "$DATA/first-look.pcap"
unreadable 'common.sh: no Flow Records: the first line names no column src_addr' "$SOURCE/tests/e2e/common.sh"
echo '{"a": 1}' > x.json
unreadable 'x.json: no Flow Records: line 1: no src_addr' x.json
unreadable 'pcap: no Flow Records: .*, but a capture, which warpmeter extract reads' "$DATA/first-look.pcap"
# Beside others it is named, and they are shown.
expect_status 3 "$WARPMETER" show -q a.csv empty.csv "$DATA/first-look.pcap" -o out.csv
grep -q 'empty.csv: no Flow Records: it is empty' stderr.txt || fail "$(cat stderr.txt)"
cmp out.csv a.csv
expect_status 1 "$WARPMETER" show empty.csv x.json
expect_one_line 'empty.csv: no Flow Records: it is empty; x.json: no Flow Records'
no_leftovers

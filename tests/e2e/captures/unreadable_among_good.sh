#!/usr/bin/env bash
# What cannot be opened or read is named and counted, and the rest is read: a file that is missing, empty, of an unknown
# link type, packed and cut short, a link to nowhere. Named or in a folder; alone it is an error. A folder's other files
# are passed over and counted.
. "$(dirname "$0")/../common.sh"
mkdir bad
cp "$DATA/first-look.pcap" good.pcap
: > bad/empty.pcap
{ head -c 20 good.pcap; printf '\x93\0\0\0'; tail -c +25 good.pcap; } > bad/link.pcap
ln -s nowhere bad/link-to-nowhere.pcap
gzip -c good.pcap | head -c 10 > bad/cut.pcap.gz
files=4
! "$WARPMETER" info | grep -q 'unpacking .*gzip' && rm bad/cut.pcap.gz && files=3
for file in bad/* missing.pcap; do
  expect_status 1 "$WARPMETER" extract -q -o out.csv "$file"
  expect_one_line "^warpmeter: $file: "
  [ ! -e out.csv ] || fail "there is an output"
  expect_status 3 "$WARPMETER" extract -q -o out.csv "$file" good.pcap
  expect_one_line "^warpmeter: $file: "
  cmp out.csv "$DATA/first-look.expected.csv"
  rm out.csv
done
cp good.pcap bad/; echo "no capture" > bad/notes.txt; mkfifo bad/pipe
expect_status 3 timeout 60 "$WARPMETER" extract -o out.csv --stats stats.json bad
cmp out.csv "$DATA/first-look.expected.csv"
[ "$(grep -c '^warpmeter: bad/' stderr.txt)" = $files ] || { cat stderr.txt; fail "not all are named"; }
grep -q "^  unreadable  *$files files\$" stderr.txt || { cat stderr.txt; fail "they are not counted"; }
grep -q '^  passed over  *2 files without captures$' stderr.txt || { cat stderr.txt; fail "others are not counted"; }
grep -q '"passed over": 2' stats.json
expect_status 3 timeout 60 "$WARPMETER" extract -qv -o out.csv bad
grep -q '^warpmeter: files without captures passed over: 2$' stderr.txt || fail "-v does not count them"
[ "$(grep -c '^warpmeter: ' stderr.txt)" = "$(grep -c . stderr.txt)" ] || { cat stderr.txt; fail "a line does not say whose it is"; }
rm bad/good.pcap bad/cut* bad/link*
expect_status 1 timeout 60 "$WARPMETER" extract -q -o out2.csv bad
expect_one_line '^warpmeter: bad/empty.pcap: the file is empty$'

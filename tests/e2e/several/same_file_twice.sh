#!/usr/bin/env bash
# A capture, or a file of Flow Records, that is there under several names is read once, and that is said; --order given
# takes what is named.
. "$(dirname "$0")/../common.sh"
mkdir rotated
cp "$DATA/first-look.pcap" rotated/a.pcap
ln -s a.pcap rotated/latest.pcap; ln rotated/a.pcap rotated/z.pcap
for inputs in rotated 'rotated rotated/a.pcap' 'rotated rotated' 'rotated/a.pcap rotated/latest.pcap'; do
  expect_status 0 "$WARPMETER" extract -o out.csv --stats stats.json $inputs
  cmp out.csv "$DATA/first-look.expected.csv" || fail "$inputs"
  grep -qE '^  read before  *[1-5] files? under another name$' stderr.txt || { cat stderr.txt; fail "not said"; }
done
expect_status 0 "$WARPMETER" extract -o out.csv --order given rotated/a.pcap rotated/a.pcap
grep -q 'packets read *600 ' stderr.txt || { cat stderr.txt; fail "not read as given"; }

mkdir flows
"$WARPMETER" extract -q -o flows/a.csv rotated/a.pcap
ln -s a.csv flows/latest.csv; ln flows/a.csv flows/z.csv
for inputs in flows 'flows flows/a.csv' 'flows/a.csv flows/a.csv' 'flows/z.csv flows/latest.csv'; do
  expect_status 0 "$WARPMETER" show --csv $inputs
  cmp stdout.txt "$DATA/first-look.expected.csv" || fail "show $inputs"
  grep -qE '; 1 file, [1-3] named again and read once$' stderr.txt || { cat stderr.txt; fail "show does not say so"; }
done
expect_status 0 "$WARPMETER" report -o page.html flows/a.csv flows/latest.csv
grep -q '^  1 file, 1 named again and read once$' stderr.txt || { cat stderr.txt; fail "report does not say so"; }

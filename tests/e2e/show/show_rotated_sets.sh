#!/usr/bin/env bash
# What --rotate made of one output is read by the name of that output, and as a folder: the same flows in the same order,
# thousands of files with few descriptors.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((150000 / SCALE)) --mean-packets 4 -o t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
mkdir size time
"$WARPMETER" extract -q --rotate 2K -o size/flows.csv t.pcap
[ "$(ls size | wc -l)" -gt $((5000 / SCALE)) ] || fail "few files: $(ls size | wc -l)"
for input in size size/flows.csv; do
  (ulimit -n 64; expect_status 0 "$WARPMETER" show "$input" -o out.csv)
  cmp out.csv all.csv
  grep -q "; $(ls size | wc -l) files$" stderr.txt || fail "$(cat stderr.txt)"
done
(ulimit -n 64; "$WARPMETER" report size/flows.csv -o of_set.html 2> stderr.txt; "$WARPMETER" report all.csv -o of_file.html)
without_name() { sed 's/ · <code>.*//; s/ data-inputs="[^"]*"//' "$1"; }
cmp <(without_name of_set.html) <(without_name of_file.html)
grep -q "<code>size/flows.csv</code> ($(ls size | wc -l) files)" of_set.html || fail "the page does not say how many"

# Beyond six digits numbers go on.
mkdir long
head -3 all.csv > long/f.999999.csv
{ head -1 all.csv; sed -n 4,6p all.csv; } > long/f.1000000.csv
"$WARPMETER" show -q long/f.csv | cmp - <(head -6 all.csv)

"$WARPMETER" extract -q --rotate $((100 / SCALE))ms -o time/flows.csv t.pcap
[ "$(ls time | wc -l)" -gt 2 ] || fail "few files: $(ls time)"
"$WARPMETER" show -q time/flows.csv -o out.csv
cmp <(sort out.csv) <(sort all.csv)
{ head -1 all.csv; python3 - <<'PY'
import glob, re
for name in sorted(glob.glob('time/*'), key=lambda n: re.sub(r'(\d)Z', r'\1.000000000Z', n)): print(*open(name).readlines()[1:], sep='', end='')
PY
} | cmp - out.csv
# The file of that name is the one that is meant; files by size and by time are no set.
cp long/f.999999.csv time/flows.csv
"$WARPMETER" show -q time/flows.csv | cmp - <(head -3 all.csv)
rm time/flows.csv
cp all.csv time/flows.000001.csv
expect_status 1 "$WARPMETER" show time/flows.csv
expect_one_line 'time/flows.csv: there are rotated files by size [(].*[)] and by time'
expect_status 1 "$WARPMETER" show time/other.csv
expect_one_line 'time/other.csv: cannot be read: No such file'

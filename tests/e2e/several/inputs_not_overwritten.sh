#!/usr/bin/env bash
# No output takes the place of an input (exit status 1) or of another output (2), whatever names lead to it: one line that
# says so, before anything is written.
. "$(dirname "$0")/../common.sh"
cp "$DATA/first-look.pcap" t.pcap
"$WARPMETER" extract -q -o whole.csv t.pcap
mkdir captures; cp t.pcap captures/a.pcap; cp t.pcap captures/b.pcap
ln -s t.pcap link.pcap; ln t.pcap hard.pcap; ln -s "$SCRATCH/captures" folder; ln -s t.pcap rotated.000001.csv

# refused FILE COMMAND...: the file stays what it is, nothing else appears.
refused() { refused_with 1 ': is an input too \(' "$@"; }
refused_with() {
  local status=$1 message=$2 file=$3
  shift 3
  cp "$file" before; ls -R > names
  expect_status "$status" "$@"
  expect_one_line "$message"
  cmp "$file" before || fail "overwritten: $*"
  [ "$(ls -R)" = "$(cat names)" ] || fail "appeared: $(ls -R | diff names -)"
}
touch stdout.txt stderr.txt names before out.txt
meter=("$WARPMETER" extract -q --format csv)
for name in t.pcap ./t.pcap "$SCRATCH/t.pcap" link.pcap hard.pcap captures/../t.pcap; do
  refused t.pcap "${meter[@]}" -o "$name" t.pcap
  refused t.pcap "${meter[@]}" -o t.pcap "$name"
  refused t.pcap "$WARPMETER" extract -q -o out.csv --stats "$name" t.pcap
done
refused captures/a.pcap "${meter[@]}" -o captures/a.pcap captures
refused captures/b.pcap "${meter[@]}" -o folder/b.pcap t.pcap captures/
refused t.pcap "${meter[@]}" --rotate 1M -o rotated.csv t.pcap
refused whole.csv "$WARPMETER" show -o whole.csv whole.csv
refused whole.csv "$WARPMETER" show -q whole.csv ./whole.csv --sum src_addr -o ../"${SCRATCH##*/}"/whole.csv
refused whole.csv "$WARPMETER" report -o whole.csv whole.csv

# Standard input and standard output are files too.
read_from() { local file=$1; shift; "$@" < "$file"; }
append_to() { local file=$1; shift; "$@" >> "$file"; }
write_within() { local file=$1; shift; "$@" 1<> "$file"; }
refused t.pcap read_from t.pcap "${meter[@]}" -o t.pcap -
refused t.pcap read_from hard.pcap "${meter[@]}" -o t.pcap /dev/stdin
refused whole.csv read_from whole.csv "$WARPMETER" show -q - -o whole.csv
refused whole.csv read_from whole.csv "$WARPMETER" report - -o whole.csv
for redirected in append_to write_within; do
  refused t.pcap $redirected t.pcap "${meter[@]}" t.pcap
  refused t.pcap $redirected hard.pcap "${meter[@]}" -o /dev/stdout t.pcap
  refused t.pcap $redirected t.pcap "$WARPMETER" info t.pcap
  refused whole.csv $redirected whole.csv "$WARPMETER" show -q whole.csv
done
to_three() { "$@" 3>> t.pcap; }
refused t.pcap to_three "${meter[@]}" -o /dev/fd/3 t.pcap

# Two outputs of one run.
twice() { refused_with 2 'one file|is another output too \(' "$@"; }
twice t.pcap "$WARPMETER" extract -q -o out.csv --stats out.csv t.pcap
twice t.pcap "$WARPMETER" extract -q -o out.csv --stats captures/../out.csv t.pcap
ln -s out.csv same.json
twice t.pcap "$WARPMETER" extract -q -o out.csv --stats same.json t.pcap
twice t.pcap append_to out.txt "${meter[@]}" --stats out.txt t.pcap

# What is no input may lie among inputs and may be replaced; a terminal or /dev/null may be both.
echo old > captures/flows.csv
for i in 1 2; do "$WARPMETER" extract -q -o captures/flows.csv captures/ t.pcap; done
head -1 captures/flows.csv | cmp - <(head -1 whole.csv)
expect_status 0 "$WARPMETER" extract -q --format csv -o /dev/null --stats /dev/null t.pcap

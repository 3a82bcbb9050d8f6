#!/usr/bin/env bash
# What cannot be merged gives one line and no output: files out of order, files of other columns, outputs that are inputs.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o a.csv -o a.json "$capture"
refused() {
  local pattern=$1; shift
  expect_status 1 "$WARPMETER" merge -o out.csv "$@"
  expect_one_line "$pattern"
  [ ! -e out.csv ] || fail "there is an output"
}
{ head -4 a.csv; sed -n 6p a.csv; sed -n 5p a.csv; tail -n +7 a.csv; } > mixed.csv
"$WARPMETER" show -q a.csv --sort bytes -o sorted.json
for most in 64 2; do
  refused '^warpmeter: mixed.csv: flow 5 belongs before the one before it, but only files in the order of extract are merged$' \
    --most-files $most a.csv mixed.csv a.json
  refused '^warpmeter: sorted.json: flow [0-9]+ belongs before ' --most-files $most sorted.json a.csv a.json
done
"$WARPMETER" extract -q --key-vlan -o vlan.csv "$capture"
"$WARPMETER" extract -q --biflow -o biflow.json "$capture"
"$WARPMETER" extract -q --method five-tuple -o five.csv "$capture"
cut -d, -f1-20 a.csv > few.csv
refused '^warpmeter: vlan.csv has a column vlan_id, a.csv does not: files are merged if they have the same columns$' a.csv vlan.csv
refused '^warpmeter: biflow.json has biflows, a.csv does not: ' a.csv biflow.json
refused '^warpmeter: a.csv has a column out_of_order_segments, five.csv does not: ' five.csv a.csv
refused '^warpmeter: a.json has a column [a-z_]+, few.csv does not: ' a.json few.csv
refused '^warpmeter: none: cannot create a run file: No such file or directory' --tmpdir none a.csv
"$WARPMETER" merge -q -o out.csv few.csv   # alone it may be
rm out.csv

cp a.csv kept.csv; ln a.csv hard.csv; ln -s a.json soft.json
for output in a.csv ./a.csv hard.csv soft.json; do
  expect_status 1 "$WARPMETER" merge -o $output a.csv a.json
  expect_one_line ': is an input too \('
done
cmp a.csv kept.csv
expect_status 2 "$WARPMETER" merge -o out.csv -o out.csv a.csv
no_leftovers

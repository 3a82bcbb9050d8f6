#!/usr/bin/env bash
# Several -o in one run: each as if it were alone, all or none, the same for any threads.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 40000 --mean-packets 4 -o t.pcap
names='flows.csv flows.json'
! "$WARPMETER" info | grep -q 'IPFIX *built in' || names+=' flows.ipfix'
! "$WARPMETER" info | grep -q 'Parquet *built in' || names+=' flows.parquet'
outputs=()
for name in $names; do
  "$WARPMETER" extract -q -o alone.$name t.pcap
  outputs+=(-o "$name")
done
"$WARPMETER" extract -q --threads 1 "${outputs[@]}" -o - t.pcap > stdout.csv
cmp stdout.csv alone.flows.csv
for name in $names; do
  [ $name = flows.ipfix ] || cmp $name alone.$name  # an IPFIX file has the time of its export
  "$WARPMETER" show -q -o shown.csv $name; cmp shown.csv alone.flows.csv
  rm $name
done
"$WARPMETER" extract -q --threads 4 --batch 50 --run-memory 1M "${outputs[@]}" t.pcap
for name in $names; do "$WARPMETER" show -q -o shown.csv $name; cmp shown.csv alone.flows.csv; done
# --rotate is of every file.
mkdir parts
"$WARPMETER" extract -q --rotate 200K -o parts/a.csv -o parts/b.json -o - t.pcap > stdout.csv
cmp stdout.csv alone.flows.csv
cat parts/b.*.json | cmp - alone.flows.json
{ head -1 alone.flows.csv; for f in parts/a.*.csv; do tail -n +2 "$f"; done; } | cmp - alone.flows.csv
# Where one cannot be written, none is there; what was there stays.
echo old > old.csv
for second in /dev/full nowhere/b.csv; do
  expect_status 1 "$WARPMETER" extract -q -o old.csv -o new.json -o $second t.pcap
  expect_one_line "$second"
  [ "$(cat old.csv)" = old ] && [ ! -e new.json ] || fail "an output of a failed run"
done
ln -s flows.csv link.csv
for bad in '-o a.csv -o a.csv' '-o a.csv -o ./a.csv' '-o flows.csv -o link.csv' '-o - -o -'; do
  # shellcheck disable=SC2086
  expect_status 2 "$WARPMETER" extract -q $bad t.pcap
  expect_one_line 'is there twice'
done
expect_status 2 "$WARPMETER" extract -q --stats ./a.csv -o a.csv t.pcap
expect_one_line '--stats and -o a.csv: one file'
expect_status 2 "$WARPMETER" extract -q --format csv -o a.csv -o b.csv t.pcap
expect_one_line '--format goes with one -o'
expect_status 2 "$WARPMETER" show -q -o a.csv -o b.csv flows.csv
expect_one_line 'show writes one output'
no_leftovers

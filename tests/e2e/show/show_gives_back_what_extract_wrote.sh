#!/usr/bin/env bash
# What extract wrote, show reads and writes again to the byte, from CSV and from JSON, from files and from pipes.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 20 --flows 300 -o t.pcap
for options in '' '--key-vlan' '--method five-tuple' '--aggregate'; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $options -o a.csv t.pcap
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $options -o a.json t.pcap
  [ "$(rows a.csv)" -gt 500 ] || fail "too few flows to tell"
  "$WARPMETER" show -q a.csv -o b.csv; cmp a.csv b.csv
  "$WARPMETER" show -q a.json -o b.csv; cmp a.csv b.csv
  "$WARPMETER" show -q a.csv --json > b.json; cmp a.json b.json
  "$WARPMETER" show -q - < a.json > b.csv; cmp a.csv b.csv
  cat a.csv | "$WARPMETER" show -q - -o b.json; cmp a.json b.json
done
# Several files are one after the other, with the columns of all.
"$WARPMETER" extract -q -o plain.csv t.pcap
"$WARPMETER" extract -q --key-vlan -o vlan.csv t.pcap
"$WARPMETER" show -q plain.csv vlan.csv -o both.csv
[ "$(rows both.csv)" = $(($(rows plain.csv) + $(rows vlan.csv))) ] || fail "flows of two files: $(rows both.csv)"
cmp <(head -1 vlan.csv) <(head -1 both.csv)
cmp <(tail -n "$(rows vlan.csv)" both.csv) <(tail -n +2 vlan.csv)
# A capture without flows gives files without flows.
head -c 24 t.pcap > none.pcap
for format in csv json; do
  "$WARPMETER" extract -q -o none.$format none.pcap
  "$WARPMETER" show -q none.$format -o again.$format
  cmp none.$format again.$format
done
no_leftovers

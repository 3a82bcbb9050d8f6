#!/usr/bin/env bash
# --rotate with IPFIX, by size and by time: each file begins with its Templates and can be read alone; together they hold
# what one file holds.
. "$(dirname "$0")/../common.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 60000 --mean-packets 6 -o t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
mkdir size time
"$WARPMETER" extract -q --rotate 100K -o size/flows.ipfix t.pcap
"$WARPMETER" extract -q --rotate 20ms -o time/flows.ipfix t.pcap
for kind in size time; do
  [ "$(find $kind -type f | wc -l)" -gt 3 ] || fail "few files: $(ls $kind)"
  for file in $kind/*.ipfix; do
    expect_status 0 "$WARPMETER" show -q -o "$file.csv" "$file"
    [ "$(rows "$file.csv")" -gt 0 ] || fail "$file is empty"
  done
done
{ head -1 all.csv; for f in size/*.csv; do tail -n +2 "$f"; done; } | cmp - all.csv
for f in time/*.csv; do tail -n +2 "$f"; done | sort | cmp - <(tail -n +2 all.csv | sort)
"$WARPMETER" show -q -o together.csv size/*.ipfix
cmp together.csv all.csv
no_leftovers

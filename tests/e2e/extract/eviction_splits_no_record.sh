#!/usr/bin/env bash
# With --memory below what the live flows need: evictions are reported, no record is split, packets and bytes add up, and
# the output still does not depend on threads or batches.
. "$(dirname "$0")/../common.sh"
[ "${LONG:-OFF}" = OFF ] || SCALE=1
"$TRAFFIC_GEN" --packets $((300000 / SCALE)) --flows 20000 --seed 3 -o t.pcap
"$WARPMETER" extract -q -o whole.csv t.pcap
"$WARPMETER" extract --threads 1 --memory 2M -o evicted.csv --stats stats.json t.pcap 2> summary.txt
grep -q 'evicted flows' summary.txt || fail "evictions are not reported"
[ "$(sed -n 's/.*"evicted flows": \([0-9]*\).*/\1/p' stats.json)" -gt 1000 ] || fail "too few evictions to show anything"
cmp <(cut -d, -f1-9 whole.csv) <(cut -d, -f1-9 evicted.csv) || fail "keys, times, packets or bytes differ"
for options in '--threads 2' '--threads 7 --batch 333' '--threads 3 --run-memory 1'; do
  "$WARPMETER" extract -q --memory 2M $options -o other.csv t.pcap
  cmp evicted.csv other.csv || fail "another output with $options"
done

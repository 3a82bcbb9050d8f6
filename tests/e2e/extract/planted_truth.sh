#!/usr/bin/env bash
# Generated packets: all totals, and all counters of each flow, equal the planted truth, with any number of threads, batch
# size and spilling.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets "${PLANTED_PACKETS:-$((300000 / SCALE))}" --seed 7 -o t.pcap --truth truth.json --truth-flows flows.csv
"$WARPMETER" extract -q --threads 1 -o first.csv --stats stats.json t.pcap
python3 - <<'PY'
import json
planted, found = json.load(open('truth.json'))['totals'], json.load(open('stats.json'))['totals']
wrong = {name: (value, found[name]) for name, value in planted.items() if found[name] != value}
assert not wrong, wrong
assert planted['retransmitted_segments'] and planted['missing_bytes'] and planted['out_of_order_segments']
PY
python3 "$SOURCE/tools/traffic_gen/compare_truth.py" flows.csv truth.json first.csv   # flow by flow
for options in '--threads 2' '--threads 7' '--threads 2 --batch 100' '--threads 7 --batch 50000' \
    '--threads 2 --run-memory 64K' '--threads 7 --run-memory 1 --batch 1000'; do
  "$WARPMETER" extract -q $options -o other.csv t.pcap
  cmp first.csv other.csv || fail "another output with $options"
done

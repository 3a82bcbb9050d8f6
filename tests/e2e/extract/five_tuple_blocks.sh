#!/usr/bin/env bash
# Method five-tuple finds what lies within memory blocks: more with larger ones, and what the reference finds, with any
# number of threads and batch size. Method exact has no such limit.
. "$(dirname "$0")/../common.sh"
packets=$((40000 / ${SCALE:-1}))
"$TRAFFIC_GEN" --packets $packets --flows 100 --rate 8000 --retransmit-wait 0.5 --seed 3 -o t.pcap --truth truth.json
meter() { "$WARPMETER" extract -q --backend cpu --method five-tuple "$@" t.pcap; }
"$WARPMETER" extract -q --method exact -o exact.csv t.pcap
for block in 500 $packets; do
  meter --block $block -o $block.csv --stats $block.json
  "$REFERENCE_METER" --method five-tuple --block $block t.pcap | cmp - $block.csv
  for options in '--threads 1' '--threads 2 --batch 77' '--threads 5 --batch 50000' '--threads 5 --run-memory 1'; do
    meter --block $block $options | cmp - $block.csv || fail "another output with --block $block $options"
  done
done
meter --block $packets --retransmission-gap 200ms -o gap.csv
"$REFERENCE_METER" --method five-tuple --block $packets --retransmission-gap 200ms t.pcap | cmp - gap.csv
python3 - $packets <<'PY'
import csv, json, sys
whole = sys.argv[1]
def found(name): return sum(int(row['retransmitted_segments'] or 0) for row in csv.DictReader(open(name)))
small, large, gap, exact = (found(f'{name}.csv') for name in ('500', whole, 'gap', 'exact'))
planted = json.load(open('truth.json'))['totals']['retransmitted_segments']
assert 0 < small < large and 0 < gap < large and exact >= planted > 0, (small, large, gap, exact, planted)
for row in csv.DictReader(open(f'{whole}.csv')):
    assert not any(row[name] for name in ('out_of_order_segments', 'keep_alive_segments', 'missing_bytes',
                                           'stray_segments')), row
for name, segments in (('500', small), (whole, large)):
    stats = json.load(open(f'{name}.json'))
    assert stats['block'] == int(name) and stats['totals']['retransmitted_segments'] == segments, stats
PY

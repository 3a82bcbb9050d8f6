#!/usr/bin/env bash
# --sample-flows 1/N: the Flow Records of one conversation of N, as the reference has them, both directions of each, whatever
# threads and batches; every other packet is counted. Another secret gives other flows. Segments cannot be sampled.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --mean-packets 20 --flows 300 --icmp 0.05 -o t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
"$WARPMETER" extract --sample-flows 1/4 --stats s.json -o quarter.csv t.pcap 2> summary.txt
"$REFERENCE_METER" --sample-flows 1/4 t.pcap | cmp - quarter.csv
[ "$(rows quarter.csv)" -gt 0 ] && [ "$(comm -13 <(sort all.csv) <(sort quarter.csv) | wc -l)" = 0 ] || fail "other records"
for how in "--threads 3 --batch 7" "--threads 2 --batch 1"; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $how --sample-flows 1/4 -o again.csv t.pcap
  cmp quarter.csv again.csv
done
grep -q '^  sample of flows     1/4$' summary.txt || fail "the summary does not say the rate"
python3 - <<'PY'
import csv, json
s = json.load(open('s.json'))
assert s['sample of flows'] == '1/4' and s['ignored']['not sampled'] > 0
assert s['packets read'] == s['packets metered'] + sum(s['ignored'].values()) == 20000
def ends(row):
    icmp = row['protocol'] in ('1', '58')
    return frozenset([(row['src_addr'], 0 if icmp else row['src_port']), (row['dst_addr'], 0 if icmp else row['dst_port'])])
rows = lambda name: list(csv.DictReader(open(name)))
taken = {ends(r) for r in rows('quarter.csv')}
conversations = {ends(r) for r in rows('all.csv')}
assert len(rows('quarter.csv')) == sum(ends(r) in taken for r in rows('all.csv')), 'one direction without the other'
assert len(conversations) / 6 < len(taken) < len(conversations) / 3, (len(taken), len(conversations))
PY
"$WARPMETER" extract -q --sample-flows 1/1 -o one.csv t.pcap
cmp all.csv one.csv
# Rarer samples are part of those that are less rare.
"$WARPMETER" extract -q --sample-flows 1/16 -o sixteenth.csv t.pcap
[ "$(comm -13 <(sort quarter.csv) <(sort sixteenth.csv) | wc -l)" = 0 ] || fail "1/16 is no part of 1/4"
WARPMETER_SAMPLE_SEED=secret "$WARPMETER" extract -q --sample-flows 1/4 -o secret.csv t.pcap
WARPMETER_SAMPLE_SEED=secret "$WARPMETER" extract -q --sample-flows 1/4 -o again.csv t.pcap
WARPMETER_SAMPLE_SEED= "$WARPMETER" extract -q --sample-flows 1/4 -o none.csv t.pcap
! cmp -s quarter.csv secret.csv && cmp secret.csv again.csv && cmp quarter.csv none.csv || fail "the seed decides nothing"

for wrong in 4 2/4 1/0 1/1048577 1/ 1/4x; do
  expect_status 2 "$WARPMETER" extract --sample-flows $wrong -o x.csv t.pcap
  expect_one_line '--sample-flows .*1/1 to 1/1048576'
done
"$WARPMETER" decode -q -o set t.pcap
expect_status 2 "$WARPMETER" extract --sample-flows 1/4 -o x.csv set
expect_one_line '^warpmeter: --sample-flows: it is for captures'

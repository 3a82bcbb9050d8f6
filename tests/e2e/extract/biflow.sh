#!/usr/bin/env bash
# --biflow loses no flow and invents none: every record of one direction comes back, alone or beside the one that
# answers it, the initiator's first.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 60000 --mean-packets 6 -o t.pcap
"$WARPMETER" extract -q --idle-timeout 2s --active-timeout 3s -o uni.csv t.pcap
"$WARPMETER" extract -q --idle-timeout 2s --active-timeout 3s --biflow --threads 1 -o bi.csv t.pcap
"$WARPMETER" extract -q --idle-timeout 2s --active-timeout 3s --biflow --threads 3 --run-memory 100K --tmpdir . -o runs.csv t.pcap
cmp bi.csv runs.csv
"$WARPMETER" extract -q --aggregate -o uni_all.csv t.pcap
"$WARPMETER" extract -q --aggregate --biflow -o bi_all.csv t.pcap
python3 - <<'PY'
import csv
from collections import Counter
def rows(name): return list(csv.DictReader(open(name)))
def swapped(r):
    if r['protocol'] in ('1', '58'):
        type_, code = divmod(int(r['dst_port']), 256)
        other = {'1': {8: 0, 0: 8, 13: 14, 14: 13}, '58': {128: 129, 129: 128}}[r['protocol']].get(type_)
        assert other is not None, r
        return r['dst_addr'], r['src_addr'], r['src_port'], str(other * 256 + code), r['protocol']
    return r['dst_addr'], r['src_addr'], r['dst_port'], r['src_port'], r['protocol']
def halves(r):
    names = list(r)[5:names_end]
    yield (r['src_addr'], r['dst_addr'], r['src_port'], r['dst_port'], r['protocol'], *(r[n] for n in names))
    if r['reverse_packets']: yield (*swapped(r), *(r['reverse_' + n] for n in names))
for uni, bi, gap in (('uni.csv', 'bi.csv', 2_000_000_000), ('uni_all.csv', 'bi_all.csv', None)):
    one, both = rows(uni), rows(bi)
    names_end = len(one[0])
    assert list(both[0])[:names_end] == list(one[0]) and len(both[0]) == 2 * names_end - 5
    assert Counter(tuple(r.values()) for r in one) == Counter(h for r in both for h in halves(r))
    pairs = [r for r in both if r['reverse_packets']]
    assert len(pairs) > len(both) / 2, (len(pairs), len(both))
    for r in pairs:
        first, second = sorted((int(r[p + 'start_ns']), int(r[p + 'end_ns'])) for p in ('', 'reverse_'))
        assert gap is None or second[0] - first[1] <= gap, r
        if r['syn_count'] in ('', '0') and r['reverse_syn_count'] in ('', '0'): assert int(r['start_ns']) <= int(r['reverse_start_ns']), r
    # Who sends only SYN is no server; generated servers answer.
    opened = [r for r in pairs if r['protocol'] == '6' and r['syn_count'] != '0' and r['reverse_syn_count'] != '0']
    assert opened and all(int(r['dst_port']) < 32768 for r in opened), [r for r in opened if int(r['dst_port']) >= 32768][:2]
    # What stayed alone has nobody who could have answered: no two neighbours alone that would pair.
    for a, b in zip(both, both[1:]):
        if a['reverse_packets'] or b['reverse_packets'] or a['protocol'] in ('1', '58') and int(a['dst_port']) >> 8 not in (0, 8, 128, 129): continue
        key = (b['src_addr'], b['dst_addr'], b['src_port'], b['dst_port'], b['protocol'])
        assert swapped(a) != key or gap and int(b['start_ns']) - int(a['end_ns']) > gap, (a, b)
PY
no_leftovers

#!/usr/bin/env bash
# --sum gives what Python sums up, for keys of every kind.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
cat > sums.py <<'PY'
import csv, ipaddress, json, sys
keys, of = sys.argv[1].split(','), eval('lambda row: ' + sys.argv[2])
def prefix(text, four, six):
    address = ipaddress.ip_address(text)
    return str(ipaddress.ip_network((address, four if address.version == 4 else six), strict=False))
with open('a.csv') as f: rows = list(csv.DictReader(f))
skip = {'src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol', 'start_ns', 'end_ns', 'connection_bytes',
        'connection_ns', 'end_reason', 'tcp_flags'}
counters = [name for name in rows[0] if name not in skip]
wanted = {}
for row in rows:
    groups = of(row)
    for group in (groups if isinstance(groups, set) else {groups}):
        sum = wanted.setdefault(tuple(map(str, group)), {'flows': 0, 'start_ns': 1 << 62, 'end_ns': 0})
        sum['flows'] += 1
        sum['start_ns'] = min(sum['start_ns'], int(row['start_ns']))
        sum['end_ns'] = max(sum['end_ns'], int(row['end_ns']))
        for name in counters:
            if row[name]: sum[name] = sum.get(name, 0) + int(row[name])
        if row['tcp_flags']: sum['tcp_flags'] = sum.get('tcp_flags', 0) | int(row['tcp_flags'])
lines = [json.loads(line) for line in open('got.json')]
assert len(lines) == len(wanted) > 1, (len(lines), len(wanted))
for line in lines:
    sum = wanted[tuple(str(line.pop(key)) for key in keys)]
    share = line.pop('retransmission_share')
    if sum.get('data_segments'):
        assert abs(share - sum['retransmitted_segments'] / sum['data_segments']) < 1e-8
    else: assert share is None
    assert line == {name: sum.get(name) for name in line}, (line, sum)
    assert set(sum) <= set(line)
assert [line['bytes'] for line in lines] == sorted((line['bytes'] for line in lines), reverse=True)
PY
ask() {
  "$WARPMETER" show -q a.csv --sum "$1" --json > got.json
  python3 sums.py "$1" "$2"
}
ask src_addr "(row['src_addr'],)"
ask dst_addr,dst_port "(row['dst_addr'], row['dst_port'])"
ask addr "{(row['src_addr'],), (row['dst_addr'],)}"
ask addr,port "{(row['src_addr'], row['src_port']), (row['dst_addr'], row['dst_port'])}"
ask src_addr/16:48 "(prefix(row['src_addr'], 16, 48),)"
ask protocol,end_reason "(row['protocol'], row['end_reason'])"
ask start/10ms "(int(row['start_ns']) // 10_000_000 * 10_000_000,)"
# The same in CSV, and the first of them.
"$WARPMETER" show -q a.csv --sum dst_port -o sums.csv
head -1 sums.csv | grep -q '^dst_port,flows,packets,bytes,.*,retransmission_share,start_ns,end_ns$' || fail "$(head -1 sums.csv)"
"$WARPMETER" show -q a.csv --sum dst_port --top 3 by packets --columns packets > top.csv
python3 - <<'PY'
import csv
rows = sorted(csv.DictReader(open('sums.csv')), key=lambda row: (-int(row['packets']), int(row['dst_port'])))
got = list(csv.DictReader(open('top.csv')))
assert got == [{name: row[name] for name in ('dst_port', 'packets')} for row in rows[:3]], got
PY

#!/usr/bin/env bash
# Columns of sums that are asked of the flows in them, and flows spread over intervals, are what Python makes of the CSV;
# tables say the same for people, and so do JSON and Python's reader of Parquet.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 --retransmit 0.05 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
columns=flows,share_flows,share_bytes,bits_per_second,packets_per_second,mean_bytes,mean_packets,min_packets,max_bytes
columns+=,p50_bytes,p95_duration,p99_packets,distinct_dst_addr,distinct_dst_addr/16,distinct_src_port
"$WARPMETER" show -q a.csv --sum dst_port,protocol --columns $columns --json > got.json
"$WARPMETER" show -q a.csv --sum time/20ms,protocol --json > spread.json
"$WARPMETER" show -q a.csv --sum tcp_flags -o flags.csv
"$WARPMETER" show -q a.csv --sum time/20ms,dst_port --top 2 by packets per time/20ms -o top.csv
"$WARPMETER" show -q a.csv --sum time/20ms,dst_port -o all.csv
python3 - <<'PY'
import collections, csv, fractions, ipaddress, json, math
with open('a.csv') as file: rows = list(csv.DictReader(file))
number = lambda row, name: int(row[name])
duration = lambda row: number(row, 'end_ns') - number(row, 'start_ns')
groups = collections.defaultdict(list)
for row in rows: groups[number(row, 'dst_port'), number(row, 'protocol')].append(row)
lines = [json.loads(line) for line in open('got.json')]
assert len(lines) == len(groups) > 3
def percentile(values, percent): return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
def near(a, b): return a == b or abs(a - b) <= 1e-6 * max(1, abs(b))
for line in lines:
    of = groups[line['dst_port'], line['protocol']]
    total = lambda name: sum(number(row, name) for row in of)
    ns = max(number(row, 'end_ns') for row in of) - min(number(row, 'start_ns') for row in of)
    prefix = {str(ipaddress.ip_network((row['dst_addr'], 16 if '.' in row['dst_addr'] else 128), strict=False)) for row in of}
    wanted = {
        'flows': len(of), 'share_flows': len(of) / len(rows),
        'share_bytes': total('bytes') / sum(number(row, 'bytes') for row in rows),
        'bits_per_second': total('bytes') * 8e9 / ns if ns else None, 'packets_per_second': total('packets') * 1e9 / ns if ns else None,
        'mean_packets': total('packets') / len(of), 'min_packets': min(number(row, 'packets') for row in of),
        'max_bytes': max(number(row, 'bytes') for row in of), 'p50_bytes': percentile([number(row, 'bytes') for row in of], 50),
        'p95_duration_ns': percentile([duration(row) for row in of], 95), 'p99_packets': percentile([number(row, 'packets') for row in of], 99),
        'distinct_dst_addr': len({row['dst_addr'] for row in of}), 'distinct_dst_addr/16': len(prefix),
        'distinct_src_port': len({row['src_port'] for row in of})}
    for name, value in wanted.items(): assert near(line[name], value), (name, line[name], value, len(of))
    assert abs(line['mean_bytes'] - total('bytes') / len(of)) <= 0.5

# Each flow by the part of its time in an interval: within 1 of the exact sum, and all of them together exactly that.
WIDTH = 20_000_000
exact = collections.defaultdict(fractions.Fraction)
for row in rows:
    start, end = number(row, 'start_ns'), number(row, 'end_ns')
    for at in range(start // WIDTH * WIDTH, end + 1, WIDTH):
        part = fractions.Fraction(min(end, at + WIDTH) - max(start, at), end - start) if end > start else 1
        exact[at, number(row, 'protocol')] += part * number(row, 'bytes')
lines = [json.loads(line) for line in open('spread.json')]
assert {(line['time/20ms'], line['protocol']) for line in lines} == set(exact) and len(lines) > 5
for line in lines: assert abs(line['bytes'] - exact[line['time/20ms'], line['protocol']]) <= 1, line
for protocol in {number(row, 'protocol') for row in rows}:
    of = [row for row in rows if number(row, 'protocol') == protocol]
    for name in 'bytes', 'packets', 'duplicate_packets':
        assert sum(line[name] for line in lines if line['protocol'] == protocol) == sum(number(row, name) for row in of)
assert [line['time/20ms'] for line in lines] == sorted(line['time/20ms'] for line in lines)  # unasked

counts = collections.Counter(row['tcp_flags'] for row in rows)
got = list(csv.DictReader(open('flags.csv')))
assert {row['tcp_flags']: int(row['flows']) for row in got} == counts and list(got[0]).count('tcp_flags') == 1

best = collections.defaultdict(list)
for row in csv.DictReader(open('all.csv')): best[row['time/20ms']].append((-int(row['packets']), int(row['dst_port'])))
wanted = [(at, -packets, port) for at in sorted(best, key=int) for packets, port in sorted(best[at])[:2]]
assert [(row['time/20ms'], int(row['packets']), int(row['dst_port'])) for row in csv.DictReader(open('top.csv'))] == wanted
PY
"$WARPMETER" show -q a.csv --sum protocol --columns flows,share_bytes,bits_per_second,p95_duration --format table > table.txt
grep -qE '^PROTO +FLOWS +SHARE OF BYTES +BIT/S +P95 DURATION$' table.txt || fail "$(cat table.txt)"
grep -qE '^tcp +[0-9]+ +[0-9.]+% +[0-9.]+ M +[0-9.]+ ms$' table.txt || fail "$(cat table.txt)"
expect_status 2 "$WARPMETER" show a.csv --sum protocol --columns p95_byts
expect_one_line "columns: 'p95_byts' is no column [(]near: p95_bytes"
expect_status 2 "$WARPMETER" show a.csv --sum protocol --top 3 per dst_port
expect_one_line "top N per KEY: 'dst_port' is none of the keys of --sum"
expect_status 1 "$WARPMETER" show a.csv --sum time/1ns -o none.csv
expect_one_line "sum: 'time/1ns': a flow of .* has [0-9]* such intervals"
[ ! -e none.csv ] || fail "there is an output"

# Where a spread flow's times are nonsense nothing else is lost: -f leaves it out.
"$WARPMETER" show -q a.csv --sum time/1ns -f 'duration < 10us' > few.csv || fail "not for short ones"
no_leftovers

# In Parquet columns have their types.
need_parquet readers
"$WARPMETER" show -q a.csv --sum dst_port,time/20ms --columns $columns -o sums.parquet
"$WARPMETER" show -q a.csv --sum dst_port,time/20ms --columns $columns -o sums.csv
"$WARPMETER" show -q a.csv --columns source,start,duration,bytes,retransmission_share -o chosen.parquet
"$WARPMETER" show -q a.csv --columns source,start,duration,bytes,retransmission_share -o chosen.csv
"$READERS" - <<'PY'
import csv, pyarrow.parquet
for name in 'sums', 'chosen':
    table = pyarrow.parquet.read_table(name + '.parquet')
    with open(name + '.csv') as file: rows = list(csv.DictReader(file))
    assert table.column_names == list(rows[0]) and table.num_rows == len(rows) > 3
    for column in table.column_names:
        values = table.column(column)
        if str(values.type).startswith('timestamp'): values = values.cast('int64')
        for value, row in zip(values.to_pylist(), rows):
            text = row[column]
            assert text == '' if value is None else abs(value - float(text)) < 1e-5 if isinstance(value, float) else str(value) == text, (column, value, text)
assert str(table.schema.field('start_ns').type).startswith('timestamp[ns'), table.schema
PY

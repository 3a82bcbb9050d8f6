#!/usr/bin/env bash
# --community-id: the published hash in a column at the end, as independent code computes it; both directions have one.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 6 --icmp 0.1 --udp 0.2 -o t.pcap
cat > check.py <<'PY'
import base64, csv, hashlib, ipaddress, json, struct, sys

PAIRS = {1: [(0, 8), (9, 10), (13, 14), (15, 16), (17, 18)],
         58: [(128, 129), (130, 131), (133, 134), (135, 136), (139, 140), (144, 145)]}

def community_id(row, seed):
    protocol, source, destination = int(row['protocol']), int(row['src_port']), int(row['dst_port'])
    a, b = (ipaddress.ip_address(row[name]).packed for name in ('src_addr', 'dst_addr'))
    one_way = False
    if protocol in PAIRS:
        kind, code = divmod(destination, 256)
        other = {**dict(PAIRS[protocol]), **{y: x for x, y in PAIRS[protocol]}}.get(kind)
        source, destination, one_way = kind, code if other is None else other, other is None
    ends = [(a, source), (b, destination)]
    if not one_way: ends.sort()
    text = struct.pack('>H', seed) + ends[0][0] + ends[1][0] + bytes([protocol, 0])
    if protocol in (1, 6, 17, 58, 132): text += struct.pack('>HH', ends[0][1], ends[1][1])
    return '1:' + base64.b64encode(hashlib.sha1(text).digest()).decode()

assert community_id({'protocol': 6, 'src_addr': '128.232.110.120', 'dst_addr': '66.35.250.204', 'src_port': 34855,
                     'dst_port': 80}, 0) == '1:LQU9qZlK+B5F3KDmev6m5PMibrg='
name, seed = sys.argv[1], int(sys.argv[2])
with open(name) as f: rows = list(csv.DictReader(f)) if name.endswith('.csv') else [json.loads(line) for line in f]
assert rows and len({int(row['protocol']) for row in rows}) > 2, 'too few kinds of flows to tell'
for row in rows:
    assert list(row)[-1] == 'community_id', row
    assert row['community_id'] == community_id(row, seed), row
PY
"$WARPMETER" extract -q -o plain.csv t.pcap
"$WARPMETER" extract -q --community-id -o a.csv -o a.json t.pcap
python3 check.py a.csv 0; python3 check.py a.json 0
cut -d, -f1-27 a.csv | cmp - plain.csv
"$WARPMETER" extract -q --community-id --community-id-seed 4711 --biflow --key-vlan -o b.csv t.pcap
python3 check.py b.csv 4711
# show passes over the column of a file and computes it where it is asked to.
"$WARPMETER" show -q -o again.csv a.json; cmp again.csv plain.csv
"$WARPMETER" show -q --community-id -o again.csv plain.csv; cmp again.csv a.csv
"$WARPMETER" show -q --community-id --community-id-seed 4711 -o again.csv b.csv; cmp again.csv b.csv
"$WARPMETER" report a.csv -o a.html
if "$WARPMETER" info | grep -q 'Parquet *built in'; then
  "$WARPMETER" extract -q --community-id -o a.parquet t.pcap
  "$WARPMETER" show -q --community-id -o again.csv a.parquet; cmp again.csv a.csv
  READERS=$SOURCE/build/python/bin/python3
  if "$READERS" -c 'import pyarrow.parquet' 2>/dev/null; then
    "$READERS" -c '
import csv, pyarrow.parquet
table = pyarrow.parquet.read_table("a.parquet")
assert table.column_names[-2:] == ["community_id", "first_packet"], table.column_names
assert table["community_id"].to_pylist() == [row["community_id"] for row in csv.DictReader(open("a.csv"))]'
  fi
fi
expect_status 2 "$WARPMETER" extract -q --community-id -o a.ipfix t.pcap
expect_one_line '--community-id goes with CSV, JSON and Parquet'
expect_status 2 "$WARPMETER" extract -q --community-id-seed 1 -o a.csv t.pcap
expect_one_line '--community-id-seed goes with --community-id'
expect_status 2 "$WARPMETER" extract -q --community-id --community-id-seed 65536 -o a.csv t.pcap
no_leftovers

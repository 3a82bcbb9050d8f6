#!/usr/bin/env bash
# --sort and --top give what Python's sort gives, however the column is named.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --mean-packets 20 --flows 300 -o t.pcap
"$WARPMETER" extract -q -o a.csv t.pcap
"$WARPMETER" show -q a.csv --sort retransmitted_segments -o sorted.csv
"$WARPMETER" show -q a.csv --sort start_ns -o by_time.csv
"$WARPMETER" show -q a.csv --sort bytes:asc -o up.csv
python3 - <<'PY'
import csv
def read(name): return list(csv.DictReader(open(name)))
rows = read('a.csv')          # in output order, which decides where the column does not
value = lambda row: int(row['retransmitted_segments'] or -1)
assert read('sorted.csv') == sorted(rows, key=lambda row: -value(row))
assert read('by_time.csv') == sorted(rows, key=lambda row: int(row['start_ns']))
assert read('up.csv') == sorted(rows, key=lambda row: int(row['bytes']))
assert value(read('sorted.csv')[0]) > 1
PY
head -11 sorted.csv > ten.csv
"$WARPMETER" show -q a.csv --top 10 --sort retransmitted_segments > got.csv; cmp ten.csv got.csv
"$WARPMETER" show -q a.csv --top 10 by retransmitted_segments > got.csv; cmp ten.csv got.csv
"$WARPMETER" show -q --top '10 by retransmitted_segments' a.csv > got.csv; cmp ten.csv got.csv
"$WARPMETER" show -q --top 10 by retransmitted_segments a.csv > got.csv; cmp ten.csv got.csv
# Without a column, by bytes; the order in which the files come does not matter.
"$WARPMETER" show -q a.csv --sort bytes | head -11 > ten.csv || true
"$WARPMETER" show -q a.csv --top 10 > got.csv; cmp ten.csv got.csv
{ head -1 a.csv; tail -n +2 a.csv | tac; } > turned.csv
"$WARPMETER" show -q turned.csv --top 10 > got.csv; cmp ten.csv got.csv
"$WARPMETER" show -q turned.csv --sort protocol -o x.csv
"$WARPMETER" show -q a.csv --sort protocol -o y.csv
cmp x.csv y.csv

#!/usr/bin/env bash
# The format follows the name or --format; CSV and JSON hold the same values, and JSON durations; a pipe gets CSV, a terminal a table.
. "$(dirname "$0")/../common.sh"
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o a.csv "$capture"
"$WARPMETER" extract -q "$capture" > b.csv
"$WARPMETER" extract -q -o - --format csv "$capture" > c.csv
"$WARPMETER" extract -q -o /dev/stdout "$capture" | cat > d.csv
cmp a.csv b.csv; cmp a.csv c.csv; cmp a.csv d.csv
"$WARPMETER" extract -q -o a.json "$capture"
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open('a.csv')))
objects = [json.loads(line) for line in open('a.json')]
assert rows and len(rows) == len(objects)
for row, object in zip(rows, objects):
    assert object.popitem() == ('duration_ns', int(row['end_ns']) - int(row['start_ns'])), (row, object)
    assert list(row) == list(object), (row, object)
    assert row == {name: '' if value is None else str(value) for name, value in object.items()}, (row, object)
PY
script -qec "'$WARPMETER' extract -q '$capture'" /dev/null > table.txt
grep -q '^SOURCE .*RETRANS' table.txt || fail "no table on a terminal"

#!/usr/bin/env bash
# The stock policies tell protocols by what they say first, in whatever pieces it comes, and nothing by what only looks alike.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract --help | grep -q -- --policy || { echo "a build with policies runs this"; exit 77; }
python3 -B "$SOURCE/tests/e2e/policy_conversations.py" talk.pcap expected.csv
"$WARPMETER" extract -q --policy "$SOURCE/data/policies/stock.toml" -o flows.csv talk.pcap
cat > compare.py <<'PY'
import csv
told = {}
for row in csv.DictReader(open('flows.csv')):
    port = row['src_port'] if row['src_addr'] == '10.0.0.1' else row['dst_port']
    told.setdefault(port, set()).add((row['labels'], row['host']))
expected = {port: {(label, host)} for port, label, host in csv.reader(open('expected.csv'))}
assert len(expected) > 150 and told.keys() == expected.keys(), (len(told), len(expected))
wrong = {port: (told[port], expected[port]) for port in told if told[port] != expected[port]}
assert not wrong, wrong
PY
python3 compare.py

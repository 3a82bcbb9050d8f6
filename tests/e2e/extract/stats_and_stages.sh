#!/usr/bin/env bash
# --stats writes JSON with the exit status and all counts; --stages adds the time per stage to the summary; -q is silent.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract --stages --stats stats.json -o out.csv "$DATA/first-look.pcap" 2> summary.txt
grep -q 'merge and export' summary.txt
python3 - <<'PY'
import csv, json
stats, rows = json.load(open('stats.json')), list(csv.DictReader(open('out.csv')))
assert stats['exit_status'] == 0 and stats['rows'] == len(rows) == sum(stats['flows_by_end_reason'].values()), stats
assert stats['packets_read'] == stats['packets_metered'] + sum(stats['ignored'].values()), stats
for name, value in stats['totals'].items(): assert value == sum(int(row[name] or 0) for row in rows), name
PY
# In all commands the same keys, of lower case and underscores; for one release with spaces, as they were before, too.
"$WARPMETER" decode -q --stats decode.json -o segments "$DATA/first-look.pcap"
"$WARPMETER" reassemble -q --stats reassemble.json -o streams "$DATA/first-look.pcap"
"$WARPMETER" memory -q --stats memory.json -o memory.txt "$DATA/first-look.pcap"
mkdir folder; cp "$DATA/first-look.pcap" folder/a.pcap
"$WARPMETER" live -q --stats live.json -i folder:folder --duration 1s -o live.csv
python3 - <<'PY'
import json, re
for name in ['stats', 'decode', 'reassemble', 'memory', 'live']:
    stats = json.load(open(name + '.json'))
    for key in ['exit_status', 'packets_read', 'bytes_read', 'not_ip', 'tunnels_not_opened', 'unreadable', 'passed_over',
                'read_before_under_another_name', 'folders_below_not_read', 'skipped', 'seconds', 'ignored']:
        assert key in stats, (name, key)
    for key, value in stats.items():
        now = re.sub('[ -]', '_', key).lower()
        assert re.fullmatch('[a-z_]+', now) and stats[now] == value, (name, key)
    for key in ['exit status', 'packets read', 'bytes read', 'not IP']: assert key in stats, (name, key)
PY
"$WARPMETER" extract -q -o out.csv "$DATA/first-look.pcap" 2> summary.txt
[ ! -s summary.txt ] || fail "-q is not silent"

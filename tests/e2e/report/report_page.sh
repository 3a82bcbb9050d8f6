#!/usr/bin/env bash
# report makes one page from flows of any format, the same bytes each time, with the figures of the flows in it.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
"$WARPMETER" report flows.csv -o page.html --title 'Link <7> & co'
no_leftovers
"$WARPMETER" report flows.csv -o again.html --title 'Link <7> & co'
cmp page.html again.html
"$WARPMETER" report flows.csv -o - --title 'Link <7> & co' | cmp - page.html
"$WARPMETER" extract -q -o flows.json "$DATA/first-look.pcap"
"$WARPMETER" report flows.json -o json.html --title 'Link <7> & co'
sed 's/flows\.json/flows.csv/' json.html | cmp - page.html
"$WARPMETER" extract -q "$DATA/first-look.pcap" | "$WARPMETER" report - -o pipe.html
grep -q 'standard input' pipe.html

python3 - <<'PY'
import csv, re
rows = list(csv.DictReader(open('flows.csv')))
total = lambda name: sum(int(row[name] or 0) for row in rows)
page = open('page.html', encoding='utf-8').read()
assert '<h1>Link &lt;7&gt; &amp; co</h1>' in page
tiles = re.findall(r'<div class="tile" title="([^"]*)"><dt>([^<]*)</dt>', page)
exact = {label: title for title, label in tiles}
assert exact['Flows'] == f'{len(rows):,}', exact
assert exact['Packets'] == f'{total("packets"):,}', exact
assert exact['Traffic'] == f'{total("bytes"):,} bytes', exact
assert exact['Retransmitted'] == f'{total("retransmitted_segments"):,} of {total("data_segments"):,}', exact
assert exact['Duplicates'] == f'{total("duplicate_packets"):,} of {total("packets"):,}', exact
assert exact['Missing'] == f'{total("missing_bytes"):,} bytes', exact
assert exact['Zero windows'] == f'{total("zero_window_count"):,}', exact
assert 'Strays' not in exact  # there are none
assert 'http:' not in page and 'https:' not in page
PY

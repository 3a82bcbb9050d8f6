#!/usr/bin/env bash
# report --coalescing has a section of what `coalesce --dry-run` counted: the same numbers.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --flows 30 --frame-size 900 -o all.pcap
"$WARPMETER" extract -q -o flows.csv all.pcap
"$WARPMETER" coalesce -q --no-push --dry-run --stats dry.json all.pcap >table.txt
"$WARPMETER" report flows.csv --coalescing dry.json -o page.html
python3 - <<'PY'
import html, json, re
dry, page = json.load(open('dry.json')), open('page.html', encoding='utf-8').read()
section = re.search('<section id="coalescing">.*?</section>', page, re.S)[0]
rows = re.findall('<tr><th scope="row".*?</tr>', section, re.S)
assert len(rows) == len(dry['what_if']) >= 5, (len(rows), dry['what_if'])
for row, counted in zip(rows, dry['what_if']):
    exact = {int(title.replace(',', '').split()[0]) for title in re.findall('title="([0-9,]+)', row)} | \
            {int(text.replace(',', '')) for text in re.findall('>([0-9,]+)<', row)}
    assert {counted['packets'], counted['super_packets']} <= exact, (row, counted)
chart = json.loads(re.search('<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.S)[1])['coalescing']
assert [c['saved'] for c in chart] == [dry['packets_read'] - c['packets'] for c in dry['what_if']], chart
assert max(c['saved'] for c in chart) > dry['packets_read'] / 3, chart
PY
"$WARPMETER" report flows.csv -o without.html
! grep -q 'id="coalescing"' without.html || fail "a section of what nobody counted"

# Files that are none of those, and a page over what it reads.
"$WARPMETER" coalesce -q -o joined.pcap --stats run.json all.pcap
echo '{"what_if": [{"threshold": -1, "timeout_intervals": 1, "packets": 1, "super_packets": 1, "joined": 1, "saved_bytes": 1}]}' >negative.json
for other in run.json negative.json flows.csv; do
  expect_status 1 "$WARPMETER" report flows.csv --coalescing "$other" -o other.html
  expect_one_line "^warpmeter: $other: nothing that \`coalesce --dry-run --stats\` wrote\$"
done
expect_status 1 "$WARPMETER" report flows.csv --coalescing missing.json -o other.html
expect_one_line '^warpmeter: missing.json: No such file or directory$'
expect_status 1 "$WARPMETER" report flows.csv --coalescing dry.json -o dry.json
expect_one_line 'dry.json'
[ ! -e other.html ] || fail "a page of what could not be read"

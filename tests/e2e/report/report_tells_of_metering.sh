#!/usr/bin/env bash
# report --stats puts what metering had to say on the page: files between which time runs back, damage, what was not read.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 --flows 10 -o early.pcap
python3 - <<'PY'
import struct
data = bytearray(open('early.pcap', 'rb').read())
at = 24
while at < len(data):                                   # an hour later
    second, _, size = struct.unpack_from('<III', data, at)
    struct.pack_into('<I', data, at, second + 3600)
    at += 16 + size
open('<late>.pcap', 'wb').write(data[:-1])
PY
expect_status 3 "$WARPMETER" extract -q --order given -o flows.csv --stats stats.json '<late>.pcap' early.pcap missing.pcap
"$WARPMETER" report flows.csv --stats stats.json -o page.html
grep -q '<li>not read: missing.pcap: No such file or directory</li>' page.html || fail "no word of the missing file"
grep -q '<li>&lt;late&gt;.pcap: damaged at byte [0-9]*: record cut short</li>' page.html || fail "no word of the damage"
grep -q '<li>time runs back by 1 h from &lt;late&gt;.pcap to early.pcap</li>' page.html || fail "no word of the order"
# What was decoded before a signal came is of a sound capture.
sed 's/"record cut short"/"decoding was interrupted"/' stats.json > interrupted.json
"$WARPMETER" report flows.csv --stats interrupted.json -o page.html
grep -q '<li>&lt;late&gt;.pcap: decoding was interrupted at byte [0-9]*</li>' page.html || fail "no word of the interruption"
"$WARPMETER" extract -q -o flows.csv --stats good.json early.pcap
"$WARPMETER" report flows.csv --stats good.json -o page.html
! grep -q 'Metering had' page.html || fail "trouble where there was none"
expect_status 1 "$WARPMETER" report flows.csv --stats flows.csv -o other.html
expect_one_line '^warpmeter: flows.csv: nothing that `extract --stats` wrote$'
expect_status 1 "$WARPMETER" report flows.csv --stats good.json -o good.json
expect_one_line 'good.json'

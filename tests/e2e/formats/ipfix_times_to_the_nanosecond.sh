#!/usr/bin/env bash
# tshark knows an IPFIX file for one and finds nothing wrong in it; its times are the CSV's, to the nanosecond.
. "$(dirname "$0")/../common.sh"
need_ipfix
command -v tshark >/dev/null || { echo "apt-get install tshark runs this"; exit 77; }
"$WARPMETER" extract -q -o flows.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o flows.ipfix "$DATA/first-look.pcap"
TZ=UTC tshark -r flows.ipfix -V > dissected.txt 2> tshark_says.txt || { cat tshark_says.txt >&2; fail "tshark"; }
! grep -iE 'malformed|expert info' dissected.txt || fail "tshark complains"
python3 - <<'PY'
import calendar, csv, re, time
rows = list(csv.DictReader(open('flows.csv')))
flows = [block for block in re.split(r'^        Flow \d+$', open('dissected.txt').read(), flags=re.M)[1:]
         if 'SrcAddr' in block]
assert rows and len(rows) == len(flows), (len(rows), len(flows))
def nanoseconds(label, block):
    found = re.findall(label + r': (.*)\.(\d{9}) UTC', block)
    assert len(found) == 2, (found, block)   # dateTimeMilliseconds, dateTimeNanoseconds
    (coarse, ms), (fine, ns) = found
    assert coarse == fine and int(ms) == int(ns) // 10**6 * 10**6, found
    return calendar.timegm(time.strptime(fine, '%b %d, %Y %H:%M:%S')) * 10**9 + int(ns)
for row, block in zip(rows, flows):
    assert nanoseconds('StartTime', block) == int(row['start_ns']), (row, block)
    assert nanoseconds('EndTime', block) == int(row['end_ns']), (row, block)
    for label, column in (('SrcPort', 'src_port'), ('DstPort', 'dst_port'), ('Packets', 'packets'), ('Octets', 'bytes')):
        assert re.search(rf'^ *{label}: {row[column]}$', block, re.M), (label, row, block)
print(f'{len(rows)} Flow Records')
PY

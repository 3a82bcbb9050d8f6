#!/usr/bin/env bash
# One odd sequence number makes nothing of a connection out of order or missing: it is a stray. In every format, by way of
# segment files, and in the summary.
. "$(dirname "$0")/../common.sh"
cat > make.py <<'PY'
import struct
SYN, ACK, BOTH, FIN = 2, 16, 18, 17
packets, ids = [], iter(range(1, 60000))
def tcp(time, last, port, sequence, size=0, flags=ACK, acknowledged=9, back=False):
    ends = [((192, 0, 2, last), port), ((198, 51, 100, 2), 443)]
    (source, sport), (target, dport) = reversed(ends) if back else ends
    head = struct.pack('>BBHHHBBH', 0x45, 0, 40 + size, next(ids), 0, 64, 6, 0) + bytes(source + target)
    tail = struct.pack('>HHIIBBHHH', sport, dport, sequence % 2 ** 32, acknowledged, 0x50, flags, 900, sequence % 65521, 0)
    packets.append((time, head + tail + bytes(size)))
def data(last, start, begin, count, step=100, **more):
    for i in range(count): tcp(start + i / 1000, last, 40000, begin + step * i, step, **more)
# 1: an acknowledgement from elsewhere in the middle. 2: one of the connection before, behind a new SYN.
data(1, 10, 1000, 10); tcp(10.5, 1, 40000, 1000 + 2 * 10 ** 9); data(1, 11, 2000, 10)
tcp(20, 2, 40000, 5000, flags=SYN); tcp(20.1, 2, 40000, 3_000_000_000); data(2, 21, 5001, 10); tcp(22, 2, 40000, 6001, flags=FIN)
# 3: both sides of a firewall that rewrites the client's numbers. 4: 3 GiB were not captured.
for i in range(20): tcp(30 + i, 3, 40000, 1000 + 100 * i, 100); tcp(30.0001 + i, 3, 40000, 1340001000 + 100 * i, 100)
data(4, 60, 1000, 5); data(4, 61, 1500 + 3 * 2 ** 30, 20)
# 5: two SYN+ACKs with different ISNs answer one SYN, and the first is used.
tcp(70, 5, 40000, 77, flags=SYN); tcp(70.1, 5, 40000, 1000, flags=BOTH, acknowledged=78, back=True)
tcp(70.1001, 5, 40000, 1607310568, flags=BOTH, acknowledged=78, back=True)
data(5, 70.2, 1001, 5, back=True); tcp(71, 5, 40000, 1501, flags=FIN, back=True)
# 6: a stack that begins at the same ISN each time.
for k in range(3):
    at = 80 + 5 * k
    tcp(at, 6, 40000, 100, flags=SYN); data(6, at + .1, 101, 2); tcp(at + .2, 6, 40000, 301, flags=FIN)
with open('t.pcap', 'wb') as out:
    out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for time, packet in sorted(packets, key=lambda p: p[0]):
        us = round(time * 10 ** 6)
        out.write(struct.pack('<IIII', 1700000000 + us // 10 ** 6, us % 10 ** 6, len(packet), len(packet)) + packet)
PY
python3 make.py
"$WARPMETER" extract -q -o flows.csv -o flows.json --stats stats.json t.pcap
python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open('flows.csv')))
assert list(rows[0])[-1] == 'stray_segments', list(rows[0])
def of(last, back=False):
    column = 'dst_addr' if back else 'src_addr'
    return [r for r in rows if r[column] == f'192.0.2.{last}']
def values(row): return tuple(int(row[c] or -1) for c in ('packets', 'stray_segments', 'out_of_order_segments', 'missing_bytes', 'retransmitted_segments'))
for last, wanted in ((1, (21, 1, 0, 0, 0)), (2, (13, 1, 0, 0, 0)), (3, (40, 20, 0, 0, 0)), (4, (25, 1, 0, 0, 0))):
    assert [values(r) for r in of(last)] == [wanted], (last, of(last))
assert of(2)[0]['connection_bytes'] == '1000', of(2)
assert [values(r) for r in of(5, True)] == [(8, 0, 0, 0, 0)] and of(5, True)[0]['payload_bytes'] == '500', of(5, True)
assert [values(r) for r in of(6)] == [(4, 0, 0, 0, 0)] * 3 and [r['connection_bytes'] for r in of(6)] == ['200'] * 3, of(6)
stats = json.load(open('stats.json'))
assert stats['totals']['stray_segments'] == 23 and stats['sequence jumps'] == 1, stats
assert [str(json.loads(l)['stray_segments']) for l in open('flows.json')] == [r['stray_segments'] for r in rows]
PY
"$WARPMETER" extract -o /dev/null t.pcap 2>summary
grep -qx '  stray segments      23' summary && grep -qx '  sequence jumps      1' summary || { cat summary >&2; fail "not told"; }

# However it is read and written.
"$WARPMETER" decode -q -o set t.pcap
"$WARPMETER" extract -q -o decoded.csv set
cmp flows.csv decoded.csv
for options in '--threads 1' '--threads 3 --batch 2' '--batch 1'; do
  "$WARPMETER" extract -q -o again.csv $options t.pcap
  cmp flows.csv again.csv
done
for format in ipfix parquet; do
  "$WARPMETER" extract -q -o "flows.$format" t.pcap 2>said || { grep -q 'not built' said && continue; fail "$(cat said)"; }
  "$WARPMETER" show -o back.csv "flows.$format"
  cmp flows.csv back.csv
done
"$WARPMETER" show flows.csv -f "stray_segments > 0" --columns stray_segments > strays.csv
[ "$(awk "{ s += \$1 } END { print s }" strays.csv)" = 23 ] || fail "show does not filter by it"
"$WARPMETER" report flows.csv -o page.html
grep -qF 'title="23"><dt>Strays</dt>' page.html || fail "the page does not tell of them"
no_leftovers

#!/usr/bin/env bash
# --columns first_packet: the number of the packet with which a flow begins, as the oracle counts it, whatever threads,
# memory, batches, files and formats; handshake_ns: from SYN to SYN+ACK, as the rows tell it. Parquet has both unasked.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((30000 / SCALE)) --mean-packets 12 --flows 300 --ipv6 0.3 --udp 0.2 -o t.pcap
first=(--columns first_packet)
options=(--idle-timeout 50ms --active-timeout 200ms)
"$REFERENCE_METER" t.pcap "${options[@]}" "${first[@]}" > want.csv
python3 -c '
import csv
rows = list(csv.DictReader(open("want.csv")))
assert len({row["first_packet"] for row in rows}) == len(rows) > 100 and min(int(row["first_packet"]) for row in rows) == 1'
for how in '--threads 1' '--threads 3 --batch 7' '--threads 2 --memory 64M --run-memory 64K'; do
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q $how "${options[@]}" "${first[@]}" -o got.csv t.pcap
  cmp got.csv want.csv || fail "$how"
done

# Behind all other columns, in each direction, and no different in the rest.
"$WARPMETER" extract -q "${options[@]}" --biflow --key-vlan -o plain.csv -o plain.json t.pcap
both=(--columns first_packet,reverse_first_packet,handshake_ns)
formats=(csv json)
! "$WARPMETER" info | grep -q 'IPFIX *built in' || formats+=(ipfix)
! "$WARPMETER" info | grep -q 'Parquet *built in' || formats+=(parquet)
for format in "${formats[@]}"; do outputs+=(-o "both.$format"); done
"$WARPMETER" extract -q "${options[@]}" --biflow --key-vlan "${both[@]}" "${outputs[@]}" t.pcap
cat > check.py <<'PY'
import csv, json
rows, plain = (list(csv.DictReader(open(name))) for name in ('both.csv', 'plain.csv'))
want = {(row['src_addr'], row['dst_addr'], row['src_port'], row['dst_port'], row['protocol'], row['start_ns'], row['end_ns']):
        row['first_packet'] for row in csv.DictReader(open('want.csv'))}
def key(row, reverse=''):
    names = ['src_addr', 'dst_addr', 'src_port', 'dst_port']
    if reverse: names = ['dst_addr', 'src_addr', 'dst_port', 'src_port']
    return tuple(row[name] for name in names) + (row['protocol'], row[reverse + 'start_ns'], row[reverse + 'end_ns'])
def handshake(row):
    if not row['reverse_start_ns'] or not row['syn_count'] == row['reverse_syn_count'] == '1': return ''
    ns = int(row['reverse_start_ns']) - int(row['start_ns'])
    return str(ns) if ns >= 0 else ''
assert sum(handshake(row) != '' for row in rows) > 20
for row, other in zip(rows, plain, strict=True):
    assert list(row)[-3:] == ['first_packet', 'reverse_first_packet', 'handshake_ns'], list(row)
    assert row['first_packet'] == want[key(row)], row
    is_paired = row['reverse_start_ns'] != ''
    assert is_paired == (row['reverse_first_packet'] != ''), row
    if is_paired and row['protocol'] in ('6', '17'):  # answers of ICMP have another type
        assert row['reverse_first_packet'] == want[key(row, 'reverse_')], row
    assert row['handshake_ns'] == handshake(row), row
    assert {name: row[name] for name in other} == other, row
objects = [json.loads(line) for line in open('both.json')]
for row, found in zip(rows, objects, strict=True):
    for name in list(row)[-3:]: assert found[name] == (int(row[name]) if row[name] else None), found
PY
python3 check.py

# A file keeps its numbers: read back, filtered, merged in passes, in rotation.
for format in "${formats[@]}"; do
  "$WARPMETER" merge -q "${both[@]}" -o again.csv both.$format
  cmp again.csv both.csv || fail "merge of both.$format"
  "$WARPMETER" show -q both.$format --columns first_packet,reverse_first_packet,handshake_ns -o shown.csv
  cmp shown.csv <(rev both.csv | cut -d, -f1-3 | rev) || fail "show of both.$format"
done
"$WARPMETER" extract -q "${options[@]}" --biflow --key-vlan "${both[@]}" --rotate $((20000 / SCALE))us -o rotated.csv t.pcap
[ "$(ls rotated.*.csv | wc -l)" -gt 5 ] || fail "few files: $(ls rotated.*)"
"$WARPMETER" merge -q --most-files 2 "${both[@]}" -o again.csv rotated.*.csv
cmp again.csv both.csv
"$WARPMETER" show -q both.csv -f 'first_packet <= 20' --sort first_packet --columns first_packet > few.txt
[ "$(rows few.txt)" -gt 5 ] && tail -n +2 few.txt | sort -n -c || fail "sorted: $(cat few.txt)"
"$WARPMETER" show -q both.csv -f 'reverse_first_packet < first_packet' -o late.csv 2>/dev/null || true
"$WARPMETER" packets -q t.pcap "${options[@]}" -f 'first_packet = 1' -o one.pcap
"$WARPMETER" extract -q -o one.csv one.pcap
[ "$(rows one.csv)" -ge 1 ] || fail "no packets of the flow of packet 1"
"$WARPMETER" extract -q --times us --biflow --columns handshake_ns -o us.csv t.pcap
head -1 us.csv | grep -q ',handshake_us$' || fail "$(head -1 us.csv)"

# In parts: files of a trace, segment files and their partitions.
python3 - <<'PY'
data = open('t.pcap', 'rb').read()
at, ends = 24, []
while at < len(data):
    at += 16 + int.from_bytes(data[at + 8:at + 12], 'little')
    ends.append(at)
middle = ends[len(ends) // 3]
open('a.pcap', 'wb').write(data[:middle])
open('b.pcap', 'wb').write(data[:24] + data[middle:])
PY
"$WARPMETER" extract -q "${options[@]}" "${first[@]}" -o got.csv b.pcap a.pcap
cmp got.csv want.csv || fail "two files"
"$WARPMETER" decode -q -o segments a.pcap b.pcap
"$WARPMETER" extract -q "${options[@]}" "${first[@]}" -o got.csv segments
cmp got.csv want.csv || fail "segment files"
for part in 1 2 3 4; do
  "$WARPMETER" extract -q "${options[@]}" "${first[@]}" --partition $part/4 -o part-$part.csv segments
done
"$WARPMETER" merge -q "${first[@]}" -o got.csv part-[1234].csv
cmp got.csv want.csv || fail "partitions"
"$WARPMETER" extract -q --aggregate "${options[@]}" "${first[@]}" -o got.csv t.pcap
"$REFERENCE_METER" t.pcap --aggregate "${options[@]}" "${first[@]}" | cmp - got.csv || fail "aggregate"
"$WARPMETER" extract -q "${options[@]}" "${first[@]}" -o short.csv a.pcap
"$WARPMETER" show -q --aggregate short.csv -o sums.csv
"$WARPMETER" extract -q --aggregate "${options[@]}" -o sums-2.csv a.pcap
[ "$(rows sums.csv)" = "$(rows sums-2.csv)" ]

# A file without numbers has none, and 0 is none.
"$WARPMETER" merge -q "${first[@]}" -o none.csv plain.csv
! tail -n +2 none.csv | grep -qv ',$' || fail "numbers out of nowhere"

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage "'first' is none that can be added: community_id, first_packet" extract --columns first -o a.csv t.pcap
usage 'columns handshake_ns goes with --biflow' extract --columns handshake_ns -o a.csv t.pcap
usage 'columns reverse_first_packet goes with --biflow' extract --columns reverse_first_packet -o a.csv t.pcap
usage 'columns first_packet: a live capture is no trace' live -i lo --columns first_packet -o a.csv
usage 'columns community_id goes with CSV, JSON and Parquet' extract --columns community_id -o a.ipfix t.pcap
usage 'first_packet goes with .*IPFIX [(]--ipfix-profile default[)]' \
  extract --ipfix-profile plain --columns first_packet -o a.ipfix t.pcap
no_leftovers

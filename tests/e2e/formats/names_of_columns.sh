#!/usr/bin/env bash
# --names: columns by the names of IPFIX, Zeek, the Elastic Common Schema, or without units, in CSV, JSON and Parquet, with
# the same values, but where the other schema has another unit; the same from extract, merge and show.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 12 --flows 200 --ipv6 0.3 --udp 0.2 -o t.pcap
options=(--biflow --key-vlan --idle-timeout 50ms)
"$WARPMETER" extract -q "${options[@]}" --columns first_packet,handshake_ns -o whole.csv t.pcap
"$WARPMETER" extract -q "${options[@]}" --times us -o us.csv t.pcap
formats=(csv json)
! "$WARPMETER" info | grep -q 'Parquet *built in' || formats+=(parquet)
for names in short ipfix zeek ecs; do
  outputs=()
  for format in "${formats[@]}"; do outputs+=(-o "$names.$format"); done
  "$WARPMETER" extract -q "${options[@]}" --names $names "${outputs[@]}" t.pcap
  for format in csv json; do
    "$WARPMETER" merge -q --names $names -o merged.$format whole.csv
    "$WARPMETER" show -q --names $names -o shown.$format whole.csv
    cmp shown.$format merged.$format
  done
  cmp shown.json $names.json
  "$WARPMETER" extract -q "${options[@]}" --names $names --threads 3 --batch 7 -o again.json t.pcap
  cmp again.json $names.json
done
"$WARPMETER" extract -q "${options[@]}" --names zeek --times us -o zeek-us.csv t.pcap
"$WARPMETER" extract -q "${options[@]}" --names ecs --times us --columns event.start,event.duration,source.ip,bytes,retransmitted_segments -o few.json t.pcap
cat > check.py <<'PY'
import csv, datetime, json
from decimal import Decimal
def rows(name):
    with open(name) as file: return list(csv.DictReader(file))
whole = rows('whole.csv')
def check(name, wanted):
    got = rows(name + '.csv')
    assert len(got) == len(whole) > 50, (name, len(got))
    for row, own in zip(got, whole, strict=True):
        for column, value in wanted(own).items(): assert row[column] == value, (name, column, row[column], value, own)
def both(own):
    starts, ends = ([int(own[p + n]) for p in ('', 'reverse_') if own[p + n]] for n in ('start_ns', 'end_ns'))
    return min(starts), max(ends)
def seconds(ns, digits=9): return f'{Decimal(ns).scaleb(-digits):.{digits}f}'
is_ip6 = lambda own: ':' in own['src_addr']
check('short', lambda own: {'start': own['start_ns'], 'end': own['end_ns'], 'reverse_start': own['reverse_start_ns'],
                            'connection': own['connection_ns'], 'bytes': own['bytes'], 'vlan_id': own['vlan_id']})
check('ipfix', lambda own: {
    'sourceIPv4Address': '' if is_ip6(own) else own['src_addr'], 'sourceIPv6Address': own['src_addr'] if is_ip6(own) else '',
    'destinationIPv4Address': '' if is_ip6(own) else own['dst_addr'], 'flowStartNanoseconds': own['start_ns'],
    'reverseFlowEndNanoseconds': own['reverse_end_ns'], 'tcpRetransmittedSegmentCount': own['retransmitted_segments'],
    'reverseTcpSynTotalCount': own['reverse_syn_count'], 'tcpConnectionNanoseconds': own['connection_ns'],
    'vlanId': own['vlan_id'], 'octetDeltaCount': own['bytes'], 'flowEndReason': own['end_reason']})
check('zeek', lambda own: {
    'ts': seconds(both(own)[0]), 'duration': seconds(both(own)[1] - both(own)[0]), 'id.orig_h': own['src_addr'],
    'id.resp_p': own['dst_port'] if own['protocol'] in ('6', '17') else str(int(own['dst_port']) % 256),
    'orig_pkts': own['packets'], 'resp_pkts': own['reverse_packets'] or '0', 'resp_ip_bytes': own['reverse_bytes'] or '0',
    'proto': {'6': 'tcp', '17': 'udp', '1': 'icmp', '58': 'icmp'}[own['protocol']], 'local_orig': ''})
assert {row['conn_state'] for row in rows('zeek.csv')} > {'SF'} and any('D' in row['history'] for row in rows('zeek.csv'))
for row, own in zip(rows('zeek-us.csv'), rows('us.csv'), strict=True):
    assert row['ts'].replace('.', '') == min(own['start_us'], own['reverse_start_us'] or own['start_us']), (row, own)
check('ecs', lambda own: {
    'source.ip': own['src_addr'], 'source.bytes': own['bytes'], 'destination.bytes': own['reverse_bytes'],
    'destination.port': own['dst_port'] if own['protocol'] in ('6', '17') else '', 'network.iana_number': own['protocol'],
    'network.vlan.id': own['vlan_id'],
    'warpmeter.retransmitted_segments': own['retransmitted_segments'], 'warpmeter.reverse_start_ns': own['reverse_start_ns']})
rows_ecs = rows('ecs.csv')
for row, own in zip(rows_ecs, whole, strict=True):
    start = both(own)[0]
    day = datetime.datetime.fromtimestamp(start // 10**9, datetime.timezone.utc)
    assert row['event.start'] == day.strftime('%Y-%m-%dT%H:%M:%S') + f'.{start % 10**9:09}Z', (row['event.start'], start)
for name in 'short', 'ipfix', 'zeek', 'ecs':
    with open(name + '.json') as file: objects = [json.loads(line, parse_float=str) for line in file]
    for one, row in zip(objects, rows(name + '.csv'), strict=True):
        for column, value in row.items(): assert ('' if one[column] is None else str(one[column])) == value, (name, column, one, row)
with open('few.json') as file: first = json.loads(next(file))
assert list(first) == ['event.start', 'event.duration', 'source.ip', 'source.bytes', 'warpmeter.retransmitted_segments'], first
assert first['event.start'].endswith('000Z') and first['event.duration'] == both(whole[0])[1] - both(whole[0])[0], first
PY
python3 check.py

# Parquet has types: of moments, and of lengths of time whose names tell no unit.
if [[ ${formats[*]} == *parquet* ]] && "$SOURCE/build/python/bin/python3" -c 'import pyarrow.parquet, polars' 2>/dev/null; then
  "$WARPMETER" extract -q "${options[@]}" --names short --times us -o short-us.parquet t.pcap
  "$SOURCE/build/python/bin/python3" - <<'PY'
import csv, polars, pyarrow.parquet
def types(name): return {field.name: str(field.type) for field in pyarrow.parquet.read_table(name + '.parquet').schema}
short, us, ipfix, zeek, ecs = map(types, ('short', 'short-us', 'ipfix', 'zeek', 'ecs'))
assert short['start'] == 'timestamp[ns, tz=UTC]' and us['reverse_end'] == 'timestamp[us, tz=UTC]', (short, us)
assert short['duration'] == short['reverse_duration'] == short['connection'] == 'duration[ns]' and us['duration'] == 'duration[us]', short
assert short['bytes'] == 'int64' and short['dst_port'] == 'uint16' and short['src_addr'] == 'string', short
assert ipfix['flowStartNanoseconds'].startswith('timestamp[ns') and ipfix['tcpConnectionNanoseconds'] == 'int64', ipfix
assert zeek['ts'].startswith('timestamp[ns') and zeek['duration'] == 'duration[ns]' and zeek['conn_state'] == 'string', zeek
assert ecs['event.start'].startswith('timestamp[ns') and ecs['event.duration'] == 'int64', ecs
with open('whole.csv') as file: whole = list(csv.DictReader(file))
frame = polars.read_parquet('short.parquet')
for start, duration, own in zip(frame['start'].dt.epoch('ns'), frame['duration'].dt.total_nanoseconds(), whole, strict=True):
    assert (start, duration) == (int(own['start_ns']), int(own['end_ns']) - int(own['start_ns'])), own
PY
fi

usage() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" "$@"
  expect_one_line "$wanted"
}
usage "names:? .*netflow" extract --names netflow -o a.csv t.pcap
usage 'names goes with CSV, JSON and Parquet' extract --names ipfix -o a.ipfix t.pcap
usage 'names goes with CSV, JSON and Parquet' extract --names ecs --format table t.pcap
usage 'names zeek goes with --biflow' extract --names zeek -o a.csv t.pcap
usage 'names zeek: its times are seconds' extract --biflow --names zeek --times iso -o a.csv t.pcap
usage 'names is for flows, not for --sum' show --names ecs --sum dst_port whole.csv -o a.csv
usage "'network.transport' is there twice" extract --names ecs --columns protocol,network.transport -o a.csv t.pcap
usage "'source.ips' is no column" extract --names ecs --columns bytes,source.ips -o a.csv t.pcap
usage "'id.orig_h' is no column" extract --names ecs --columns bytes,id.orig_h -o a.csv t.pcap
usage 'columns conn_state goes with --biflow' extract --names zeek --columns conn_state,bytes -o a.csv t.pcap
usage 'columns destination.bytes goes with --biflow' extract --names ecs --columns destination.bytes -o a.csv t.pcap
no_leftovers

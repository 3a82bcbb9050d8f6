#!/usr/bin/env bash
# What ipfixDump reads from an IPFIX file is what the CSV says, field by field; names come from the file's own type
# information. Nothing more, and nothing less: what is empty in the CSV is not there.
. "$(dirname "$0")/../common.sh"
need_ipfix
command -v ipfixDump >/dev/null || { echo "apt-get install libfixbuf-tools runs this"; exit 77; }

cat > compare.py <<'PY'
import csv, datetime, ipaddress, re, sys

OF_COLUMN = {
    'src_port': 'sourceTransportPort', 'dst_port': 'destinationTransportPort', 'protocol': 'protocolIdentifier',
    'packets': 'packetDeltaCount', 'bytes': 'octetDeltaCount', 'payload_bytes': 'tcpPayloadOctetCount',
    'data_segments': 'tcpDataSegmentCount', 'retransmitted_segments': 'tcpRetransmittedSegmentCount',
    'retransmitted_bytes': 'tcpRetransmittedOctetCount', 'duplicate_packets': 'duplicatePacketCount',
    'duplicate_bytes': 'duplicateOctetCount', 'out_of_order_segments': 'tcpOutOfOrderSegmentCount',
    'keep_alive_segments': 'tcpKeepAliveSegmentCount', 'missing_bytes': 'tcpMissingOctetCount',
    'syn_count': 'tcpSynTotalCount', 'fin_count': 'tcpFinTotalCount', 'rst_count': 'tcpRstTotalCount',
    'zero_window_count': 'tcpZeroWindowCount', 'tcp_flags': 'tcpControlBits', 'stray_segments': 'tcpStraySegmentCount',
    'connection_bytes': 'tcpConnectionOctetCount', 'connection_ns': 'tcpConnectionNanoseconds',
    'end_reason': 'flowEndReason', 'vlan_id': 'vlanId'}
NTOP = {'retransmitted_segments': 'RETRANSMITTED_IN_PKTS', 'retransmitted_bytes': 'RETRANSMITTED_IN_BYTES',
        'out_of_order_segments': 'OOORDER_IN_PKTS'}
OWN = {c for c, e in OF_COLUMN.items() if e.startswith('duplicate') or
       (e.startswith('tcp') and c not in ('syn_count', 'fin_count', 'rst_count', 'tcp_flags'))}


def records(path):
    """The data records of the dump, those of type information excepted."""
    found = []
    for block in re.split(r'--- data record \d+ ---', open(path).read())[1:]:
        fields = dict(re.findall(r'^\t\([\d/]+\)(?: \(S\))? *(\S+) : (.*)$', block, re.M))
        if 'privateEnterpriseNumber' not in fields: found.append(fields)
    return found


def milliseconds(text):
    time = datetime.datetime.strptime(text, '%Y-%m-%d %H:%M:%S.%f').replace(tzinfo=datetime.timezone.utc)
    return round(time.timestamp() * 1000)


def expected(row, profile):
    elements = dict(OF_COLUMN)
    if profile != 'default':
        for column in OWN: del elements[column]
    if profile == 'ntop': elements.update(NTOP)
    return {e: row[c] for c, e in elements.items() if row.get(c, '') != ''}


def main(table, dump, profile):
    rows, got = list(csv.DictReader(open(table))), records(dump)
    assert rows and len(rows) == len(got), (len(rows), len(got))
    for row, fields in zip(rows, got):
        version = ipaddress.ip_address(row['src_addr']).version
        for side, column in (('source', 'src_addr'), ('destination', 'dst_addr')):
            address = ipaddress.ip_address(fields.pop(f'{side}IPv{version}Address'))
            assert address == ipaddress.ip_address(row[column]), (row, fields)
        assert fields.pop('ipVersion') == str(version)
        for side, column in (('Start', 'start_ns'), ('End', 'end_ns')):
            assert milliseconds(fields.pop(f'flow{side}Milliseconds')) == int(row[column]) // 10**6, (row, fields)
            fields.pop(f'flow{side}Nanoseconds')   # which ipfixDump does not print to the nanosecond
        assert fields == expected(row, profile), (row, fields)
    print(f'{len(rows)} Flow Records, profile {profile}')


main(*sys.argv[1:])
PY

# check PROFILE OPTIONS...
check() {
  local profile=$1
  shift
  "$WARPMETER" extract -q -o flows.csv "$@" "$DATA/first-look.pcap"
  "$WARPMETER" extract -q -o flows.ipfix --ipfix-profile "$profile" "$@" "$DATA/first-look.pcap"
  ipfixDump --in flows.ipfix --rfc5610 --data > dump.txt
  python3 compare.py flows.csv dump.txt "$profile"
}
for profile in default plain ntop; do
  check "$profile"
  check "$profile" --key-vlan
  check "$profile" --method five-tuple
done
no_leftovers

# The same names without type information, from the data file.
"$WARPMETER" extract -q -o flows.ipfix "$DATA/first-look.pcap"
ipfixDump --in flows.ipfix --element-file "$DATA/warpmeter-elements.xml" --data > from_file.txt
ipfixDump --in flows.ipfix --rfc5610 --data > from_type_information.txt
cmp from_file.txt from_type_information.txt

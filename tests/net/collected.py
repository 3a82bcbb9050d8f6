#!/usr/bin/env python3
"""Compares the flows that a collector shows with warpmeter's CSV, field by field.

    collected.py KIND COLLECTED EXPECTED.csv [--only COLUMN,...] [--biflow]

KIND is nfdump (its JSON), pmacct (JSON lines of the print plugin), tshark (PDML) or ipfixdump (its text). Compared are
the columns that the kind can show, or --only these; times as finely as the collector keeps them.
"""
import argparse, csv, json, re, sys
import datetime as dt
from collections import Counter
from xml.etree import ElementTree

COUNTERS = ['packets', 'bytes', 'payload_bytes', 'data_segments', 'retransmitted_segments', 'retransmitted_bytes',
            'duplicate_packets', 'duplicate_bytes', 'out_of_order_segments', 'keep_alive_segments', 'missing_bytes',
            'syn_count', 'fin_count', 'rst_count', 'zero_window_count', 'tcp_flags', 'connection_bytes',
            'connection_ns', 'end_reason', 'stray_segments']
KEY = ['src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol']
OWN = {1: 'payload_bytes', 2: 'data_segments', 3: 'retransmitted_segments', 4: 'retransmitted_bytes',
       5: 'duplicate_packets', 6: 'duplicate_bytes', 7: 'out_of_order_segments', 8: 'keep_alive_segments',
       9: 'missing_bytes', 10: 'zero_window_count', 11: 'connection_bytes', 12: 'connection_ns', 13: 'stray_segments'}
PROTOCOLS = {'tcp': '6', 'udp': '17', 'icmp': '1', 'ipv6-icmp': '58', 'icmpv6': '58', 'sctp': '132'}


def ns_of(text):
    """'2023-11-14T22:13:20.123456789' or the like, UTC."""
    whole, _, fraction = text.replace('T', ' ').partition('.')
    seconds = dt.datetime.strptime(whole + ' +0000', '%Y-%m-%d %H:%M:%S %z').timestamp()
    return int(seconds) * 10**9 + int((fraction + '0' * 9)[:9])


def of_nfdump(path):
    columns = KEY + ['start_ms', 'end_ms', 'packets', 'bytes', 'tcp_flags']
    def rows():
        for flow in json.load(open(path)):
            letters = flow.get('tcp_flags', '')            # CEUAPRSF, dots for those that are not set
            icmp = flow['proto'] in (1, 58)
            port = flow['icmp_type'] * 256 + flow['icmp_code'] if icmp else flow['dst_port']
            yield {'src_addr': flow.get('src4_addr') or flow['src6_addr'],
                   'dst_addr': flow.get('dst4_addr') or flow['dst6_addr'],
                   'src_port': flow.get('src_port', 0), 'dst_port': port, 'protocol': flow['proto'],
                   'start_ms': ns_of(flow['first']) // 10**6, 'end_ms': ns_of(flow['last']) // 10**6,
                   'packets': flow['in_packets'], 'bytes': flow['in_bytes'],
                   'tcp_flags': int(''.join('01'[c != '.'] for c in letters), 2) if flow['proto'] == 6 else '',
                   'reverse_packets': flow.get('out_packets', ''), 'reverse_bytes': flow.get('out_bytes', '')}
    return columns, rows()


def of_pmacct(path):
    names = {'ip_src': 'src_addr', 'ip_dst': 'dst_addr', 'port_src': 'src_port', 'port_dst': 'dst_port'}
    def rows():
        for line in open(path):
            flow = json.loads(line)
            row = {names.get(name, name): value for name, value in flow.items()}
            for name, value in row.items():                 # of raw primitives it shows the octets
                if re.fullmatch(r'[0-9A-F]{2}(-[0-9A-F]{2})+', str(value)): row[name] = int(value.replace('-', ''), 16)
            row['protocol'] = PROTOCOLS.get(flow['ip_proto'], flow['ip_proto'])
            row['start_ms'] = int(flow['timestamp_start'].replace('.', '')) // 1000
            row['end_ms'] = int(flow['timestamp_end'].replace('.', '')) // 1000
            if row['protocol'] != '6': row['tcp_flags'] = ''
            yield row
    return KEY + ['start_ms', 'end_ms'] + COUNTERS, rows()


def of_tshark(path):
    """Every field of every Data Record as tshark dissects it; of our own elements it shows number and octets."""
    names = {'cflow.srcaddr': 'src_addr', 'cflow.dstaddr': 'dst_addr', 'cflow.srcaddrv6': 'src_addr',
             'cflow.dstaddrv6': 'dst_addr', 'cflow.srcport': 'src_port', 'cflow.dstport': 'dst_port',
             'cflow.protocol': 'protocol', 'cflow.packets': 'packets', 'cflow.octets': 'bytes',
             'cflow.total_tcp_syn': 'syn_count', 'cflow.total_tcp_fin': 'fin_count', 'cflow.total_tcp_rst': 'rst_count',
             'cflow.flow_end_reason': 'end_reason'}
    def value(row, field):
        name, show = field.get('name'), field.get('show')
        if name in names: row[names[name]] = show
        elif name == 'cflow.tcpflags': row['tcp_flags'] = int(show, 16)
        elif name in ('cflow.abstimestart', 'cflow.abstimeend'):
            point = show.index('.')
            whole = dt.datetime.strptime(show[:point], '%b %d, %Y %H:%M:%S')
            at = ns_of(whole.strftime('%Y-%m-%d %H:%M:%S') + show[point:-4])
            row[('start' if name.endswith('start') else 'end') + '_ns'] = at         # the nanoseconds come last
        elif name == 'cflow.enterprise_private_entry':
            number = int(re.search(r'Type (\d+):', field.get('showname'))[1])
            row[OWN[number]] = int(field.get('value'), 16)
        for child in field: value(row, child)
    def rows():
        for field in ElementTree.parse(path).iter('field'):
            if not re.fullmatch(r'Flow \d+', field.get('show') or ''): continue
            row = {}
            value(row, field)
            yield row
    return KEY + ['start_ns', 'end_ns'] + COUNTERS, rows()


def of_ipfixdump(path):
    names = {'sourceIPv4Address': 'src_addr', 'destinationIPv4Address': 'dst_addr', 'sourceIPv6Address': 'src_addr',
             'destinationIPv6Address': 'dst_addr', 'sourceTransportPort': 'src_port', 'vlanId': 'vlan_id',
             'destinationTransportPort': 'dst_port', 'protocolIdentifier': 'protocol', 'packetDeltaCount': 'packets',
             'octetDeltaCount': 'bytes', 'tcpSynTotalCount': 'syn_count', 'tcpFinTotalCount': 'fin_count',
             'tcpRstTotalCount': 'rst_count', 'tcpControlBits': 'tcp_flags', 'flowEndReason': 'end_reason',
             'tcpPayloadOctetCount': 'payload_bytes', 'tcpDataSegmentCount': 'data_segments',
             'tcpRetransmittedSegmentCount': 'retransmitted_segments',
             'tcpRetransmittedOctetCount': 'retransmitted_bytes', 'duplicatePacketCount': 'duplicate_packets',
             'duplicateOctetCount': 'duplicate_bytes', 'tcpOutOfOrderSegmentCount': 'out_of_order_segments',
             'tcpKeepAliveSegmentCount': 'keep_alive_segments', 'tcpMissingOctetCount': 'missing_bytes',
             'tcpZeroWindowCount': 'zero_window_count', 'tcpConnectionOctetCount': 'connection_bytes',
             'tcpConnectionNanoseconds': 'connection_ns', 'tcpStraySegmentCount': 'stray_segments'}
    def rows():
        row = {}
        for line in open(path):
            field = re.match(r'\s*\([\d/]+\)\s*(\w+) : (.*)', line)
            if not field:
                if row.get('src_addr'): yield row
                row = {}
                continue
            name, text = field[1], field[2].strip()
            prefix = ''
            if name.startswith('reverse'): prefix, name = 'reverse_', name[7].lower() + name[8:]
            if name in names: row[prefix + names[name]] = text
            elif name in ('flowStartMilliseconds', 'flowEndMilliseconds'):
                row[prefix + ('start' if 'Start' in name else 'end') + '_ms'] = ns_of(text) // 10**6
        if row.get('src_addr'): yield row
    return KEY + ['start_ms', 'end_ms'] + COUNTERS, rows()


def address(text):
    import ipaddress
    return str(ipaddress.ip_address(text))


def expected_rows(path):
    for row in csv.DictReader(open(path)):
        for prefix in ('', 'reverse_'):
            for end in ('start', 'end'):
                ns = row.get(f'{prefix}{end}_ns')
                if ns is not None: row[f'{prefix}{end}_ms'] = str(int(ns) // 10**6) if ns else ''
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('kind', choices=('nfdump', 'pmacct', 'tshark', 'ipfixdump'))
    parser.add_argument('collected'), parser.add_argument('expected')
    parser.add_argument('--only', default=''), parser.add_argument('--biflow', action='store_true')
    options = parser.parse_args()
    columns, rows = globals()['of_' + options.kind](options.collected)
    if options.only: columns = options.only.split(',')
    if options.biflow: columns += ['reverse_' + c for c in columns if c not in KEY]
    def pick(row):
        texts = [str(row.get(c, '')) for c in columns]
        return tuple(address(t) if c in ('src_addr', 'dst_addr') else t for c, t in zip(columns, texts))
    got, wanted = Counter(map(pick, rows)), Counter(map(pick, expected_rows(options.expected)))
    print(f'{options.kind}: {sum(wanted.values())} flows expected, {sum(got.values())} shown, {len(columns)} columns')
    if not wanted: sys.exit('nothing to compare')
    if got == wanted: return
    print(columns)
    for what, flows in (('missing', wanted - got), ('too much', got - wanted)):
        for flow in sorted(flows)[:3]: print(f'{what}: {flow}')
    sys.exit(1)


if __name__ == '__main__': main()

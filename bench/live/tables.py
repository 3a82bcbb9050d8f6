"""The report of bench/live/run."""
from common import command_line, machine, markdown

NAMES = {
    'host': 'nobody (the kernel makes a packet and drops it)',
    'packet': '**AF_PACKET**, our ring (TPACKET_V3)',
    'packet-walk': 'the same ring, only walked and looked at',
    'packet-2-hash': 'two rings of AF_PACKET, shared by hash',
    'packet-2-cpu': 'two rings of AF_PACKET, shared by CPU',
    'pcap': 'libpcap',
    'xdp': '**AF_XDP**, our ring, over veth',
    'xdp-cut': 'the same, cut to 128 bytes',
    'xdp-2': 'the same, two rings',
    'xdp-direct': 'AF_XDP without veth, no stamp',
}
SIZES = (96, 1500)
# What is aimed at for the sum, and for the reader, as ratios to another way; None: it is there to compare with.
LIMITS = [
    ('AF_XDP over veth, stamped and cut, of libpcap', 'xdp-cut', 'pcap', 'sum', 0.65),
    ('AF_XDP without veth, of libpcap', 'xdp-direct', 'pcap', 'sum', 0.4),
    ('AF_PACKET of libpcap', 'packet', 'pcap', 'sum', 1.05),
    ('its reader, of that of libpcap', 'packet', 'pcap', 'reader', 0.6),
    ('the least that a reader of that ring does, of that of libpcap', 'packet-walk', 'pcap', 'reader', None),
    ('two rings of AF_XDP, of one', 'xdp-2', 'xdp', 'sum', 1.15),
    ('two rings of AF_PACKET by CPU, of one', 'packet-2-cpu', 'packet', 'sum', 1.15),
    ('two rings of AF_PACKET by hash, of one', 'packet-2-hash', 'packet', 'sum', None),
]


def costs(ways, path, size):
    """-> kernel, reader and their sum; without what it costs to make the frames"""
    kernel = ways[path, size, True]['kernel'] - ways['nothing', size, True]['kernel']
    reader = ways[path, size, True]['reader']
    return {'kernel': kernel, 'reader': reader, 'sum': kernel + reader}


def of_ways(ways):
    for size in SIZES:
        yield from markdown.paragraph(f'Frames of {size} bytes; CPU nanoseconds a packet:')
        rows = []
        for path, name in NAMES.items():
            cost = costs(ways, path, size)
            ratio = cost['sum'] / costs(ways, 'pcap', size)['sum']
            rows.append([name, f'{cost["kernel"]:.0f}', f'{cost["reader"]:.0f}', f'{cost["sum"]:.0f}', f'{ratio:.2f}'])
        yield from markdown.table(['reader', 'kernel', 'reader', 'sum', 'of libpcap'], rows)


def of_limits(ways):
    rows = []
    for name, path, other, of, limit in LIMITS:
        for size in SIZES:
            ratio = costs(ways, path, size)[of] / costs(ways, other, size)[of]
            aim = ['', ''] if limit is None else [f'{limit:g}', 'yes' if ratio <= limit else '**no**']
            rows.append([f'{name}, {size} bytes', f'{ratio:.2f}', *aim])
    for path in ('packet', 'xdp'):
        for size in SIZES:
            ns = ways[path, size, False]['reader']
            verdict = 'yes' if ns <= 20 else '**no**'
            rows.append([f'ring to frame, {path}, {size} bytes, ns', f'{ns:.1f}', '20', verdict])
    return markdown.table(['', 'found', 'aimed at', 'reached'], rows)


def of_meters(options, meters):
    rows = []
    for found in meters:
        if found.trouble: rows.append([found.name, found.trouble, '', ''])
        else:
            counted = 'not told' if found.counted is None else f'{found.counted:,}'
            rows.append([found.name, f'{1e9 * found.cpu / found.sent:,.0f}', f'{found.sent:,}', counted])
    return (markdown.paragraph('One after the other on the same wire, '
                               f'{options.rate:,} packets a second for {options.seconds} s, with start and end. CPU '
                               'time is that of the process: what the kernel does before it wakes up is not in it.') +
            markdown.table(['meter', 'CPU ns a packet', 'sent', 'counted'], rows) +
            markdown.paragraph("Suricata's flow logs are missing: no package of it could be installed here."))


def report(options, ways, meters):
    return (['# What a live capture costs', ''] +
            markdown.paragraph(f'`{command_line.typed("bench/live/run")}`, {machine.describe()}. Rings are filled '
                               f'with {options.frames:,} frames and then drained, on one thread, medians of '
                               f'{options.rounds} turns of all ways; making the frames is taken off. The reader looks '
                               'at the first 64 bytes of each frame; "ring to frame" does not.') +
            ['## From the interface to the reader', ''] + list(of_ways(ways)) +
            ['## What was aimed at', ''] + of_limits(ways) +
            ['## Beside other flow meters', ''] + of_meters(options, meters))

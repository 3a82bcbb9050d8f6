"""The captures: what traffic_gen is told, so that what is wanted comes out. The report says what came out."""
import csv, os
from collections import namedtuple

from common import capture

# Microseconds, because not every peer knows nanoseconds; less than 60 s, so that no timeout ends a flow for anyone.
COMMON = {'microseconds': True}
FULL = {'packets': 4_030_000, 'flows': 10_000, 'mean_packets': 42, 'frame_size': 860}
SHAPES = {
    'full': ('whole packets', FULL),
    'cut': ('the same packets, cut to 96 bytes', {**FULL, 'snaplen': 96}),
    'small': ('very many small flows, cut to 96 bytes',
              {'packets': 2_000_000, 'flows': 300_000, 'mean_packets': 2, 'snaplen': 96}),
}

# words: what it is; capture: as traffic_gen made it; tcp_packets: of all; flows: of one direction; piped_peak: memory
# of warpmeter when it gets the capture through a pipe
Shape = namedtuple('Shape', 'name words capture tcp_packets flows seconds piped_peak', defaults=(0,))


def tcp_packets_and_seconds(path):
    """Of the planted flows: packets of TCP, and from the first packet to the last."""
    tcp, first, last = 0, None, 0
    with open(path, newline='') as file:
        for row in csv.DictReader(file):
            if row['protocol'] == '6': tcp += int(row['packets'])
            first = min(first or int(row['start_ns']), int(row['start_ns']))
            last = max(last, int(row['end_ns']))
    return tcp, (last - (first or 0)) / 1e9


def make(build, folder, name, packets=None):
    """With another number of packets, the connections alive at once change in proportion."""
    words, options = SHAPES[name]
    options = {**COMMON, **options}
    if packets: options.update(packets=packets, flows=max(1, options['flows'] * packets // options['packets']))
    flows = os.path.join(folder, 'flows.csv')
    made = capture.generate(build, os.path.join(folder, name + '.pcap'), options, truth_flows=flows)
    tcp, seconds = tcp_packets_and_seconds(flows)
    os.remove(flows)
    return Shape(name, words, made, tcp, made.truth['flows'], seconds)


def two_way_connections(shape):
    kinds = shape.capture.truth['connections']
    return sum(kinds[name] for name in ('tcp', 'udp', 'icmp'))

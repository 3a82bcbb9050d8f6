"""The traces of Table 1, generated with planted truth and shaped like the paper's. B and C have the paper's size, A is
their merge, D is scaled down. S is not in the paper: a few endpoints that connect again and again, to fill counters.
"""
import csv, heapq, json, os, struct, subprocess
from collections import namedtuple

# Tuned to the published counts; what a real network does beyond them is traffic_gen's guess.
COMMON = '--icmp 0'
SHAPES = {
    'B': '--seed 1 --duplicate 0 --keep-alive 0 --udp 0.32 --retransmit 0.037 --structural 0.067 --flows 170 '
         '--rate 10000 --mean-packets 150',
    'C': '--seed 23 --duplicate 0.643 --udp 0.002 --retransmit 0.0001 --structural 0 --flows 300 --rate 10000 '
         '--mean-packets 150 --keep-alive 0 --first-connection 1000000',
    'D': '--keep-alive 0.0002 --udp 0.15 --retransmit 0.0128 --structural 0.0625 --retransmit-wait 1.7 --flows 4000 '
         '--mean-packets 200',
    'S': '--udp 0 --port-reuse 0.999 --reset 0.3 --zero-window 0.2 --flows 20 --rate 20000 --mean-packets 12'}

KEY = ('src_addr', 'dst_addr', 'src_port', 'dst_port', 'protocol', 'start_ns', 'end_ns')
Trace = namedtuple('Trace', 'name path packets structural truth')  # structural: retransmissions five-tuple cannot see


class Rows:
    """A CSV of flows: names of the counters, and for each flow (KEY) their values; empty ones are 0."""

    def __init__(self, names, flows): self.names, self.flows = names, flows

    def column(self, name):
        at = self.names.index(name)
        return {key: values[at] for key, values in self.flows.items()}

    def total(self, name): return sum(self.column(name).values())


def read_rows(path, names=None):
    """`names`: the counters wanted, if not all. REQUIRES: no two flows with the same KEY."""
    flows = {}
    with open(path, newline='') as file:
        reader = csv.reader(file)
        header = next(reader)
        names = names or header[len(KEY):]
        at = [header.index(name) for name in names]
        for row in reader:
            key = tuple(row[:len(KEY)])
            if key in flows: raise SystemExit(f'{path}: two flows {key}')
            flows[key] = tuple(int(row[i] or 0) for i in at)
    return Rows(names, flows)


def structural_of(kinds):
    """Of a segment sent again as two, the second begins where none began before; so does what starts inside an old
    segment or in a hole."""
    return kinds['resplit'] // 2 + kinds['overlapping'] + kinds['hole_and_overlap']


def generate(build, folder, name, packets):
    base = os.path.join(folder, name)
    command = [os.path.join(build, 'tools/traffic_gen/traffic_gen'), '--snaplen', '96', '--packets', str(packets),
               '-o', base + '.pcap', '--truth', base + '.json', '--truth-flows', base + '.csv']
    subprocess.run(command + COMMON.split() + SHAPES[name].split(), check=True)
    with open(base + '.json') as file: truth = json.load(file)
    return Trace(name, base + '.pcap', truth['frames'], structural_of(truth['kinds']), read_rows(base + '.csv'))


def records(path):
    """The records of a pcap from traffic_gen (little endian, ns), each as (time, bytes)."""
    with open(path, 'rb') as file: data = file.read()
    at = 24
    while at < len(data):
        seconds, fraction, captured = struct.unpack_from('<III', data, at)
        yield (seconds, fraction), data[at:at + 16 + captured]
        at += 16 + captured


def merge(folder, name, one, two):
    """REQUIRES: the two share no five-tuple."""
    path = os.path.join(folder, name + '.pcap')
    with open(one.path, 'rb') as file: header = file.read(24)
    with open(path, 'wb') as file:
        file.write(header)
        for _, record in heapq.merge(records(one.path), records(two.path), key=lambda r: r[0]): file.write(record)
    truth = Rows(one.truth.names, {**one.truth.flows, **two.truth.flows})
    return Trace(name, path, one.packets + two.packets, one.structural + two.structural, truth)


def make_all(build, folder, sizes):
    """`sizes`: packets of B, C, D and S by name. -> {name: Trace}"""
    made = {name: generate(build, folder, name, packets) for name, packets in sizes.items()}
    return {'A': merge(folder, 'A', made['B'], made['C']), **made}

#!/usr/bin/env python3
"""What an inline run gains: the throughput of TCP from one host to another, in network namespaces, with `coalesce -i`
between them, by both timeouts; beside the same program that joins nothing, the kernel's bridge, and the bridge with the
kernel's GRO at the receiving interface. Ways take turns; medians count, and only ratios of one run can be compared.

    bench/coalesce/inline.py [--smoke] [--rounds N] [--seconds S] [--connections 1,4,16,64] [--build FOLDER]
                             [--out FOLDER] [--raw FILE]

As root; iproute2; Python 3, stdlib only. All of it shares the cores of one machine: hosts, cables and what is between.
"""
import argparse, json, os, signal, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
sys.dont_write_bytecode = True
import hosts
from common import machine, markdown, raw, ready
from common.svg import COLORS, Canvas, Panel

NAME = 'bench/coalesce/inline.py'
WAYS = {'bridge': 'the kernel\'s bridge', 'plain': 'coalesce, nothing joined', 'batch': 'coalesce, batch',
        'no_push': 'coalesce, batch, --no-push', 'average': 'coalesce, average', 'gro': 'the bridge, GRO at the host'}
OPTIONS = {'plain': ['--threshold', '1K'], 'batch': [], 'no_push': ['--no-push'], 'average': ['--timeout', 'average']}
JOINING = 'batch', 'no_push', 'average'
SMOKE = dict(rounds=1, seconds=0.5, connections='1,4')
FULL = dict(rounds=5, seconds=3.0, connections='1,4,16,64')
FLOOD = [sys.executable, os.path.join(HERE, 'flood.py')]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--smoke', action='store_true', help='small values: does it run?')
    parser.add_argument('--rounds', type=ready.positive, help='turns of all ways')
    parser.add_argument('--seconds', type=float, help='that are measured of each')
    parser.add_argument('--connections', help='numbers of connections')
    parser.add_argument('--build', help='folder with warpmeter')
    parser.add_argument('--out', help='folder for the report and its picture')
    raw.option(parser)
    options = parser.parse_args()
    for name, value in (SMOKE if options.smoke else FULL).items():
        if getattr(options, name) is None: setattr(options, name, value)
    options.connections = [int(count) for count in options.connections.split(',')]
    return options


class Box:
    """What is between the hosts, while it is."""

    def __init__(self, options, way):
        self.way, self.program, self.stats = way, None, None
        if way in OPTIONS: self.start(options)
        else: hosts.bridge(['gro', 'rx'] if way == 'gro' else [])

    def start(self, options):
        self.stats = tempfile.NamedTemporaryFile(suffix='.json')
        command = [os.path.join(options.build, ready.PROGRAMS['warpmeter']), 'coalesce', '-i', 'in', '--to',
                   'tap:tap0@host', '--stats', self.stats.name, *OPTIONS[self.way]]
        self.program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.program.stderr.readline()
        if not line.startswith('warpmeter: forwarding'): raise ready.Trouble(line.strip() or 'coalesce has ended')
        hosts.address('host', 'tap0', hosts.HOST)

    def end(self):
        """-> packets joined on average; None: it does not tell"""
        if not self.program: return hosts.unbridge()
        self.program.send_signal(signal.SIGINT)
        said = self.program.communicate(timeout=30)[1]
        if self.program.returncode: raise ready.Trouble(said.strip().split('\n')[-1])
        with open(self.stats.name) as file: stats = json.load(file)
        return stats['packets_per_super_packet']


def throughput(connections, seconds):
    """-> Gbit/s of payload, from a second on after the begin"""
    receiver = subprocess.Popen(hosts.command_in('host', [*FLOOD, 'receive', hosts.HOST]), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
    port = receiver.stdout.readline().strip()
    send = [*FLOOD, 'send', hosts.HOST, port, str(connections), str(seconds + 2)]
    sender = subprocess.Popen(hosts.command_in('sender', send))

    def ask():
        receiver.stdin.write('?\n')
        receiver.stdin.flush()
        size, at = receiver.stdout.readline().split()
        return int(size), float(at)
    time.sleep(1)
    begin = ask()
    time.sleep(seconds)
    end = ask()
    sender.kill()
    sender.wait()
    receiver.stdin.close()
    receiver.wait(10)
    return (end[0] - begin[0]) * 8e-9 / (end[1] - begin[1])


def measure(options):
    """-> {(way, connections): [(Gbit/s, packets joined)]}"""
    found = {}
    for turn in range(options.rounds):
        ready.tell(f'turn {turn + 1} of {options.rounds}')
        for connections in options.connections:
            for way in WAYS:
                box = Box(options, way)
                try: rate = throughput(connections, options.seconds)
                finally: joined = box.end()
                found.setdefault((way, connections), []).append((rate, joined))
    return found


def tables(options, found):
    def rate(way, connections): return statistics.median(r for r, _ in found[way, connections])

    def row(words, value): return [words, *(value(connections) for connections in options.connections)]
    header = ['connections', *options.connections]
    rates = [row(f'{words}, Gbit/s', lambda c: f'{rate(way, c):.2f}') for way, words in WAYS.items()]
    ratios = [row(f'{WAYS[way]}, to {WAYS[other]}', lambda c: f'{rate(way, c) / rate(other, c):.2f}')
              for way in JOINING for other in ('plain', 'bridge', 'gro')]
    joined = [row(f'{WAYS[way]}: packets joined', lambda c: f'{statistics.median(j for _, j in found[way, c]):.1f}')
              for way in JOINING]
    return [*markdown.table(header, rates), *markdown.table(header, ratios), *markdown.table(header, joined)]


def picture(options, found):
    """As Figure 13 of the paper: throughput by the number of connections."""
    canvas = Canvas(1060, 470, 'Throughput by number of connections')
    points = {way: [(c, statistics.median(r for r, _ in found[way, c])) for c in options.connections] for way in WAYS}
    top = 1.15 * max(y for curve in points.values() for _, y in curve)
    low, high = min(options.connections), max(options.connections)
    panel = Panel(canvas, (80, 80, 940, 320), (low * 0.9, max(high, low + 1) * 1.1), top)
    panel.y_axis([top * i / 5 for i in range(6)], '{:.1f}'.format, 'Gbit/s')
    panel.x_axis([(c, str(c)) for c in options.connections], 'connections')
    at = 20
    for (way, curve), color in zip(points.items(), COLORS):
        panel.curve(curve, color)
        at = canvas.swatch(at, 56, color, WAYS[way])
    return canvas


def main():
    options = parse()
    if options.out: ready.place(options.out)
    ready.build(options, ['warpmeter'])
    options.build = os.path.abspath(options.build)
    ready.takes(options.rounds * len(WAYS) * len(options.connections) * (options.seconds + 2))
    hosts.enter()
    found = measure(options)
    report = tables(options, found)
    print('\n'.join(report))
    raw.save(options.raw, [{'way': way, 'connections': connections, 'rates': [r for r, _ in turns],
                            'joined': [j for _, j in turns]} for (way, connections), turns in found.items()])
    if not options.out: return
    markdown.save(os.path.join(options.out, 'inline.md'), [
        '# Throughput with an inline run', '', *markdown.paragraph(
            f'{machine.describe()}; {options.rounds} turns, {options.seconds:g} s each; medians. {NAME}.'), *report,
        '![Throughput by number of connections](inline.svg)'])
    picture(options, found).save(os.path.join(options.out, 'inline.svg'))


if __name__ == '__main__': ready.start(NAME, main)

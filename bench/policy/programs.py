"""Whole programs: what a policy adds to metering, beside streams that somebody drops and beside others who tell
protocols. All on one core, from a file in the page cache, to nowhere."""
import json, os, shutil, subprocess

import talks
from common import ready
from stream_costs import rounds
from stream_costs.contender import Contender, told

EXTRACT, STOCK, DROPPED = 'extract', 'extract --policy stock', 'streams, dropped'
NDPI = 'ndpiReader'
START = 'no packets'


def ours(build):
    program = os.path.join(build, ready.PROGRAMS['warpmeter'])
    def command(*words):
        return lambda capture, _: [program, *words, '-q', '--threads', '1', '-o', '/dev/null', capture.path]
    dropper = os.path.join(build, ready.PROGRAMS['stream_bench'])
    return [Contender(EXTRACT, command('extract', '--format', 'csv')),
            Contender(STOCK, command('extract', '--format', 'csv', '--policy', 'stock')),
            Contender('reassemble --payload none', command('reassemble', '--format', 'json', '--payload', 'none')),
            Contender(DROPPED, lambda capture, _: [dropper, '--threads', '1', capture.path], told)]


OTHERS = {
    NDPI: lambda capture, _: ['ndpiReader', '-q', '-i', capture.path],
    'suricata': lambda capture, folder: ['suricata', '-r', capture.path, '-l', folder, '-k', 'none', '--runmode',
                                         'single'],
    'zeek': lambda capture, folder: ['sh', '-c', 'cd "$1" && exec zeek -C -r "$2"', 'sh', folder, capture.path],
}


def others():
    """-> [Contender], names of those that are not here"""
    here = [name for name in OTHERS if shutil.which(name)]
    return [Contender(name, OTHERS[name]) for name in here], [name for name in OTHERS if name not in here]


def given(build, path):
    """A capture of which nothing is known."""
    if not os.path.exists(path): raise ready.Trouble(f'--capture {path}: no such file')
    done = subprocess.run([os.path.join(build, ready.PROGRAMS['stream_bench']), path], check=True, capture_output=True,
                          text=True)
    said = json.loads(done.stdout)
    return talks.Capture(os.path.abspath(path), said['packets'], said['payload_bytes'])


def labelled(build, capture, folder):
    """-> share of the Flow Records that have a label"""
    out = os.path.join(folder, 'labelled.csv')
    subprocess.run([os.path.join(build, ready.PROGRAMS['warpmeter']), 'extract', '-q', '--policy', 'stock', '-o', out,
                    capture.path], check=True, capture_output=True, text=True)
    with open(out) as file:
        place = file.readline().rstrip('\n').split(',').index('labels')
        have = [bool(line.rstrip('\n').split(',')[place]) for line in file]
    os.remove(out)
    return sum(have) / max(len(have), 1)


def measure(options, folder):
    """-> {capture: {name: Result}}, {capture: share labelled}, who is not here. The first capture has no packets: what
    a program takes before it comes to these, such as to compile patterns."""
    captures = {START: talks.write(os.path.join(folder, 'start.pcap'), 0),
                'generated': talks.write(os.path.join(folder, 'talks.pcap'), options.packets)}
    if options.capture: captures['given'] = given(options.build, options.capture)
    peers, missing = others()
    contenders = [*ours(options.build), *peers]
    found = {}
    for name, capture in captures.items():
        entries = {one.name: (one, capture) for one in contenders}
        found[name] = rounds.compete(entries, options.rounds, folder, options.least)
    return found, {name: labelled(options.build, captures[name], folder) for name in captures if name != START}, missing

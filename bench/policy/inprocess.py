"""What policy_bench measured: medians of its rounds, and what follows from them."""
import json, os, statistics, subprocess
from collections import defaultdict, namedtuple

from common import ready

HEADERS = 54    # of Ethernet, IPv4, TCP
KINDS = ('payload', 'stream')

Shape = namedtuple('Shape', 'kind way groups patterns threads', defaults=(1,))
NOTHING = Shape('payload', 'fused', 0, 0)

# Above, below, at least: of packets a second.
Goal = namedtuple('Goal', 'words above below least')


def chain(kind, way, groups): return Shape(kind, 'fused' if groups == 1 else way, groups, 100)
def single(kind, hundreds): return Shape(kind, 'fused', 1, 100 * hundreds)


GOALS = [Goal(f'{kind}: {words}', above(kind), below(kind), least) for kind in KINDS for words, above, below, least in (
    ('400 patterns / 100', lambda k: single(k, 4), lambda k: single(k, 1), 0.85),
    ('4 x 100 fused / 400', lambda k: chain(k, 'fused', 4), lambda k: single(k, 4), 0.8),
    ('4 x 100 apart / 400', lambda k: chain(k, 'apart', 4), lambda k: single(k, 4), 0.22))]


class Point:
    """Of one shape and one size of payload: medians."""
    def __init__(self, lines):
        middle = lambda value: statistics.median(map(value, lines))
        first = lines[0]
        self.frame = first['payload'] + HEADERS
        self.packets_a_second = middle(lambda m: m['packets'] / m['cpu_seconds'])
        self.rounds_a_second = middle(lambda m: m['rounds'] / m['cpu_seconds'])
        self.gigabits = self.packets_a_second * self.frame * 8 / 1e9
        self.payload_gigabits = self.packets_a_second * first['payload'] * 8 / 1e9
        self.nanoseconds = 1e9 / self.packets_a_second
        self.median_us, self.p99_us = middle(lambda m: m['median_us']), middle(lambda m: m['p99_us'])
        self.hits = {m['hits_a_pass'] for m in lines}
        self.wrong = any(m['rounds'] != m['packets'] * m['groups'] for m in lines if m['way'] != 'scan')


def measure(build, arguments):
    """-> lines of policy_bench"""
    program = os.path.join(build, ready.PROGRAMS['policy_bench'])
    done = subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def points(lines):
    """-> {Shape: {bytes of payload: Point}}"""
    found = defaultdict(lambda: defaultdict(list))
    for m in lines: found[Shape(m['kind'], m['way'], m['groups'], m['patterns'], m['threads'])][m['payload']].append(m)
    return {shape: {size: Point(of) for size, of in sizes.items()} for shape, sizes in found.items()}


def has(found, *shapes): return all(shape in found for shape in shapes)


def ratio(found, above, below, size):
    return found[above][size].packets_a_second / found[below][size].packets_a_second


def missed(found):
    """Goals that are not met, in words."""
    for goal in GOALS:
        if not has(found, goal.above, goal.below): continue
        low = [f'{ratio(found, goal.above, goal.below, size):.2f} at {point.frame}'
               for size, point in found[goal.above].items() if ratio(found, goal.above, goal.below, size) < goal.least]
        if low: yield f'{goal.words}: {", ".join(low)} (at least {goal.least})'


def broken(found):
    """What must not be: packets that missed a round, and chains that find other things fused than apart."""
    for shape, sizes in found.items():
        for size, point in sizes.items():
            if point.wrong: yield f'{words(shape)}, {size} bytes: not every packet went through all groups'
            if len(point.hits) > 1: yield f'{words(shape)}, {size} bytes: hits differ from round to round'
            apart = shape._replace(way='apart')
            if shape.way == 'fused' and apart in found and found[apart][size].hits != point.hits:
                yield f'{words(shape)}, {size} bytes: other hits than with a scan for each group'


def words(shape):
    if shape == NOTHING: return 'no group'
    patterns = f'{shape.groups} x {shape.patterns}' if shape.groups > 1 else f'{shape.patterns}'
    how = {'scan': ', scan alone', 'apart': ', apart', 'fused': ', fused' if shape.groups > 1 else ''}[shape.way]
    return f'{shape.kind}, {patterns}{how}' + (f', {shape.threads} threads' if shape.threads > 1 else '')

"""What the paper's Figures 12 to 16 show of its processor, of this program: throughput, latency and rounds a second,
for chains of 1 to 8 groups."""
import math

import inprocess
from common.svg import COLORS, Canvas, Panel

WIDTH, HEIGHT, GAP = 380, 300, 90
NAMES = {'throughput-apart.svg': 'Throughput by frame size, a scan for each group',
         'throughput-fused.svg': 'Throughput by frame size, one scan for a chain',
         'latency.svg': 'Latency of a batch by rounds', 'rounds.svg': 'Rounds a second by frame size',
         'fused-apart.svg': 'A chain fused, apart, and its patterns in one group'}


def ticks(top):
    """Four to eight round numbers from 0."""
    step = 10 ** math.floor(math.log10(top / 4))
    step = next(step * digit for digit in (1, 2, 5, 10) if top / (step * digit) <= 8)
    return [step * i for i in range(int(top / step) + 1)]


def panels(title, curves, y_title, x_title):
    """`curves`: {panel: {label: [(x, y)]}}; both panels have the same axes."""
    canvas = Canvas(2 * (WIDTH + GAP) + 20, HEIGHT + 190, title)
    labels = list(dict.fromkeys(label for of in curves.values() for label in of))
    color_of = {label: COLORS[i % len(COLORS)] for i, label in enumerate(labels)}
    at = 20
    for label in labels: at = canvas.swatch(at, 56, color_of[label], label)
    every = [point for of in curves.values() for points in of.values() for point in points]
    xs, top = sorted({x for x, _ in every}), 1.1 * max(y for _, y in every)
    for place, (name, of) in enumerate(curves.items()):
        panel = Panel(canvas, (80 + place * (WIDTH + GAP), 110, WIDTH, HEIGHT), (xs[0], max(xs[-1], xs[0] * 1.01)), top)
        canvas.text(panel.left, 96, f'{name} patterns', weight='bold')
        panel.y_axis(ticks(top), '{:g}'.format, y_title)
        panel.x_axis([(x, str(x)) for x in xs], x_title)
        for label, points in of.items(): panel.curve(points, color_of[label])
    return canvas


def groups_of(found): return sorted({shape.groups for shape in found if shape.groups and shape.way != 'scan'})


def by_size(found, ways, value):
    curves = {}
    for kind in inprocess.KINDS:
        of = curves[kind] = {}
        for groups in groups_of(found):
            shape = inprocess.chain(kind, ways, groups)
            label = f'{groups} round' + 's' * (groups > 1)
            of[label] = [(point.frame, value(point)) for point in found[shape].values()]
    return curves


def by_rounds(found, value):
    """Of the smallest and the largest frame."""
    sizes = list(next(iter(found.values())))
    curves = {}
    for kind in inprocess.KINDS:
        of = curves[kind] = {}
        for size in dict.fromkeys((sizes[0], sizes[-1])):
            frame = f'{size + inprocess.HEADERS} bytes'
            for way in ('fused', 'apart'):
                of[f'{way}, {frame}'] = [(groups, value(found[inprocess.chain(kind, way, groups)][size]))
                                         for groups in groups_of(found)]
            of[f'one group, {frame}'] = [(shape.patterns // 100, value(found[shape][size])) for shape in found
                                         if shape == inprocess.single(kind, shape.patterns // 100)]
    return curves


def draw(found):
    """-> {name: Canvas}"""
    frames, rounds = 'bytes of a frame', 'rounds of 100 patterns'
    gigabits = lambda point: point.gigabits
    made = [(by_size(found, 'apart', gigabits), 'Gbit/s of frames', frames),
            (by_size(found, 'fused', gigabits), 'Gbit/s of frames', frames),
            (by_rounds(found, lambda point: point.median_us), 'us, 1,024 packets, median', rounds),
            (by_size(found, 'apart', lambda point: point.rounds_a_second / 1e6), 'million rounds/s', frames),
            (by_rounds(found, lambda point: point.packets_a_second / 1e6), 'million packets/s', rounds)]
    return {name: panels(f'{words} (as in Fig. {12 + i})', *given)
            for i, ((name, words), given) in enumerate(zip(NAMES.items(), made))}

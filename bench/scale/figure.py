"""Small multiples: for each series, ns a packet, on a logarithmic axis of what changes."""
import math

from common.svg import COLORS, Canvas, Panel
from tables import ns_a_packet

WIDTH, HEIGHT, ACROSS = 400, 250, 2


def short(count):
    for size, unit in ((10 ** 6, ' M'), (10 ** 3, ' k')):
        if count >= size: return f'{count / size:g}{unit}'
    return str(count)


def ticks(top):
    """Four to eight round numbers from 0."""
    step = 10 ** math.floor(math.log10(top / 4))
    step = next(step * digit for digit in (1, 2, 5, 10) if top / (step * digit) <= 8)
    return [step * i for i in range(int(top / step) + 1)]


def draw(series):
    """`series`: {Series: [Measured]}"""
    series = {s: points for s, found in series.items() if len(points := [m for m in found if m.done]) > 1}
    canvas = Canvas(20 + (WIDTH + 70) * ACROSS, 60 + (HEIGHT + 90) * math.ceil(len(series) / ACROSS),
                    'ns a packet as the work grows')
    for place, (one, found) in enumerate(series.items()):
        box = (80 + (WIDTH + 70) * (place % ACROSS), 66 + (HEIGHT + 90) * (place // ACROSS), WIDTH - 20, HEIGHT)
        xs, top = [m.point.x for m in found], 1.15 * max(map(ns_a_packet, found))
        panel = Panel(canvas, box, (min(xs), max(xs)), top)
        panel.y_axis(ticks(top), '{:g}'.format, 'ns a packet')
        panel.x_axis([(x, short(x)) for x in xs], one.axis)
        panel.curve([(m.point.x, ns_a_packet(m)) for m in found], COLORS[0])
    return canvas

"""Packets a second of all candidates, for each shape, on a logarithmic axis."""
import math

from common import timing
from common.svg import COLORS, FAINT, GRID, Canvas

LEFT, WIDTH, ROW = 230, 500, 24
COLOR_OF = {'warpmeter': COLORS[0], **{f'floor {what}': '#b9bdc2' for what in ('walk', 'read', 'count')}}


def decades(values): return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def text_of(power):
    unit, size = next((u, s) for u, s in (('G', 9), ('M', 6), ('k', 3), ('', 0)) if power >= s or s == 0)
    return f'{10 ** (power - size)} {unit}'.strip()


def draw_axis(canvas, top, bottom, powers, x):
    for power in powers:
        canvas.line([(x(10 ** power), top), (x(10 ** power), bottom)], GRID)
        canvas.text(x(10 ** power), bottom + 16, text_of(power), anchor='middle', color=FAINT)


def draw(contests):
    """`contests`: [(Shape, [Result])]"""
    speeds = [(shape, [(r, shape.capture.packets / timing.median(r.runs)) for r in results if r.done])
              for shape, results in contests]
    values = [speed for _, bars in speeds for _, speed in bars]
    canvas = Canvas(820, 80 + sum(70 + ROW * len(bars) for _, bars in speeds), 'Packets a second, logarithmic')
    if not values: return canvas
    powers, y = decades(values), 56
    x = lambda value: LEFT + WIDTH * (math.log10(value) - powers[0]) / max(1, powers[-1] - powers[0])
    for shape, bars in speeds:
        canvas.text(20, y, f'{shape.name}: {shape.words}', weight='bold')
        draw_axis(canvas, y + 8, y + 14 + ROW * len(bars), powers, x)
        for row, (result, speed) in enumerate(bars):
            at = y + 14 + ROW * row
            canvas.text(LEFT - 8, at + 12, result.candidate.name, anchor='end')
            canvas.rect(LEFT, at, max(1, x(speed) - LEFT), ROW - 8, COLOR_OF.get(result.candidate.peer, COLORS[1]))
            canvas.text(x(speed) + 6, at + 12, f'{speed / 1e6:.3g} M')
        y += 70 + ROW * len(bars)
    return canvas

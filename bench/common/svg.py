"""Plots as SVG text: a Canvas to draw on, a Panel with axes for curves, bars for shares and for single figures."""
import math
from xml.sax.saxutils import escape

COLORS = ['#3b6fb6', '#e08a2c', '#4c9a5b', '#b8484e', '#8467ab', '#8a6a55', '#d077ad', '#7f8488']
INK, FAINT, GRID = '#222222', '#666666', '#e4e4e4'


class Canvas:
    def __init__(self, width, height, title):
        self.width, self.height, self.parts = width, height, []
        self.rect(0, 0, width, height, 'white')
        self.text(20, 28, title, size=16, weight='bold')

    def text(self, x, y, words, size=12, anchor='start', color=INK, weight='normal', turn=0):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ''
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
                          f'font-weight="{weight}"{turned}>{escape(words)}</text>')

    def rect(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>')

    def line(self, points, color=INK, width=1.0, dash=''):
        path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}" '
                          f'stroke-dasharray="{dash}" stroke-linejoin="round"/>')

    def dot(self, x, y, color, radius=3.5, hollow=False):
        fill, edge = ('white', color) if hollow else (color, 'white')
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{edge}" '
                          f'stroke-width="{2 if hollow else 1}"/>')

    def swatch(self, x, y, color, words):
        """A legend entry. -> where the next one may begin"""
        self.rect(x, y - 9, 11, 11, color)
        self.text(x + 16, y, words)
        return x + 16 + 6.9 * len(words) + 14

    def save(self, path):
        with open(path, 'w') as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                       f'width="{self.width}" height="{self.height}" font-family="Helvetica, Arial, sans-serif">\n')
            file.write('\n'.join(self.parts) + '\n</svg>\n')


class Panel:
    """Axes over a rectangle of a canvas: x logarithmic, y linear from 0."""

    def __init__(self, canvas, box, x_range, y_top):
        self.canvas, (self.left, self.top, self.width, self.height) = canvas, box
        self.low, self.high = (math.log(x) for x in x_range)
        self.y_top = y_top

    def x(self, value): return self.left + self.width * (math.log(value) - self.low) / (self.high - self.low)
    def y(self, value): return self.top + self.height * (1 - value / self.y_top)

    def y_axis(self, ticks, tell, title):
        for value in ticks:
            self.canvas.line([(self.left, self.y(value)), (self.left + self.width, self.y(value))], GRID)
            self.canvas.text(self.left - 8, self.y(value) + 4, tell(value), anchor='end', color=FAINT)
        self.canvas.text(self.left - 52, self.top + self.height / 2, title, anchor='middle', turn=-90)

    def x_axis(self, ticks, title, above=False):
        """`ticks`: [(value, label)]"""
        edge, step = (self.top, -1) if above else (self.top + self.height, 1)
        self.canvas.line([(self.left, edge), (self.left + self.width, edge)], FAINT)
        for value, label in ticks:
            self.canvas.line([(self.x(value), edge), (self.x(value), edge + 5 * step)], FAINT)
            self.canvas.text(self.x(value), edge + (18 if step > 0 else -9), label, anchor='middle', color=FAINT)
        self.canvas.text(self.left + self.width / 2, edge + (38 if step > 0 else -28), title, anchor='middle')

    def level(self, value, color, dash=''):
        self.canvas.line([(self.left, self.y(value)), (self.left + self.width, self.y(value))], color, 2, dash)

    def curve(self, points, color):
        """What lies above the panel is cut off."""
        name = f'panel-{self.left:.0f}-{self.top:.0f}'
        self.canvas.parts.append(f'<clipPath id="{name}"><rect x="{self.left}" y="{self.top}" width="{self.width}" '
                                 f'height="{self.height}"/></clipPath><g clip-path="url(#{name})">')
        self.canvas.line([(self.x(x), self.y(y)) for x, y in points], color, 2)
        self.canvas.parts.append('</g>')
        for x, y in points:
            if y <= self.y_top: self.canvas.dot(self.x(x), self.y(y), color)


def share_bars(title, bars, note):
    """`bars`: {label: {part: amount}}: each a bar of 100 %."""
    canvas = Canvas(820, 120 + 46 * len(bars), title)
    parts = list(dict.fromkeys(part for amounts in bars.values() for part in amounts))
    at = 20
    for part, color in zip(parts, COLORS): at = canvas.swatch(at, 56, color, part)
    for row, (label, amounts) in enumerate(bars.items()):
        x, y, whole = 170, 76 + 46 * row, sum(amounts.values()) or 1
        canvas.text(160, y + 20, label, anchor='end')
        for part, color in zip(parts, COLORS):
            share = amounts.get(part, 0) / whole
            canvas.rect(x, y, share * 620, 30, color)
            if share > 0.06: canvas.text(x + share * 310, y + 20, f'{share:.0%}', anchor='middle', color='white')
            x += share * 620
    canvas.text(20, 100 + 46 * len(bars), note, color=FAINT)
    return canvas


def value_bars(title, bars, unit, note):
    """`bars`: [(label, value, color)]"""
    canvas = Canvas(820, 80 + 34 * len(bars), title)
    scale = 400 / max(value for _, value, _ in bars)
    for row, (label, value, color) in enumerate(bars):
        y = 48 + 34 * row
        canvas.text(290, y + 16, label, anchor='end')
        canvas.rect(300, y, value * scale, 22, color)
        canvas.text(308 + value * scale, y + 16, f'{value:.2f} {unit}' if value >= 0.1 else f'{value:.3f} {unit}')
    canvas.text(20, 66 + 34 * len(bars), note, color=FAINT)
    return canvas

"""Puts the tables and the words between them together, and every single time into raw.json."""
import json, os

import figure, tables
from common import capture, command_line, machine, markdown
from common.markdown import paragraph


def one_series(series, found):
    sizes = ', '.join(dict.fromkeys(f'{capture.mean_captured(m.point.made):.0f}' for m in found))
    lines = [f'## {series.name}', '', *paragraph(f'''
        Changes: {series.axis}; {series.words}. {found[0].point.made.packets:,} packets
        {"at the first point" if series.name == "packets" else "at every point"}, {sizes} bytes captured of each
        on average.'''), *tables.costs(found)]
    if series.name == 'live':
        lines += paragraph('Memory of a live flow, through a pipe:')
        lines += tables.memory(found)
    return lines


def raw(measured):
    return {'machine': machine.describe(), 'series': {series.name: [{
        'point': m.point.label, 'x': m.point.x, 'packets': m.point.made.packets, 'bytes': m.point.made.size,
        'planted flows': m.point.made.truth['flows'], 'alive at once': m.point.alive, 'threads': m.point.threads,
        'error': m.error, 'runs': [run._asdict() for run in m.runs], 'stats': m.said,
        'piped': m.piped._asdict() if m.piped else None} for m in found] for series, found in measured.items()}}


def write(measured, rounds, broken, out):
    os.makedirs(out, exist_ok=True)
    lines = ['# What metering costs as the work grows', '', *paragraph(f'''
        {machine.describe()}. `warpmeter extract` on the CPU to CSV on /dev/null, all threads unless said; warm page
        cache, medians of {rounds}. "alive at once" is computed from what was generated: flows of connections that go
        on, and those whose last packet was less than the idle timeout (300 s) ago. "states held at most" is what
        warpmeter says: idle flows leave its tables only when room is needed. "Piped": the capture
        through a pipe.'''),
        *paragraph(f'Counters against the planted truth: {"; ".join(broken) or "all equal"}.'),
        f'Made by `{command_line.typed("bench/scale/run")}`.', '', '![ns a packet](scale.svg)', '']
    for series, found in measured.items(): lines += one_series(series, found)
    markdown.save(os.path.join(out, 'report.md'), lines)
    figure.draw(measured).save(os.path.join(out, 'scale.svg'))
    with open(os.path.join(out, 'raw.json'), 'w') as file: json.dump(raw(measured), file, indent=1)

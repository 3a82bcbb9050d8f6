"""Tables and the words between them; raw.json has every single measurement."""
import json, os

import figures, inprocess, programs
from common import command_line, machine, markdown
from common.markdown import paragraph, table
from stream_costs import rounds

FRAME = 'bytes of a frame'


def sizes_of(found): return list(next(iter(found.values())))
def frames_of(found): return [point.frame for point in next(iter(found.values())).values()]


def goals(found):
    rows = []
    for goal in inprocess.GOALS:
        if not inprocess.has(found, goal.above, goal.below): continue
        pairs = [(goal.words, goal.above, goal.below, f'>= {goal.least}')]
        alone = [shape._replace(way='scan') for shape in (goal.above, goal.below)]
        if goal.above.way == 'apart' or goal.above.groups == 1: pairs.append((f'{goal.words}, scans alone', *alone, ''))
        rows += [[words, least, *(f'{inprocess.ratio(found, above, below, size):.2f}' for size in sizes_of(found))]
                 for words, above, below, least in pairs if inprocess.has(found, above, below)]
    return table([FRAME, 'goal', *frames_of(found)], rows)


def values(found, cell, keep=lambda shape: True):
    rows = [[inprocess.words(shape), *(cell(point) for point in sizes.values())]
            for shape, sizes in found.items() if keep(shape)]
    return table([FRAME, *frames_of(found)], rows)


def in_process(found):
    lines = ['## In process', '', *paragraph('''
        TCP in order, 1,024 connections, batches of 1,024 packets, payload half text and half as if encrypted, in the
        cache. Patterns are literals with classes and bounded repeats; few packets match. "4 x 100": a chain of four
        groups of 100 patterns, "fused" by one scan, "apart" with one for each group; "scan alone": the same patterns
        without connections, rules and rounds. CPU time, medians. Ratios are of packets a second.'''), *goals(found)]
    few = list(inprocess.missed(found))
    if few: lines += paragraph('Goals not met: ' + '; '.join(few) + '.')
    lines += [f'![{words}]({name})' for name, words in figures.NAMES.items()] + ['']
    is_rounds = lambda shape: shape.way != 'scan' and shape.groups > 0
    for title, cell, keep in (
            ('ns a packet', lambda p: f'{p.nanoseconds:.0f}', lambda _: True),
            ('Gbit/s of frames', lambda p: f'{p.gigabits:.2f}', lambda _: True),
            ('Gbit/s of payload', lambda p: f'{p.payload_gigabits:.2f}', lambda _: True),
            ('Million rounds a second', lambda p: f'{p.rounds_a_second / 1e6:.2f}', is_rounds),
            ('Latency of a batch, us: median (99 %), on the clock', lambda p: f'{p.median_us:.0f} ({p.p99_us:.0f})',
             is_rounds)):
        lines += [f'### {title}', '', *values(found, cell, keep)]
    return lines


def of_capture(name, results, start, share):
    """`start`: results of a capture without packets, which are taken off."""
    capture = results[programs.EXTRACT].capture
    net = {one: max(r.least - start[one].least, 0) for one, r in results.items() if r.cpu and start[one].cpu}
    dropped, plain, stock = (net.get(one) or 1e-9 for one in (programs.DROPPED, programs.EXTRACT, programs.STOCK))
    rows = [[one, r.error or '-', '-', '-', '-'] if one not in net else
            [one, f'{r.least:.3f} ({r.median:.3f})', f'{start[one].least:.3f}',
             f'{net[one] * 1e9 / capture.packets:.0f}', f'{net[one] / dropped:.2f}'] for one, r in results.items()]
    lines = [f'### {name}: {capture.packets:,} packets, {capture.payload_bytes / 1e6:.0f} MB of payload', '',
             *table(['', 'CPU, s', 'without packets', 'ns a packet', 'of streams, dropped'], rows)]
    lines += paragraph(f"""Without what they take to begin, `{programs.STOCK}` takes {stock / dropped:.2f} times what
        dropping streams takes (goal: at most 1.5); what it takes beyond `extract` is {(stock - plain) / dropped:.2f}
        times that. Flow Records with a label: {share:.0%}.""")
    if programs.NDPI in net:
        lines += paragraph(f'ndpiReader takes {net[programs.NDPI] / stock:.2f} times as much (goal: at least 2).')
    return lines


def of_programs(measured, labelled, missing):
    lines = ['## Whole programs', '', *paragraph("""CPU seconds of a run on one core, to /dev/null, capture in the page
        cache: least (median). "Without packets" is what a program takes before it comes to packets, such as to compile
        patterns; it is taken off in what stands right of it. "Streams, dropped": bench/stream_costs, which puts streams
        together and gives them to a callback that drops them.""")]
    for name, share in labelled.items(): lines += of_capture(name, measured[name], measured[programs.START], share)
    if missing: lines += paragraph(f'Not on PATH, and so left out: {", ".join(missing)}.')
    return lines


def write(lines_of_bench, measured, labelled, missing, options, notes):
    found = inprocess.points(lines_of_bench)
    broken = [*inprocess.broken(found), *(f'{capture}: {one}: {r.error}' for capture, results in measured.items()
                                          for one, r in results.items() if r.error)]
    text = ['# Policies in rounds', '', *paragraph(f'''{machine.describe()}; rounds: {options.rounds}. Made by
        `{command_line.typed("bench/policy/run")}`.'''), *(line for note in notes for line in paragraph(note)),
        *in_process(found)]
    if measured: text += of_programs(measured, labelled, missing)
    if broken: text += paragraph('What must not be: ' + '; '.join(broken) + '.')
    markdown.save(os.path.join(options.out, 'report.md'), text)
    for name, canvas in figures.draw(found).items(): canvas.save(os.path.join(options.out, name))
    with open(os.path.join(options.out, 'raw.json'), 'w') as file:
        json.dump({'machine': machine.describe(), 'in process': lines_of_bench,
                   'programs': {name: rounds.raw(results) for name, results in measured.items()},
                   'labelled': labelled}, file, indent=1)
        file.write('\n')
    return broken

"""Puts the tables and the words between them together, and every single time into raw.json."""
import json, os

import figure, tables
from common import capture, command_line, machine, markdown
from common.markdown import paragraph
from shape import two_way_connections


def versions(results):
    rows = {}
    for result in results:
        candidate = result.candidate
        if candidate.peer.startswith('floor') or candidate.peer in rows: continue
        rows[candidate.peer] = candidate.version() if candidate.installed() else '**not installed**'
    return markdown.table(['program', 'version'], rows.items())


def one_shape(shape, results):
    c = shape.capture
    return [f'## {shape.name}: {shape.words}', '', *paragraph(f'''
        {c.packets:,} packets, {c.size / 1e9:.3f} GB, {capture.mean_captured(c):.0f} bytes captured of each on average,
        {two_way_connections(shape):,} two-way connections in {shape.seconds:.1f} s of packet time, {shape.flows:,}
        flows of one direction; {shape.tcp_packets:,} packets are TCP.'''),
        *tables.speeds(shape, results), *paragraph(f'''
        Through a pipe, warpmeter's peak is {shape.piped_peak / 1e6:.0f} MB.'''),
        '### What they read', '', *tables.counts(shape, results),
        '### Retransmissions', '', *tables.accuracy(shape, results)]


def accuracy_notes():
    """From the manuals of the programs; the table after it shows it."""
    return ['## What they take for a retransmission', '', *paragraph('''
        The planted truth counts a TCP segment of data with at least one byte sent before; SYN and FIN without data,
        copies by a mirror port, late segments that fill a hole, and keep-alives are none.'''),
        '* **argus**: ra(1) calls sloss and dloss "pkts retransmitted or dropped", so that gaps in the sequence '
        'numbers count, too; sretrans and dretrans "pkts retransmitted".',
        '* **tshark**: a segment with data, SYN or FIN whose sequence number is below the next expected one, if it is '
        'no keep-alive and does not come so soon that it is called out of order (Wireshark User\'s Guide, "TCP '
        'Analysis"). Fast and spurious retransmissions are kinds of it.',
        '* **tcptrace**: "rexmt data pkts" are packets of data found to be retransmissions; what has the same IP id as '
        'the packet before is a "hardware dup".',
        '* **nfpcapd, softflowd, pmacctd**, and tshark\'s conversations tell none.', '', *paragraph('''
        Captures with one kind of trouble each:''')]


def notes(results):
    said = list(dict.fromkeys(' '.join(r.candidate.note.split()) for r in results if r.candidate.note))
    least = max((run.least for r in results for run in r.runs), default=0)
    return ['## Notes', '', *(f'* {note}' for note in said), 
        f'* Peak: of the largest process; {least / 1e6:.0f} MB is the least that can be measured.',
        '* What programs write goes to files in the temporary folder; only warpmeter\'s CSV goes to /dev/null, in the '
        'row that says so also to a file.',
        '* yaf is not here: Debian has no package of it.', '']


def raw(contests, kinds):
    shapes = {}
    for shape, results in contests:
        shapes[shape.name] = {
            'capture': {'packets': shape.capture.packets, 'bytes': shape.capture.size, 'truth': shape.capture.truth},
            'candidates': {r.candidate.name: {
                'error': r.error, 'runs': [run._asdict() for run in r.runs], 'seconds for 1,000 packets': r.fixed,
                'counts': r.counts._asdict() if r.counts else None} for r in results}}
    troubles = {kind.name: {'planted': kind.truth, 'found': {', '.join(key): n for key, n in kind.found.items()}}
                for kind in kinds}
    return {'machine': machine.describe(), 'shapes': shapes, 'one kind of trouble': troubles}


def write(contests, kinds, rounds, out):
    os.makedirs(out, exist_ok=True)
    everybody = contests[0][1]
    lines = ['# warpmeter and its peers', '', *paragraph(f'''
        {machine.describe()}. Warm page cache, candidates take turns, medians of {rounds} rounds, of slow peers of
        fewer. Only figures of one table can be compared. "warpmeter's" is that with all threads and its CSV to
        /dev/null: 2 means that warpmeter meters twice as many packets a second. The last column is what a capture of
        next to nothing takes: waiting and starting.'''), f'Made by `{command_line.typed("bench/peers/run")}`.', '',
        *versions(everybody), '![Packets a second](packets-per-second.svg)', '']
    for shape, results in contests: lines += one_shape(shape, results)
    lines += accuracy_notes() + tables.troubles(kinds) + notes(everybody)
    markdown.save(os.path.join(out, 'report.md'), lines)
    figure.draw(contests).save(os.path.join(out, 'packets-per-second.svg'))
    with open(os.path.join(out, 'raw.json'), 'w') as file: json.dump(raw(contests, kinds), file, indent=1)

"""The tables of the report, as lines of Markdown: each measured figure beside the published one."""
import published
from common.markdown import table
from figures import cores_at_published_speed

NAMES = 'ABCD'


def percent(part, whole, digits=2): return f'{100 * part / whole:.{digits}f} %' if whole else '-'
def number(value): return 'not told' if value is None else f'{value:,}'


def small_percent(part, whole):
    if part == 0 or whole == 0: return '0 %' if part == 0 else '-'
    return f'{100 * part / whole:.2g} %' if part < whole else f'{100 * part / whole:.0f} %'


def traces(made):
    rows = []
    for name in NAMES:
        truth = made[name].truth
        tcp = sum(v[truth.names.index('packets')] for key, v in truth.flows.items() if key[4] == '6')
        again, data = truth.total('retransmitted_segments'), truth.total('data_segments')
        counts = (made[name].packets, tcp, data, truth.total('duplicate_packets'), again)
        rows.append([f'**{name}**', *map(number, counts), percent(again, data),
                     percent(made[name].structural, again)])
        theirs = published.TRACES[name]
        rows.append(['published', *map(number, theirs), percent(theirs.retransmissions, theirs.data),
                     percent(published.STRUCTURAL, 1) if name == 'D' else 'not told'])
    return table(['trace', 'packets', 'TCP segments', 'data segments', 'mirror duplicates', 'retransmissions',
                  '/ data segments', 'structural / retransmissions'], rows)


def accuracy(compared, kind, published_counts, cell):
    """One row for what was published, one for each method. `compared`: {method: {trace: Comparison}}"""
    rows = [['published'] + [cell(published_counts[name]) for name in NAMES]]
    for method, traces_ in compared.items():
        rows.append([method] + [cell(getattr(traces_[name], kind)) for name in NAMES])
    return table(['', *NAMES], rows)


def missed(a): return f'{a.missed:,} of {a.true:,}: {percent(a.missed, a.true) if a.missed else "0 %"}'
def invented(a): return f'{a.invented:,} of {a.true:,}: {small_percent(a.invented, a.true)}'


def flags(compared):
    """`compared`: {trace: {flag: (records, differ, lost by 8 bits)}}"""
    rows = [['published, GPU against serial, D'] +
            [f'{wrong} of {n:,}: {percent(wrong, n)}' for n, wrong in published.FLAGS.values()]]
    for name, by_flag in compared.items():
        for label, at in ((f'exact, {name}', 1), (f'... with 8-bit counters, {name}', 2)):
            rows.append([label] + [f'{c[at]:,} of {c[0]:,}: {small_percent(c[at], c[0])}' for c in by_flag.values()])
    return table(['records with another count', *published.FLAGS], rows)


def undetected(sweep, trace_packets):
    """`sweep`: [(block, Comparison)]"""
    rows = []
    for block, c in sweep:
        share = min(block / trace_packets, 1)
        rows.append([f'{block:,}', percent(share, 1), f'{block * published.BYTES_PER_PACKET / 1e9:.4f}',
                     f'{share * published.TRACES["D"].packets * published.BYTES_PER_PACKET / 1e9:.3g}',
                     f'{c.segments.missed:,}', percent(c.segments.missed, c.segments.true)])
    return table(['packets in a block', 'of the trace', 'GB at 107 bytes a packet',
                  'GB for the same part of 200 M packets', 'not found', 'of the retransmissions'], rows)


def stages(costs):
    names = list(dict.fromkeys(name for c in costs for name in c.stages))
    rows = [[name] + [f'{c.stages.get(name, 0):.3f} s, {percent(c.stages.get(name, 0), sum(c.stages.values()), 0)}'
                      for c in costs] for name in names]
    return table(['stage', *(c.label for c in costs)], rows)


def costs(measured, packets):
    rows = [['published, GPU + CPU', f'{published.PACKETS_PER_SECOND / 1e6}', '1.00', '', published.GPU_CORES,
             f'{published.GPU_CORES:.2f}', published.GPU_GIGABYTES, ''],
            ['published, CPU (extrapolated)', f'{published.PACKETS_PER_SECOND / 1e6}', '1.00', '', published.CPU_CORES,
             f'{published.CPU_CORES:.2f}', published.CPU_GIGABYTES, '']]
    first = measured[0]
    for c in measured:
        speed = packets / c.wall
        rows.append([c.label, *(f'{x:.2f}' for x in (speed / 1e6, speed / published.PACKETS_PER_SECOND,
                                                     first.wall / c.wall, c.cpu / c.wall,
                                                     cores_at_published_speed(c, packets))),
                     *(f'{x / 1e9:.3f}' for x in (c.peak, c.peak_piped))])
    return table(['', 'M packets/s', '/ published 4.4', f'/ {first.label}', 'cores used',
                  'cores for 4.4 M packets/s', 'peak GB', 'peak GB, piped'], rows)

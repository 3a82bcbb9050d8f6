"""What was measured, as Markdown: ratios first, what they are of behind. Ratios are of the least CPU times, and of the
medians in brackets."""
from common import markdown

COPIED, SPANS, LATE = 'blocks', 'spans', ', late'
FLOORS = ('walk', 'headers', 'memcpy')
OURS, TCPFLOW, COPY = 'warpmeter reassemble', 'tcpflow', 'cp'
SIZE = 'full frames, bytes'
PAPER = """The paper's Table IV has 0.64 to 3.85 Gbit/s for its own, and 0.45 to 1.21 for libnids, on the machine of its
authors (Chen, Lu, Shen, "Stream reassembly based on multicore NPU", 2014)."""


def usable(results, *names): return all(name in results and results[name].cpu for name in names)


def ratio(results, above, below):
    if not usable(results, above, below): return '-'
    above, below = results[above], results[below]
    return f'{above.least / below.least:.2f} ({above.median / below.median:.2f})'


def a_packet(results, above, below):
    """The same of two captures."""
    if not usable(results, above, below): return '-'
    costs = [[of / r.capture.packets for of in (r.least, r.median)] for r in (results[above], results[below])]
    return f'{costs[0][0] / costs[1][0]:.2f} ({costs[0][1] / costs[1][1]:.2f})'


def seconds(results, name):
    return f'{results[name].least:.3f} ({results[name].median:.3f})' if usable(results, name) else '-'


def nanoseconds(results, name):
    """A packet."""
    if not usable(results, name): return '-'
    result = results[name]
    least, median = (of * 1e9 / result.capture.packets for of in (result.least, result.median))
    return f'{least:.1f} ({median:.1f})'


def gigabits(results, name, wall=False):
    """Of frames, a second of CPU time or of the clock."""
    if not usable(results, name): return '-'
    result = results[name]
    return f'{result.capture.frame_bytes * 8 / (min(result.wall) if wall else result.least) / 1e9:.2f}'


def cell(name): return name.replace('|', '\\|')


def ratios(sizes):
    pairs = [('libnids', COPIED), ('libnids', SPANS), ('libnids', 'headers'), (SPANS, 'cat'), (SPANS, 'cat | cat'),
             (COPIED, 'memcpy')]
    rows = [[size, f'{r[COPIED].capture.frame_bytes / r[COPIED].capture.packets:.0f}',
             *(ratio(r, *pair) for pair in pairs)] for size, r in sizes.items()]
    return markdown.table([SIZE, 'bytes a packet', *(cell(' / '.join(pair)) for pair in pairs)], rows)


def disorder(sizes):
    names = (COPIED, SPANS, 'libnids')
    rows = [[size, f'{r[COPIED + LATE].capture.late:.1%}', *(a_packet(r, name + LATE, name) for name in names)]
            for size, r in sizes.items() if COPIED + LATE in r]
    if not rows: return []
    return [*markdown.paragraph('10 % disorder: what a packet costs, of what it costs in order.'),
            *markdown.table([SIZE, 'data segments out of order', *names], rows)]


def speeds(sizes, names, wall=False):
    return markdown.table([SIZE, *names], [[size, *(gigabits(r, n, wall) for n in names)] for size, r in sizes.items()])


def absolute(sizes):
    names = dict.fromkeys(name for results in sizes.values() for name in results)
    rows = [[cell(name), *(nanoseconds(results, name) for results in sizes.values())] for name in names]
    return markdown.table([SIZE, *map(str, sizes)], rows)


def small(results):
    first = next(iter(results))
    capture = results[first].capture
    rows = [[name, seconds(results, name), ratio(results, name, first), f'{result.peak / 1e6:.0f}']
            for name, result in results.items()]
    words = f'{capture.connections} connections of {capture.payload_bytes / max(capture.connections, 1):.0f} bytes.'
    return [*markdown.paragraph(words), *markdown.table(['block size', 'CPU, s', 'of the first', 'peak, MB'], rows)]


def files(shapes):
    rows = [[shape, ratio(r, TCPFLOW, OURS), ratio(r, TCPFLOW, COPY),
             *(seconds(r, name) for name in (OURS, COPY, TCPFLOW))] for shape, r in shapes.items()]
    return markdown.table(['', 'tcpflow / warpmeter', 'tcpflow / cp', 'warpmeter, s', 'cp, s', 'tcpflow, s'], rows)


def shares(every):
    """Peers that deliver less than was sent, or more."""
    for where, results in every:
        for name, result in results.items():
            if result.share in (None, 1) or result.contender.ours: continue
            yield f'{name} {result.share:.1%} at {where}'


def troubles(every):
    return [f'{where}: {name}: {result.wrong}' for where, results in every for name, result in results.items()
            if result.wrong]


def lines(measured, cores, place):
    """`measured`: 'sizes' {size: results}, 'small' results, 'files' {shape: results}. `cores`: who has all of them.
    `place`: where files were made."""
    sizes = measured['sizes']
    text = ratios(sizes) + disorder(sizes)
    text += markdown.paragraph('Gbit/s of frames, a core, by the least CPU time. ' + PAPER)
    text += speeds(sizes, [COPIED, SPANS, 'libnids', 'memcpy', 'cat'])
    if cores: text += markdown.paragraph('Gbit/s of frames by the least wall time.') + speeds(sizes, cores, wall=True)
    text += small(measured['small'])
    if measured['files']:
        text += markdown.paragraph(f'A folder of files in {place}, CPU seconds: least (median).')
        text += files(measured['files'])
    text += markdown.paragraph('CPU time of a packet, ns: least (median).') + absolute(sizes)
    differing = '; '.join(shares([*sizes.items(), *measured['files'].items()]))
    return text + (markdown.paragraph(f'Payload that others delivered: {differing}.') if differing else [])

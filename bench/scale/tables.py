"""The tables of the report."""
from common import timing
from common.markdown import table

HEADER = ['', 's (min - max)', 'CPU s', 'ns a packet', 'time a packet / first', 'peak MB', 'peak MB, piped',
          'Flow Records', 'alive at once', 'states held at most', 'runs on disk']


def ns_a_packet(measured): return timing.median(measured.runs) / measured.point.made.packets * 1e9


def megabytes(size): return f'{size / 1e6:.0f}'


def costs(found):
    first, rows = next((m for m in found if m.done), None), []
    for m in found:
        if not m.done:
            rows.append([m.point.label, f'**{m.error}**'] + [''] * (len(HEADER) - 2))
            continue
        rows.append([m.point.label, timing.spread([r.wall for r in m.runs]), f'{timing.median(m.runs, "cpu"):.2f}',
                     f'{ns_a_packet(m):.0f}', f'{ns_a_packet(m) / ns_a_packet(first):.2f}',
                     megabytes(timing.median(m.runs, 'peak')), megabytes(m.piped.peak) if m.piped else '-',
                     f'{m.said["rows"]:,}', f'{m.point.alive:,}', f'{m.said["peak live flows"]:,}',
                     f'{m.said["runs written"]:,}'])
    return table(HEADER, rows)


def memory(found):
    """Bytes of a live flow: what the peaks of two points differ by, through a pipe, over the states that were held."""
    done, rows = [m for m in found if m.done and m.piped and not m.piped.error], []
    for few, many in zip(done, done[1:]):
        states = many.said['peak live flows'] - few.said['peak live flows']
        size = many.piped.peak - few.piped.peak
        rows.append([f'{few.point.label} to {many.point.label}', f'{states:,}', megabytes(size),
                     f'{size / states:.0f}' if states > 0 and size > 0 else '-'])
    return table(['from - to', 'more states', 'more MB', 'bytes a flow'], rows)

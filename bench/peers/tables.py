"""The tables of the report, as lines of Markdown."""
from common import timing
from common.markdown import table


def failed_row(result, columns): return [result.candidate.name, f'**{result.error}**'] + [''] * (columns - 2)


def counted(result, shape):
    """Its own packet count, which shows whether it read all."""
    packets = result.counts.packets
    if packets is None: return 'all bytes'
    whole = shape.tcp_packets if result.candidate.counts_tcp else shape.capture.packets
    unit = ' of TCP' if result.candidate.counts_tcp else ''
    return f'all {packets:,}{unit}' if packets == whole else f'**{packets:,} of {whole:,}{unit}**'


def flows(result):
    return '' if result.counts.flows is None else f'{result.counts.flows:,} {result.candidate.flow_unit}'


def fastest_of_ours(results):
    """What ratios to peers are made with: all threads, CSV to /dev/null."""
    ours = [r for r in results if r.candidate.peer == 'warpmeter' and not r.candidate.to_file and r.done]
    return max(ours, key=lambda r: r.candidate.threads) if ours else None


def by_name(results, name): return next((r for r in results if r.candidate.name == name and r.done), None)


def over(part, whole, of='wall'):
    """Ratio of the medians of two results, where both are there."""
    if part is None or whole is None: return '-'
    below = timing.median(whole.runs, of)
    return f'{timing.median(part.runs, of) / below:.2f}' if below else '-'


def speeds(shape, results):
    walk, ours, rows = by_name(results, 'walk, 1 core'), fastest_of_ours(results), []
    header = ['what', 's (min - max)', 'rounds', 'CPU s', 'peak MB', 'M packets/s', 'time / walk',
              "time / warpmeter's", "CPU s / warpmeter's", 's for 1,000 packets']
    for result in results:
        if not result.done:
            rows.append(failed_row(result, len(header)))
            continue
        wall = timing.median(result.runs)
        rows.append([result.candidate.name, timing.spread([r.wall for r in result.runs]), len(result.runs),
                     f'{timing.median(result.runs, "cpu"):.2f}', f'{timing.median(result.runs, "peak") / 1e6:.0f}',
                     f'{shape.capture.packets / wall / 1e6:.3g}', over(result, walk), over(result, ours),
                     over(result, ours, 'cpu'), f'{result.fixed:.2f}'])
    return table(header, rows)


def counts(shape, results):
    return table(['what', 'packets it counted', 'what it made of them'],
                 [[r.candidate.name, counted(r, shape), flows(r)] for r in results if r.done])


def percent(found, truth): return f'{100 * (found - truth) / truth:+.1f} %' if truth else '-'


def accuracy(shape, results):
    truth, rows = shape.capture.truth['totals']['retransmitted_segments'], []
    for result in results:
        if not result.candidate.flow_unit and not result.candidate.tells_retransmissions: continue     # floors
        if not result.done: rows.append(failed_row(result, 5))
        elif not result.counts.retransmissions: rows.append([result.candidate.name, '-', f'{truth:,}', '-', '-'])
        for field, found in (result.counts.retransmissions if result.done else {}).items():
            if field in result.candidate.other_fields: continue
            rows.append([result.candidate.name, field, f'{truth:,}', f'{found:,}', percent(found, truth)])
    return table(['what', 'its field', 'planted', 'found', 'difference'], rows)


def troubles(kinds):
    """One column a kind of trouble."""
    names = list(dict.fromkeys(key for kind in kinds for key in kind.found))
    rows = [['planted', ''] + [f'{kind.truth:,}' for kind in kinds]]
    rows += [[*name] + [f'{kind.found[name]:,}' if name in kind.found else '-' for kind in kinds] for name in names]
    return table(['what', 'its field', *(kind.name for kind in kinds)], rows)

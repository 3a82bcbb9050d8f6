"""Puts tables, plots and the words between them together: the report, and what it must show for exit status 0."""
import os

import figures, published, tables
from common import machine, raw
from common.markdown import paragraph


def failures(results):
    """What must hold and does not."""
    for name, c in results.compared['exact'].items():
        if c.rows_wrong: yield f'exact, {name}: {c.rows_wrong} flows are not one Flow Record'
        if c.counters_wrong: yield f'exact, {name}: {c.counters_wrong} Flow Records with a wrong counter'
        for kind, a in (('flows', c.flows), ('segments', c.segments)):
            if a.missed or a.invented: yield f'exact, {name}: {a.missed} {kind} missed, {a.invented} invented'
    for name, c in results.compared['five-tuple'].items():
        if c.rows_wrong: yield f'five-tuple, {name}: {c.rows_wrong} flows are not one Flow Record'
    for method, by_trace in results.compared.items():
        for name, c in by_trace.items():
            if c.duplicates_wrong: yield f'{method}, {name}: {c.duplicates_wrong} flows with wrong duplicates'
    for name, by_flag in results.flags.items():
        for flag, (_, wrong, _) in by_flag.items():
            if wrong: yield f'exact, {name}: {wrong} records with a wrong {flag} count'


def save_figures(results, out):
    d = results.traces['D']
    sweep = [(block, c.segments.missed / max(c.segments.true, 1)) for block, c in results.sweep]
    floor = d.structural / max(d.truth.total('retransmitted_segments'), 1)
    for name, canvas in (('figure-11', figures.undetected(sweep, floor, d.packets)),
                         ('figure-12', figures.stage_shares(results.costs)),
                         ('figure-13', figures.cores(results.costs, d.packets)),
                         ('figure-14', figures.memory(results.costs))):
        canvas.save(os.path.join(out, name + '.svg'))


def head(results, broken):
    held = '''exact finds every retransmission and invents none, all its counters equal the truth, and duplicates are
        right in every flow, under both methods.'''
    return ['# The evaluation of the source paper, repeated', '', *paragraph('''
        P. Roquero et al., *High-speed TCP flow record extraction using GPUs*, J. Supercomput. 71(10), 2015, section
        4. Made by `bench/paper/run`; all traces are generated, with the truth planted.'''), *paragraph(f'''
        Backend `{results.backend}`, {os.cpu_count()} cores ({machine.model()}), shared with other work: ratios of one
        run can be compared, seconds of different machines cannot. {' '.join(results.notes)}'''), *paragraph(
        '**Checks**: ' + ('FAILED: ' + '; '.join(broken) if broken else held))]


def traces(results):
    return ['## Table 1: the traces', '', *tables.traces(results.traces), *paragraph(f'''
        **Scaled**: D has {results.traces['D'].packets:,} packets instead of 200,000,000. A is the merge of B and C,
        as in the paper. What the published counts do not say (connections, segment sizes, delays) is invented. The
        published data segments include duplicates, ours do not.'''), *paragraph('''
        *Structural*: sent again from where no segment began before, which the rule five-tuple cannot see; B and D are
        planted with about as many as the paper found. A third of them are second halves of re-split segments, the
        others overlap the end of an old segment or fill a hole and go on. Table 1 of the paper gives D 346,060
        retransmissions, which its Table 2 calls flows; the row here has the segments of its Table 3.''')]


def missed(results):
    d = results.compared['five-tuple']['D']
    heavy = tables.percent(published.HEAVY_FLOWS_MISSED, 1)
    return ['## Tables 2 and 3: retransmissions missed (false negatives)', '', *paragraph(f'''
        Memory blocks of five-tuple: the card's 56 M packets for A, B and C, which are shorter than that;
        {results.d_block:,} packets for D, the part of the trace that the paper's 6 GB card held of its D (28 %).'''),
        'Table 2, flows with retransmissions of which none was found:', '',
        *tables.accuracy(results.compared, 'flows', published.FLOWS, tables.missed), *paragraph(f'''
        So the paper counts: 604 flows less 73 missed are the 531 it found. Its flow shares are higher at about the
        same share of segments: at least 73 of its 84 missed segments lay in flows of which nothing was found, here
        they are strewn over all flows. Of the flows with more than 5 retransmissions, in more than 5 % of their
        packets, {heavy} are missed in the paper's D; here {tables.missed(d.heavy)}.'''),
        'Table 3, segments:', '',
        *tables.accuracy(results.compared, 'segments', published.SEGMENTS, tables.missed), *paragraph('''
        B fits into one block of the card many times over: its misses here do not come from block borders but are
        structural, and so should the published ones be.''')]


def invented(results):
    d = results.compared['five-tuple']['D']
    return ['## Tables 4 and 5: retransmissions invented (false positives)', '',
            'Table 4, flows without a retransmission in which some were found, to all flows with some:', '',
            *tables.accuracy(results.compared, 'flows', published.FLOWS, tables.invented), 'Table 5, segments:', '',
            *tables.accuracy(results.compared, 'segments', published.SEGMENTS, tables.invented), *paragraph(f'''
            Of the {d.segments.invented:,} segments that five-tuple invents in D, {d.keep_alive:,} lie in flows with
            keep-alives: the same byte sent as a keep-alive more than once, which the paper calls a retransmission and
            the planted truth counts apart. B and C have no such keep-alives. Misses and inventions are counted flow
            by flow, so within one flow they can hide each other. Shares are computed from the counts: the paper
            prints those of its Tables 4 to 6 as fractions with a percent sign.''')]


def duplicates(results):
    wrong = [f'{method} {name} {c.duplicates_wrong}' for method, by_trace in results.compared.items()
             for name, c in by_trace.items()]
    return ['## Duplicates (section 4.2)', '', *paragraph(f'''
            Published: neither false positives nor false negatives. Here, flows with another number of duplicates than
            planted: {', '.join(wrong)}.''')]


def flags(results):
    return ['## Table 6: flag counters', '', *tables.flags(results.flags), *paragraph(f'''
            One record for each pair of endpoints over the whole trace, as in the paper (`--aggregate`). S is not in
            the paper: {results.traces["S"].packets:,} packets of few endpoints that connect again and again, the
            traffic that overflows 8 bits. With 8 bits: planted counts over 255, which would be stored modulo 256;
            carries into the next counter of the word come on top.''')]


def undetected(results):
    d = results.traces['D']
    floor = tables.percent(d.structural, d.truth.total('retransmitted_segments'))
    return ['## Figure 11: what the memory block costs', '', '![Figure 11](figure-11.svg)', '',
            *tables.undetected(results.sweep, d.packets), *paragraph(f'''
            Published: {tables.percent(published.UNDETECTED_AT_4_GB, 1)} at 4 GB,
            {tables.percent(published.UNDETECTED_AT_6_GB, 1)} at 6 GB (Table 3), lower bound about 5 %, of which
            structural {tables.percent(published.STRUCTURAL, 1)}. Here {d.structural:,} structural ones are planted,
            {floor}; with the whole trace in one block five-tuple misses {results.sweep[-1][1].segments.missed:,} (the
            difference, if any, is made up by repeated keep-alives of the same flows). Exact: 0, with no block to
            choose.'''), *paragraph('''
            The delays before retransmissions were chosen so that about as many as in the paper come too late for the
            same part of the trace: where the curve lies at 4 and 6 GB is by construction. That it falls to the
            structural share and no further is not.''')]


def stages(results):
    return ['## Figure 12: time by stage', '', '![Figure 12](figure-12.svg)', '', *tables.stages(results.costs),
            *paragraph('''
            Published, in words alone: packet insertion takes longest, filtering on the CPU "a lot of time". The
            stages there: CPU filter, cudaMemcpy in, insert packet, insert flow, cudaMemcpy out, clear packets, clear
            flows. On the CPU backend, "read" and "decode" do what the filter does, "meter" both insertions.''')]


def costs(results):
    return ['## Figures 13 and 14: speed, cores and memory', '', '![Figure 13](figure-13.svg)', '',
            '![Figure 14](figure-14.svg)', '', *tables.costs(results.costs, results.traces['D'].packets),
            *paragraph(f'''
            Trace D, records to /dev/null, median of {results.repeat}. The capture has 96 bytes of each packet and
            lies in the page cache; the published 4.4 M packets/s leave the disk out too (1.1 M with it). *Cores
            used*: CPU time / wall time. *Cores for 4.4 M packets/s*: CPU time a packet times 4.4 M, as the paper
            extrapolates its CPU version. The paper measured on a Xeon X5650 with a Tesla C2075: between the rows, the
            machines differ too.'''), *paragraph(f'''
            Of a mapped file, pages in the page cache count as memory of the process; of a pipe there are none. The
            memory of five-tuple grows with its block, here {results.d_block:,} packets and 56 M on the card; that of
            exact with the flows alive at once, here those of about 4,000 connections.''')]


SECTIONS = (traces, missed, invented, duplicates, flags, undetected, stages, costs)


def save_raw(results, out):
    raw.save(os.path.join(out, 'raw.json'), {
        'costs': [cost._asdict() for cost in results.costs],
        'compared': {method: {name: c._asdict() for name, c in by_trace.items()}
                     for method, by_trace in results.compared.items()},
        'sweep': [{'block': block, **c._asdict()} for block, c in results.sweep], 'flags': results.flags})


def write(results, out):
    """-> what failed"""
    os.makedirs(out, exist_ok=True)
    broken = list(failures(results))
    save_figures(results, out)
    save_raw(results, out)
    lines = head(results, broken) + [line for section in SECTIONS for line in section(results)]
    with open(os.path.join(out, 'report.md'), 'w') as file: file.write('\n'.join(lines))
    return broken

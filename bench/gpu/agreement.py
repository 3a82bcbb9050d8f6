"""Method five-tuple on a GPU against the CPU, byte for byte, for blocks, batches, gaps and aggregation; on the small
capture also against the oracle. Without a GPU: the CPU with one thread and other batches."""
import itertools, os
from collections import namedtuple

from bench import FIRST_LOOK, digest_of
from commands import Failed, Skipped, check

GAP_NS = 100_000_000
HEAD = ('capture', 'block', 'batch', 'gap', 'aggregated', 'block used', 'records', 's', 'result')

# None: what warpmeter takes if nothing is said.
Capture = namedtuple('Capture', 'name path blocks batches oracle')
Case = namedtuple('Case', 'capture block batch gap aggregate')


def compare(bench):
    if not bench.options.cpu_only: bench.need_gpu()
    bench.program('warpmeter')
    references, slowest, wrong, compared, complete = {}, 1, [], 0, True
    for case in all_cases(bench):
        complete = bench.left() >= 2 * slowest + 5
        if not complete: break
        row, seconds = compare_one(bench, case, references)
        slowest = max(slowest, seconds)
        compared += 1
        if row[-1] != 'equal': wrong.append(row[-1])
        bench.add_row(f'{bench.backend} against cpu', HEAD, row)
    text = f'{compared - len(wrong)} of {compared} equal' + ('' if complete else ', the others left out: no time left')
    if wrong: raise Failed(f'{text}; {wrong[0]}')
    if not compared: raise Skipped('no time left')
    return text


def all_cases(bench):
    """Captures are made when their turn comes."""
    for capture in captures(bench):
        for values in itertools.product(capture.blocks, capture.batches, (False, True), (False, True)):
            yield Case(capture, *values)


def captures(bench):
    """Those that are generated hold TCP, UDP and ICMP, IPv4 and IPv6."""
    smoke = bench.options.smoke
    yield Capture('first-look', FIRST_LOOK, (100, None), (64, None), True)
    amount = '20000' if smoke else '2000000'
    path, _ = bench.generate('mixed.pcap', 60, '--packets', amount, '--snaplen', '96')
    yield Capture('mixed', path, *(((1000, None), (100, None)) if smoke else
                                   ((10_000, 300_000, None), (1000, 65_536, None))), False)
    flows = '2000' if smoke else '200000'
    path, _ = bench.generate('many-flows.pcap', 60, '--packets', amount, '--snaplen', '96', '--flows', flows,
                             '--mean-packets', '8', '--ipv6', '0.5', '--retransmit', '0.1', '--seed', '2')
    yield Capture('many flows', path, (1000 if smoke else 300_000, None), (None,), False)


def compare_one(bench, case, references):
    """-> (row of the table, seconds of the slower of the two)"""
    row = (case.capture.name, case.block or 'default', case.batch or 'default', '100ms' if case.gap else '',
           'yes' if case.aggregate else '')
    try:
        words = [*options(case, case.block), *batch_and_threads(bench, case)]
        tested = bench.extract(case.capture.path, bench.backend, *words, most=120, output='tested.csv')
        block = tested.stats['block']
        expected = reference(bench, case, block, references)
        result = 'equal' if tested.digest == expected.digest else difference(expected.output, tested.output)
        return (*row, block, tested.stats['rows'], f'{tested.done.seconds:.2f}', result), \
            max(tested.done.seconds, expected.done.seconds)
    except Failed as failed:
        return (*row, '', '', '', str(failed)), 0


def options(case, block):
    return [*(['--block', str(block)] if block else []), *(['--retransmission-gap', '100ms'] if case.gap else []),
            *(['--aggregate'] if case.aggregate else []), '--method', 'five-tuple']


def batch_and_threads(bench, case):
    words = ['--batch', str(case.batch)] if case.batch else []
    return words + ['--threads', '1'] if bench.options.cpu_only else words


def reference(bench, case, block, references):
    """What the CPU says; the block is that of the other run, also where that was the default."""
    key = (case.capture.name, block, case.gap, case.aggregate)
    if key not in references:
        name = '-'.join(str(part) for part in key).replace(' ', '-') + '.csv'
        references[key] = bench.extract(case.capture.path, 'cpu', *options(case, block), most=120, output=name)
        if case.capture.oracle: ask_oracle(bench, case, block, references[key])
    return references[key]


def ask_oracle(bench, case, block, expected):
    path = bench.temporary('oracle.csv')
    gap = ['--retransmission-gap', str(GAP_NS)] if case.gap else []
    aggregate = ['--aggregate'] if case.aggregate else []
    command = [bench.program('reference_meter'), '--method', 'five-tuple', '--block', str(block), *gap, *aggregate,
               case.capture.path]
    check(bench.run(['sh', '-c', 'out=$1; shift; exec "$@" >"$out"', 'sh', path, *command], 60))
    if digest_of(path) != expected.digest: raise Failed('cpu and oracle: ' + difference(path, expected.output))


def difference(expected, found):
    """Where two files first differ."""
    with open(expected, errors='replace') as one, open(found, errors='replace') as other:
        for number, (a, b) in enumerate(itertools.zip_longest(one, other), 1):
            if a != b: return f'differs in line {number}: expected {str(a).strip()!r}, found {str(b).strip()!r}'
    return 'differs in bytes that are no text'

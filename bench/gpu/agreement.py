"""A GPU against the CPU, byte for byte. Method exact: batches, idle timeouts, and so little of the GPU's memory that
flows are let go, handed over to the CPU, or never get there. Method five-tuple: memory blocks, batches, gaps. Both:
aggregation, and on the small capture the oracle. Without a GPU: the CPU with one thread and other batches."""
import itertools, os
from collections import namedtuple

from bench import FIRST_LOOK, digest_of
from commands import Failed, Skipped, check

NANOSECONDS = {'100ms': 100_000_000, '50ms': 50_000_000, '1s': 1_000_000_000}    # as the oracle wants them
HEAD = ('capture', 'method', 'batch', 'GPU memory', 'idle', 'block', 'gap', 'aggregated', 'block used', 'on the CPU',
        'let go', 'records', 's', 'result')

Capture = namedtuple('Capture', 'name path oracle cases')
# None: what warpmeter takes if nothing is said.
Case = namedtuple('Case', 'method batch memory idle block gap aggregate')


def exact(batch=None, memory=None, idle=None, aggregate=False):
    return Case('exact', batch, memory, idle, None, None, aggregate)


def five_tuple(block, batch, gap, aggregate): return Case('five-tuple', batch, None, None, block, gap, aggregate)


def compare(bench):
    if not bench.options.cpu_only: bench.need_gpu()
    bench.program('warpmeter')
    references, slowest, wrong, compared, complete = {}, 1, [], 0, True
    for capture, case in all_cases(bench):
        complete = bench.left() >= 2 * slowest + 5
        if not complete: break
        row, seconds = compare_one(bench, capture, case, references)
        slowest = max(slowest, seconds)
        compared += 1
        if row[-1] != 'equal': wrong.append(row[-1])
        bench.add_row(f'{bench.backend} against cpu', HEAD, row)
    text = f'{compared - len(wrong)} of {compared} equal' + ('' if complete else ', the others left out: no time left')
    if wrong: raise Failed(f'{text}; {wrong[0]}')
    if not compared: raise Skipped('no time left')
    return text


def all_cases(bench):
    """Captures are made when their turn comes. The default method's cases are all done before the other's."""
    later = []
    for capture in captures(bench):
        for case in capture.cases:
            if case.method == 'exact': yield capture, case
            else: later.append((capture, case))
    yield from later


def captures(bench):
    """Those that are generated hold TCP, UDP and ICMP, IPv4 and IPv6."""
    smoke = bench.options.smoke
    amount, flows = ('20000', '2000') if smoke else ('2000000', '200000')
    yield Capture('first-look', FIRST_LOOK, True, [*exact_cases([(64, None), (64, '66M'), (7, '65M')], ('1s',)),
                                                   *five_tuple_cases((100, None), (64, None))])
    path, _ = bench.generate('mixed.pcap', 60, '--packets', amount, '--snaplen', '96')
    blocks, batches = ((1000, None), (100, None)) if smoke else ((10_000, 300_000, None), (1000, 65_536, None))
    yield Capture('mixed', path, False,
                  [*exact_cases(rooms(smoke), ('50ms', '1s')), *five_tuple_cases(blocks, batches)])
    path, _ = bench.generate('lossy.pcap', 60, '--packets', amount, '--snaplen', '96', '--loss', '0.2', '--reorder',
                             '0.1', '--retransmit', '0.1', '--seed', '3')
    yield Capture('lossy', path, False, exact_cases(rooms(smoke), ('50ms',)))
    path, _ = bench.generate('many-flows.pcap', 60, '--packets', amount, '--snaplen', '96', '--flows', flows,
                             '--mean-packets', '8', '--ipv6', '0.5', '--retransmit', '0.1', '--seed', '2')
    yield Capture('many flows', path, False, [*exact_cases(rooms(smoke), ('50ms',)),
                                              *five_tuple_cases((1000 if smoke else 300_000, None), (None,))])


def rooms(smoke):
    """Batches, and memory for them and for thousands or ten thousands of flows; warpmeter says how much it needs."""
    if smoke: return [(1000, '66M')]
    return [(65_536, None), (65_536, '170M'), (4096, '72M'), (1000, '80M'), (1000, '100M')]


def exact_cases(rooms, idles):
    return [exact(aggregate=True), *(exact(idle=idle) for idle in (None, *idles)),
            *(exact(*room, idle) for idle in (None, *idles) for room in rooms)]


def five_tuple_cases(blocks, batches):
    return [five_tuple(*values) for values in itertools.product(blocks, batches, (None, '100ms'), (False, True))]


def compare_one(bench, capture, case, references):
    """-> (row of the table, seconds of the slower of the two)"""
    row = (capture.name, case.method, case.batch or 'default', case.memory or 'default', case.idle or 'default',
           case.block or '', case.gap or '', 'yes' if case.aggregate else '')
    try:
        words = [*options(case, case.block), *batch_and_device(bench, case)]
        tested = bench.extract(capture.path, bench.backend, *words, most=120, output='tested.csv')
        said = tested.stats
        expected = reference(bench, capture, case, said.get('block'), references)
        result = 'equal' if tested.digest == expected.digest else difference(expected.output, tested.output)
        return (*row, said.get('block', ''), said['metered on the CPU'], said['idle flows let go'], said['rows'],
                f'{tested.done.seconds:.2f}', result), max(tested.done.seconds, expected.done.seconds)
    except Failed as failed:
        return (*row, *[''] * 5, str(failed)), 0


def options(case, block):
    return [*(['--method', case.method] if case.method != 'exact' else []),    # the default, as who says nothing
            *(['--block', str(block)] if block else []),
            *(['--retransmission-gap', case.gap] if case.gap else []),
            *(['--idle-timeout', case.idle] if case.idle else []), *(['--aggregate'] if case.aggregate else [])]


def batch_and_device(bench, case):
    words = ['--batch', str(case.batch)] if case.batch else []
    if bench.options.cpu_only: return words + ['--threads', '1']
    return words + (['--gpu-memory', case.memory] if case.memory else [])


def reference(bench, capture, case, block, references):
    """What the CPU says; the block is that of the other run, also where that was the default."""
    key = (capture.name, case.method, block, case.gap, case.idle, case.aggregate)
    if key not in references:
        name = '-'.join(str(part) for part in key).replace(' ', '-') + '.csv'
        references[key] = bench.extract(capture.path, 'cpu', *options(case, block), most=120, output=name)
        if capture.oracle: ask_oracle(bench, capture, case, block, references[key])
    return references[key]


def ask_oracle(bench, capture, case, block, expected):
    path = bench.temporary('oracle.csv')
    words = [*(['--method', case.method] if case.method != 'exact' else []),
             *(['--block', str(block)] if block else []),
             *(['--retransmission-gap', str(NANOSECONDS[case.gap])] if case.gap else []),
             *(['--idle-timeout', str(NANOSECONDS[case.idle])] if case.idle else []),
             *(['--aggregate'] if case.aggregate else [])]
    command = [bench.program('reference_meter'), *words, capture.path]
    check(bench.run(['sh', '-c', 'out=$1; shift; exec "$@" >"$out"', 'sh', path, *command], 60))
    if digest_of(path) != expected.digest: raise Failed('cpu and oracle: ' + difference(path, expected.output))


def difference(expected, found):
    """Where two files first differ."""
    with open(expected, errors='replace') as one, open(found, errors='replace') as other:
        for number, (a, b) in enumerate(itertools.zip_longest(one, other), 1):
            if a != b: return f'differs in line {number}: expected {str(a).strip()!r}, found {str(b).strip()!r}'
    return 'differs in bytes that are no text'

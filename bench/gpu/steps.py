"""The steps that run a program and look at how it ended: build, machine, tests, sanitizer, kernels, ncu. A step
returns what to say of it, or raises Failed or Skipped."""
import itertools, os, re, shutil

from bench import FIRST_LOOK, TOP, table, tool
from commands import Failed, Skipped, check, why

TARGETS = ('warpmeter', 'traffic_gen', 'reference_meter', 'test_gpu', 'kernels_bench')
NEED_CUDA = ('test_gpu', 'kernels_bench')
TEST_CASES = 40               # random ones of each kind and tile size; ctest alone does all
SANITIZER_SECONDS = 90        # for one run
GOAL, GOAL_LOAD = 3.0, 0.6    # G segments/s on an H200: of whole batches; of inserts into both tables at this load
USUAL = {'piece': '256', 'lanes': '4'}    # what the product takes


def build(bench):
    """Configures and builds; what can be built is, even if something else cannot."""
    if bench.options.no_build: return 'nothing, --no-build'
    check(bench.run(configure_command(bench), 120, 'build.log'))
    known = bench.run(['cmake', '--build', bench.build, '--target', 'help'], 30).text
    targets = [t for t in TARGETS if t not in NEED_CUDA or re.search(rf'\b{t}\b', known)]
    if bench.options.cpu_only and re.search(r'\bkernels_bench_on_cpu\b', known): targets.append('kernels_bench_on_cpu')
    go_on = ['-k', '0'] if os.path.exists(os.path.join(bench.build, 'build.ninja')) else ['-k']
    check(bench.run(['cmake', '--build', bench.build, '--target', *targets, '--', *go_on], bench.left(), 'build.log',
                    CMAKE_BUILD_PARALLEL_LEVEL=os.environ.get('CMAKE_BUILD_PARALLEL_LEVEL', str(os.cpu_count()))))
    return ', '.join(targets)


def configure_command(bench):
    options = bench.options
    command = ['cmake', '-S', TOP, '-B', bench.build, '-DCMAKE_BUILD_TYPE=Release', '-DWARPMETER_TESTS=ON',
               f'-DWARPMETER_CUDA={"AUTO" if options.cpu_only else "ON"}']
    if options.dependencies: command.append(f'-DWARPMETER_DEPENDENCIES={os.path.abspath(options.dependencies)}')
    new = not os.path.exists(os.path.join(bench.build, 'CMakeCache.txt'))
    if new and shutil.which('ninja'): command += ['-G', 'Ninja']
    return command


def machine(bench):
    """What the figures were measured on, and whether a GPU meters a small capture at all."""
    nvcc = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
    for command in (['nvidia-smi'], [nvcc, '--version'], ['c++', '--version'], ['cmake', '--version'], ['lscpu'],
                    ['free', '-m'], ['df', '-h', bench.scratch], ['uname', '-a']):
        done = bench.run(command, 20, 'machine.txt')
        if command == ['nvidia-smi'] and done.status == 0: note_driver(bench, done.text)
    info = check(bench.run([bench.program('warpmeter'), 'info'], 60, 'machine.txt')).text
    bench.about += [' '.join(line.split()) for line in info.splitlines() if re.match(r'\s+(CPU|CUDA|GPU) ', line)]
    if bench.options.cpu_only: return 'noted'
    try: metered = bench.extract(FIRST_LOOK, 'cuda', most=60)
    except Failed:
        bench.no_gpu = True
        raise
    bench.gpu = metered.stats['backend']['reason']
    note_start(bench)
    return bench.gpu


def note_start(bench):
    """What a GPU takes to start, for which --backend auto leaves small files to the CPU: kWorthAGpu in
    src/pipeline/metering/backend.cc. The second run of each, since the first may load the driver."""
    for backend in ('cuda', 'cpu'):
        seconds = bench.extract(FIRST_LOOK, backend, most=60).done.seconds
        bench.add_row('start-up', ('backend', 's for a capture of 300 packets'), (backend, f'{seconds:.3f}'))


def note_driver(bench, text):
    found = re.search(r'Driver Version: *(\S+)', text)
    if found: bench.about.append(f'driver {found[1]}')


def tests(bench):
    """ctest -L gpu; without --cpu-only, a test that finds no GPU fails."""
    bench.program('test_gpu')
    if bench.options.cpu_only and bench.options.no_build: raise Skipped('ctest may be what runs this')
    required = {'WARPMETER_REQUIRE_GPU': '0' if bench.options.cpu_only else '1'}
    few = {'WARPMETER_PROPERTY_CASES': '3' if bench.options.smoke else str(TEST_CASES)}
    done = bench.run(['ctest', '--test-dir', bench.build, '-L', 'gpu', '--output-on-failure', '--no-tests=error',
                      '--timeout', str(max(1, int(bench.left())))], bench.left(), 'tests.log', **required, **few)
    # Newer versions of CMake say nothing of failures where there are none.
    counts = re.search(r'tests passed(?:, (\d+) tests? failed)? out of (\d+)', done.text)
    if not counts: raise Failed('ctest: ' + why(done.text))
    failed, of, skipped = int(counts[1] or 0), int(counts[2]), done.text.count('***Skipped')
    text = f'{of - failed - skipped} of {of} passed, {failed} failed, {skipped} skipped'
    said = re.search(r': Failure\n(.+)\n(.*)', done.text)
    if done.status: raise Failed(f'{text}; first: {said[1]} {said[2]}' if said else text)
    return text


def sanitizer(bench): return sanitize(bench, ('memcheck', 'racecheck'))


def sanitizer_more(bench): return sanitize(bench, ('initcheck', 'synccheck'))


def sanitize(bench, tools):
    """Some random cases for every tile size, and a small capture in several batches and memory blocks, with little of
    the GPU's memory: initcheck needs as much again."""
    bench.need_gpu()
    program = tool('compute-sanitizer')
    extract = [bench.program('warpmeter'), 'extract', '-q', '--backend', 'cuda', '--batch', '64', '--gpu-memory',
               '256M', '-o', os.devnull, '--format', 'csv', FIRST_LOOK]
    candidates = {'exact cases': [bench.program('test_gpu'), '--gtest_filter=SharedFunctions.*:*GpuExact.*'],
                  'five-tuple cases': [bench.program('test_gpu'), '--gtest_filter=*GpuFiveTuple.*'],
                  'extract': extract,
                  'extract, five-tuple': [*extract, '--method', 'five-tuple', '--block', '100']}
    broken, clean, left_out = [], [], []
    for name, what in itertools.product(tools, candidates):
        limit = min(SANITIZER_SECONDS, bench.left())
        if limit > 10:
            status, said = sanitize_one(bench, [program, '--tool', name], what, candidates[what], limit)
            if status == 0: clean.append(f'{name} of {what}')
            elif status is not None or limit == SANITIZER_SECONDS: broken.append(f'{name} of {what}: {said}')
            else: left_out.append(f'{name} of {what}')
        else: left_out.append(f'{name} of {what}')
    if broken: raise Failed('; '.join(broken))
    if not clean: raise Skipped('no time left')
    note = f'; no time left for {", ".join(left_out)}' if left_out else ''
    return f'nothing found by {", ".join(clean)}{note}'


def sanitize_one(bench, tool_words, what, command, limit):
    """-> (exit status, what the tool said); test_gpu has only succeeded if a test was run"""
    done = bench.run([*tool_words, '--error-exitcode', '9', *command], limit, 'sanitizer.log',
                     WARPMETER_REQUIRE_GPU='1', WARPMETER_PROPERTY_CASES='1' if bench.options.smoke else '2')
    if 'Device not supported' in done.text: raise Skipped('compute-sanitizer: Device not supported')
    status, said = done.status, re.findall(r'=+ ((?:\w+ )?SUMMARY.*)', done.text)
    said = said[-1] if said else 'stopped' if status is None else why(done.text)
    if status == 0 and what.endswith('cases') and not re.search(r'PASSED +\] [1-9]', done.text):
        status, said = 1, 'no test passed'
    bench.add_row('compute-sanitizer', ('tool', 'on', 'exit status', 's', 'said'),
                  (tool_words[-1], what, '' if status is None else status, f'{done.seconds:.1f}', said))
    return status, said


def kernels(bench):
    """The kernels bench; without a GPU its smoke values on the CPU, which measure nothing."""
    if bench.options.cpu_only:
        check(bench.run([bench.program('kernels_bench_on_cpu')], 60, 'kernels.txt'))
        return 'smoke values on the CPU'
    bench.need_gpu()
    smoke = ['--smoke'] if bench.options.smoke else []
    done = bench.run([bench.program('kernels_bench'), *smoke], bench.left(), 'kernels.txt')
    note_kernels(bench, done.text)
    check(done)
    return 'kernels.txt has all'


def table_rows(text, first):
    """The rows of the bench's table whose first heading this is, as dicts."""
    rows, head = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if not line.startswith('|'): head = None
        elif head is None: head = cells
        elif head[0] == first and not cells[0].startswith('---') and len(cells) == len(head):
            rows.append(dict(zip(head, cells)))
    return rows


def table_of(rows): return table(rows[0], [row.values() for row in rows]) if rows else []


def note_kernels(bench, text):
    """Measured against the goal; then what is most asked for of the tables, the rest is in kernels.txt."""
    copy = re.search(r'^host to device.*: ([\d.]+) GB/s', text, re.MULTILINE)
    if copy: bench.copy_rate = float(copy[1])
    said = re.findall(r'^(?:host to device|flow table|clearing both|\S+, .* bytes missing).*', text, re.MULTILINE)
    lines = batch_lines(bench, table_rows(text, 'method')) + table_of(table_rows(text, 'method, whole'))
    lines += insert_lines(bench, [row for row in table_rows(text, 'load') if float(row['load']) == GOAL_LOAD])
    lines += [*(f'* {line}' for line in said), '', 'Shares of the kernels, with an event after each:', '',
              *table_of([row for row in table_rows(text, 'method, by kernel') if float(row['share, %']) >= 1])]
    bench.sections['Kernels'] = lines


def reached(bench, rate):
    if bench.options.smoke: return 'smoke values, which measure nothing'
    return f'{"reached" if rate >= GOAL else "not reached"} ({rate / GOAL:.0%})'


def batch_lines(bench, rows):
    """For each traffic, method exact as the product takes it and the fastest of its settings."""
    rate = 'kernels only, G segments/s'
    lines = [f'Goal: at least {GOAL:.0f} G segments/s for whole batches of method exact, kernels only, on an H200 '
             f'({bench.gpu}).', '']
    for traffic in dict.fromkeys(row['traffic'] for row in rows):
        of_it = [row for row in rows if row['traffic'] == traffic and row['method'] == 'exact']
        for who, some in (('as the product does it', [r for r in of_it if all(r[k] == USUAL[k] for k in USUAL)]),
                          ('at best', of_it)):
            best = max(some, key=lambda row: float(row[rate]), default=None)
            if best is None: continue
            lines.append(f'* {traffic}, {who}: **{best[rate]}**, batches of {best["batch"]}, {best["lanes"]} lanes, '
                         f'pieces of {best["piece"]}: {reached(bench, float(best[rate]))}')
    return [*lines, '', 'By lanes, with the product\'s pieces (all: kernels.txt):', '',
            *by_lanes([row for row in rows if row['piece'] == USUAL['piece']], rate)] if rows else \
        ['The batch bench did not come so far.', '']


def by_lanes(rows, rate):
    """A row a setting, a column a number of lanes."""
    lanes = list(dict.fromkeys(row['lanes'] for row in rows))
    settings = {}
    for row in rows: settings.setdefault((row['method'], row['traffic'], row['batch']), {})[row['lanes']] = row[rate]
    return table(('method', 'traffic', 'batch', *(f'{n} lanes, G segments/s' for n in lanes)),
                 [(*setting, *(found.get(n, '') for n in lanes)) for setting, found in settings.items()])


def insert_lines(bench, rows):
    if not rows: return []
    best = max(rows, key=lambda row: float(row['both tables']))
    rate = float(best['both tables'])
    return [f'Goal: at least {GOAL:.0f} G segments/s for the insert into both tables at load {GOAL_LOAD}, on an H200. '
            f'Best here: {rate:.2f}, with {best["flows"]} flows and {best["lanes"]} lanes a segment: '
            f'{reached(bench, rate)}. At load {GOAL_LOAD} (all loads: kernels.txt):', '', *table_of(rows)]


def ncu(bench):
    """What Nsight Compute says of the kernels that take longest, in real runs."""
    bench.need_gpu()
    program = tool('ncu')
    packets = 20_000 if bench.options.smoke else 4_000_000
    capture, _ = bench.generate('ncu.pcap', 30, '--packets', str(packets), '--snaplen', '96')
    for method, kernel in (('exact', 'MeterFlows'), ('exact', 'SumPieces'), ('exact', 'ClaimFlows'),
                           ('five-tuple', 'InsertSegments')):
        block = ['--block', '8000000'] if method == 'five-tuple' else []
        # The clocks are left alone: the machine may be shared.
        done = bench.run([program, '--clock-control', 'none', '--kernel-name-base', 'demangled', '--kernel-name',
                          f'regex:{kernel}', '--launch-skip', '1', '--launch-count', '2', bench.program('warpmeter'),
                          'extract', '-q', '--backend', 'cuda', '--method', method, *block, '--gpu-memory', '8G', '-o',
                          os.devnull, '--format', 'csv', capture], 60, 'ncu.txt')
        if done.status != 0: raise Skipped('ncu: ' + ('stopped' if done.status is None else why(done.text)))
        if 'No kernels were profiled' in done.text: raise Failed(f'ncu saw no {kernel}')
    return 'ncu.txt has it'

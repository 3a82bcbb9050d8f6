"""Whole runs of `warpmeter extract` on captures in memory: the GPU beside the CPU, both methods, with 1, 4 and all
threads. A capture is as many files as there are cores, one after the other in time, and fewer threads get fewer of
them. The settings take turns; every run's output is compared, and method exact's totals with the planted truth. For the
figure that has a goal: what bounds it."""
import glob, json, os, shlex, shutil, statistics
from collections import namedtuple

from bench import TOP, table
from commands import Failed, Skipped, check

MOST_PACKETS = {'cut to 96 bytes': 128_000_000, '500-byte frames': 48_000_000}    # of all files
RATE, CONNECTIONS = 200_000, 1 << 24    # of a file: packets a second of its own time; room for its connections' numbers
SNAPLEN = {'cut to 96 bytes': '96', '500-byte frames': '65535'}
PILOT = 500_000           # packets; tells how fast captures are made, and how large they are
SMOKE_PACKETS = 20_000
SHARE_OF_MEMORY = 0.4
SHARE_OF_TIME = 0.15      # for making a capture
ROUNDS = 3
GOAL, GOAL_CORES, GOAL_CAPTURE = 150, 16, 'cut to 96 bytes'    # M packets/s, method exact, one H200
SEGMENT_BYTES = 48        # of a packet of IPv4, from the host to the GPU
COMPUTE = ('clear segments', 'insert flows', 'insert segments')    # one after the other on the GPU

Setting = namedtuple('Setting', 'backend method threads')


def measure(bench):
    if not bench.options.cpu_only: bench.need_gpu()
    found, wrong, all_left = [], [], bench.left()
    for name, share in (('cut to 96 bytes', 0.6), ('500-byte frames', 1)):
        time_left, leave = share * bench.left(), (1 - share) * bench.left()
        if not bench.options.smoke and time_left < 0.15 * all_left:
            bench.sections[f'End to end, {name}'] = ['Left out: no time left.', '']
            continue
        capture = make_capture(bench, name, time_left)
        measure_capture(bench, capture, leave)
        for part in capture['parts']: os.remove(part.pop('path'))
        found.append(capture)
        wrong += capture['wrong']
        bench.sections[f'End to end, {name}'] = report(bench, capture)
        with open(bench.path('end_to_end.json'), 'w') as file: json.dump(found, file, indent=1)
    if wrong: raise Failed('; '.join(dict.fromkeys(wrong)))
    if not found: raise Skipped('no time left')
    return ', '.join(f'{c["packets"]:,} packets {c["name"]}' for c in found) + ': outputs equal'


def room(folder):
    """Bytes that a capture may take."""
    with open('/proc/meminfo') as file: kilobytes = {line.split(':')[0]: int(line.split()[1]) for line in file}
    return SHARE_OF_MEMORY * min(kilobytes['MemAvailable'] * 1024, shutil.disk_usage(folder).free)


def make_capture(bench, name, seconds):
    snaplen, files = ['--snaplen', SNAPLEN[name]], os.cpu_count()
    packets = SMOKE_PACKETS
    if not bench.options.smoke:
        pilot, done = bench.generate('pilot.pcap', 30, '--packets', str(PILOT), *snaplen)
        fit = room(bench.scratch) / (os.path.getsize(pilot) / PILOT)
        in_time = SHARE_OF_TIME * seconds * files * PILOT / done.seconds
        packets = max(PILOT, int(min(MOST_PACKETS[name], fit, in_time)) // 100_000 * 100_000)
        os.remove(pilot)
    if bench.options.cpu_only: packets = min(packets, 2_000_000)
    parts = make_parts(bench, snaplen, files, packets // files, seconds)
    return {'name': name, 'parts': parts, 'packets': sum(part['packets'] for part in parts),
            'bytes': sum(os.path.getsize(part['path']) for part in parts), 'runs': [], 'wrong': []}


def make_parts(bench, snaplen, files, packets, seconds):
    """All at once, each with connections of its own."""
    parts, commands = [], []
    for i in range(files):
        path, truth = bench.temporary(f'large-{i:02}.pcap'), bench.temporary(f'truth-{i}.json')
        commands.append([bench.program('traffic_gen'), '--packets', str(packets), *snaplen, '--seed', str(i + 1),
                         '--first-connection', str(i * CONNECTIONS), '--rate', str(RATE), '--start',
                         str(i * (packets // RATE + 1)), '--truth', truth, '-o', path])
        parts.append({'path': path, 'truth': truth, 'packets': packets})
    together = ' & '.join(shlex.join(command) for command in commands)
    check(bench.run(['sh', '-c', f'{together} & wait'], seconds))
    for part in parts:
        with open(part.pop('truth')) as file: part['planted'] = json.load(file)['totals']
    return parts


def parts_for(capture, threads):
    """So many of the files that runs with few threads take about as long as those with all."""
    return capture['parts'][:max(1, len(capture['parts']) * threads // os.cpu_count())]


def settings(bench):
    cores = os.cpu_count()
    kinds = [(backend, method) for method in ('exact', 'five-tuple') for backend in (bench.backend, 'cpu')]
    return [Setting(*kind, threads) for kind in dict.fromkeys(kinds) for threads in sorted({1, min(4, cores), cores})]


def measure_capture(bench, capture, leave):
    """In rounds, each with every setting that still fits into the time; `leave` seconds are for others."""
    last, outputs, block = {}, {}, None
    for _ in range(1 if bench.options.smoke else ROUNDS):
        for setting in settings(bench):
            if bench.left() - leave < 1.3 * last.get(setting, 0): continue
            try: run = run_setting(bench, capture, setting, block, leave)
            except Failed as failed:
                capture['wrong'].append(f'{words_for(setting)}: {failed}')
                return
            last[setting] = run['seconds']
            # The block of the first run for all: what it is by default differs between backends.
            if setting.method == 'five-tuple': block = block or run['block']
            capture['runs'].append(run)
            judge(capture, setting, run, outputs)


def words_for(setting): return f'{setting.backend}, {setting.method}, {setting.threads} threads'


def run_setting(bench, capture, setting, block, leave):
    words = ['--method', setting.method, '--threads', str(setting.threads), '--stages']
    if setting.backend == 'cpu' and setting.method == 'five-tuple' and block: words += ['--block', str(block)]
    parts = parts_for(capture, setting.threads)
    made = bench.extract([part['path'] for part in parts], setting.backend, *words, most=bench.left() - leave)
    said = made.stats
    return {**setting._asdict(), 'packets': sum(part['packets'] for part in parts),
            'seconds': made.done.seconds, 'seconds inside': said['seconds'],
            'peak bytes': made.done.peak, 'block': said.get('block'), 'records': said['rows'],
            'metered on the CPU': said['metered on the CPU'], 'sha256': made.digest, 'totals': said['totals'],
            'stage seconds': said['stage seconds']}


def judge(capture, setting, run, outputs):
    words = words_for(setting)
    digest, first = outputs.setdefault((setting.method, setting.threads), (run['sha256'], words))
    if digest != run['sha256']: capture['wrong'].append(f'{words}: not the output of {first}')
    if setting.method != 'exact': return
    parts = parts_for(capture, setting.threads)
    planted = {name: sum(part['planted'][name] for part in parts) for name in parts[0]['planted']}
    wrong = [name for name, value in planted.items() if run['totals'].get(name, value) != value]
    if wrong: capture['wrong'].append(f'{words}: not as planted: {", ".join(wrong)}')


def runs_by_setting(capture):
    by_setting = {}
    for run in capture['runs']:
        by_setting.setdefault((run['backend'], run['method'], run['threads']), []).append(run)
    return {setting: sorted(runs, key=lambda run: run['seconds']) for setting, runs in by_setting.items()}


def goal_lines(bench, capture):
    """Measured against the goal, and what the time went to. Stages overlap, but for those at the end."""
    runs = [run for run in capture['runs'] if run['backend'] == bench.backend and run['method'] == 'exact']
    if capture['name'] != GOAL_CAPTURE or not runs: return []
    best = max(runs, key=lambda run: run['packets'] / run['seconds'])
    rate, packets, inside = best['packets'] / best['seconds'] / 1e6, best['packets'], best['seconds inside']
    told = 'a rehearsal, which measures nothing of it' if bench.options.smoke or bench.options.cpu_only else \
        f'{"reached" if rate >= GOAL else "not reached"} ({rate / GOAL:.0%})'
    lines = [f'Goal: at least {GOAL} M packets/s, method exact, with one H200 and {GOAL_CORES} host cores. Best here: '
             f'**{rate:.2f}**, {best["threads"]} threads on {os.cpu_count()} cores: {told}; '
             f'{packets / inside / 1e6:.2f} without starting and ending the program.', '',
             'What bounds it, of that run:', '']
    busy = busy_seconds(best)
    lines += [f'* {name}: {seconds:.3f} s, {seconds / inside:.0%} of the time inside'
              for name, seconds in sorted(busy.items(), key=lambda item: -item[1]) if seconds >= 0.005 * inside]
    if bench.copy_rate and bench.backend == 'cuda':
        copies = packets * SEGMENT_BYTES / (bench.copy_rate * 1e9)
        lines += [f'* at the measured {bench.copy_rate:.1f} GB/s, copies alone take {copies:.3f} s: at most '
                  f'{packets / copies / 1e6:.0f} M packets/s']
    lines += [f'* predicted for {name} without any GPU (bench/gpu/predict): {line}' for name, line in predicted(bench)]
    return [*lines, '']


def predicted(bench):
    """-> [(GPU, what the newest committed prediction says of it)], of the GPU that is here, or of all."""
    files = sorted(glob.glob(os.path.join(TOP, 'bench', 'results', '*-predict', 'predict.json')))
    if not files: return []
    with open(files[-1], encoding='utf-8') as file: said = json.load(file)
    here = [one for one in said['gpus'] if one['gpu'].split()[0] in bench.gpu] or said['gpus']
    return [(one['gpu'], f'kernels {1e-6 / one["compute"]:.0f}, copies {1e-6 / one["copy"]:.0f} M packets/s')
            for one in here]


def busy_seconds(run):
    """Of each stage: of those with many threads, a thread's share."""
    took, busy = dict(run['stage seconds']), {}
    compute = [took.pop(name) for name in COMPUTE if name in took]
    if compute: busy['compute on the GPU'] = sum(compute)
    many = ('CPU filter', 'read', 'decode') + (('meter',) if run['backend'] == 'cpu' else ())
    for name, seconds in took.items():
        shared = name in many and run['threads'] > 1
        busy[f'{name}, a thread' if shared else name] = seconds / (run['threads'] if shared else 1)
    return busy


def report(bench, capture):
    rows, stages, names = [], [], []
    for setting, runs in runs_by_setting(capture).items():
        times = [run['seconds'] for run in runs]
        median, middle = statistics.median(times), runs[len(runs) // 2]
        packets = middle['packets']
        rows.append((*setting, f'{packets / 1e6:.0f}', len(runs), f'{median:.2f} ({times[0]:.2f} - {times[-1]:.2f})',
                     f'{packets / median / 1e6:.2f}', f'{middle["seconds inside"]:.2f}',
                     f'{max(run["peak bytes"] for run in runs) / 2**20:.0f}', f'{middle["metered on the CPU"]:,}'))
        names += [name for name in middle['stage seconds'] if name not in names]
        stages.append((setting, middle['stage seconds']))
    blocks = {run['block'] for run in capture['runs'] if run['block']}
    if not rows: return ['Not measured: ' + '; '.join(capture['wrong']), '']
    return [f'{capture["packets"]:,} packets, {capture["bytes"] / 1e9:.2f} GB in memory, in {len(capture["parts"])} '
            f'files; {max(run["records"] for run in capture["runs"]):,} records; memory blocks of '
            f'{", ".join(f"{block:,}" for block in blocks)} packets.', '', *goal_lines(bench, capture),
            *table(('backend', 'method', 'threads', 'M packets', 'runs', 's, median (min - max)', 'M packets/s',
                    's inside', 'peak MiB', 'packets metered on the CPU'), rows),
            'Stages of the middle run, seconds of all threads:', '',
            *table(('backend', 'method', 'threads', *names),
                   [(*setting, *(f'{took[n]:.2f}' if n in took else '' for n in names)) for setting, took in stages]),
            'Not as expected: ' + '; '.join(capture['wrong']) if capture['wrong'] else
            'All outputs of the same are equal, and method exact counts what was planted.', '']

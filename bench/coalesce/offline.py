"""`coalesce` of a capture beside `extract` of the same: packets a second, to nowhere and into a file in memory."""
import json, os, subprocess, tempfile

import traffic
from common import ready, timing
from common.markdown import paragraph, table

MEMORY = '/dev/shm'
NOWHERE = '/dev/null'
GOAL = 0.8
FILES, BYTES_A_PACKET = 3, 1_100        # that are there at once
SMOKE = dict(rounds=1, packets=20_000)
FULL = dict(rounds=10, packets=1_000_000)


def free_in(folder):
    if not os.path.isdir(folder): return 0
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def commands(program, threads, target):
    """-> {name: words before the capture}"""
    of = lambda name, *words: [program, name, '-q', '--threads', str(threads), *words]
    return {'extract': of('extract', '--format', 'csv', '-o', NOWHERE), 'coalesce': of('coalesce', '-o', NOWHERE),
            'cat, file': ['sh', '-c', f'exec cat "$1" > {os.path.join(target, "copied")}', 'sh'],
            'coalesce, pcap file': of('coalesce', '-o', os.path.join(target, 'joined.pcap')),
            'coalesce, pcapng file': of('coalesce', '-o', os.path.join(target, 'joined.pcapng'))}


def told(words, capture, folder):
    """What --stats says of a run."""
    stats = os.path.join(folder, 'stats.json')
    subprocess.run([*words, '--stats', stats, capture.path], check=True, capture_output=True, text=True)
    with open(stats) as file: return json.load(file)


def compete(candidates, capture, rounds, folder):
    """-> {name: seconds of each round}. They take turns; the first round warms up."""
    seconds = {name: [] for name in candidates}
    for i in range(rounds + 1):
        for name, words in candidates.items():
            done = timing.run([*words, capture.path], folder)
            if done.error: raise ready.Trouble(f'{name}: {done.error}')
            if i or rounds == 1: seconds[name].append(done.wall)
    return seconds


def measure(options, folder):
    """-> what every round gave, as a list of dicts"""
    program = os.path.join(options.build, ready.PROGRAMS['warpmeter'])
    found = []
    need = FILES * options.packets * BYTES_A_PACKET
    with tempfile.TemporaryDirectory(dir=MEMORY if free_in(MEMORY) > need else folder) as target:
        for i, shape in enumerate(traffic.SHAPES):
            ready.tell(shape)
            capture = traffic.write(os.path.join(folder, f'{i}.pcap'), shape, options.packets)
            for threads in sorted({1, os.cpu_count()}):
                candidates = commands(program, threads, target)
                stats = told(candidates['coalesce'], capture, folder)
                found.append({'shape': shape, 'threads': threads, 'packets': capture.packets, 'bytes': capture.size,
                              'packets written': stats['packets_written'], 'joined': stats['joined'],
                              'seconds': compete(candidates, capture, options.rounds, folder)})
            os.remove(capture.path)
    return found


def rate(one, name): return one['packets'] / min(one['seconds'][name])


def rows(found):
    for one in found:
        cells = [f'{one["shape"]}, threads: {one["threads"]}', f'{one["packets"]:,}', f'{one["packets written"]:,}']
        ours = [name for name in one['seconds'] if name != 'extract']
        yield [*cells, f'{rate(one, "extract") / 1e6:.2f}',
               *(f'{rate(one, name) / 1e6:.2f} ({rate(one, name) / rate(one, "extract"):.2f})' for name in ours)]


def report(found, options):
    names = [name for name in found[0]['seconds'] if name != 'extract']
    return ['## Offline', '', *paragraph(f'''
        Million packets a second on the clock, from the page cache: the best of {options.rounds} rounds in which all
        take turns; in brackets beside `extract` to {NOWHERE} of the same capture (goal: {GOAL}). Files lie in memory;
        what making one of all bytes takes `cat` shows.'''),
        *table(['', 'packets', 'left', 'extract', *names], list(rows(found)))]

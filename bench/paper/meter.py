"""`warpmeter extract` as the bench uses it: records to compare, totals of a block size, and what a run costs."""
import json, os, statistics, subprocess, sys
from collections import namedtuple

from common import timing
from traces import read_rows

# Seconds; bytes at the peak, with the capture mapped and through a pipe; {stage: seconds of all threads}.
Cost = namedtuple('Cost', 'label wall cpu peak peak_piped stages')


class Meter:
    def __init__(self, build, folder, backend):
        self.program, self.folder, self.backend = os.path.join(build, 'warpmeter'), folder, backend

    def command(self, method, trace, *options, block=None, backend=None):
        command = [self.program, 'extract', '-q', '--backend', backend or self.backend, '--method', method, *options]
        if method == 'five-tuple': command += ['--block', str(block)]
        return command + [trace]

    def run(self, command):
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode: sys.exit(f'{" ".join(command)}: exit status {done.returncode}\n{done.stderr}')

    def rows(self, method, trace, *options, block=None):
        """The Flow Records, with the counters that the truth has."""
        output = os.path.join(self.folder, 'records.csv')
        self.run(self.command(method, trace.path, '-o', output, *options, block=block))
        return read_rows(output, trace.truth.names)

    def refuses(self, method, trace):
        """-> what the program says if this backend cannot do this method, else nothing"""
        done = subprocess.run(self.command(method, trace.path, '-o', os.devnull, '--format', 'csv', block=1024),
                              stderr=subprocess.PIPE, text=True)
        return done.stderr.strip() if done.returncode else ''

    def cost(self, method, backend, trace, repeat, block):
        """Median run of `repeat` by wall time."""
        stats = os.path.join(self.folder, 'stats.json')
        fixed = ['--stages', '--stats', stats, '-o', os.devnull, '--format', 'csv']
        runs = []
        for _ in range(repeat):
            used = self.used(self.command(method, trace.path, *fixed, block=block, backend=backend))
            with open(stats) as file: said = json.load(file)
            runs.append((used.wall, used, said))
        piped = self.used(self.command(method, '-', *fixed, block=block, backend=backend), pipe=trace.path)
        wall, used, said = sorted(runs, key=lambda r: r[0])[len(runs) // 2]
        return Cost(f'{said["backend"]["name"]}, {method}', wall, used.cpu,
                    statistics.median(r[1].peak for r in runs), piped.peak, said['stage seconds'])

    def used(self, command, pipe=None):
        used = timing.run(command, self.folder, pipe)
        if used.error: sys.exit(f'{" ".join(command)}: {used.error}')
        return used

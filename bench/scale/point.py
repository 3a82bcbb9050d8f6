"""One point of a series: warpmeter over one input with one setting, measured."""
import json, os, shutil
from collections import namedtuple

from common import timing

# label and x: what changes; input: a file or a folder; made: the Capture in it; alive: flows at once, of the generator
Point = namedtuple('Point', 'label x input made alive threads', defaults=(None,))


class Measured:
    def __init__(self, point): self.point, self.runs, self.said, self.piped, self.error = point, [], None, None, ''

    @property
    def done(self): return bool(self.runs) and not self.error

    def wrong(self):
        """Names of the counters that are not as planted."""
        planted = self.point.made.truth['totals']
        return [name for name, value in planted.items() if self.said['totals'][name] != value]


class Meter:
    def __init__(self, build, folder):
        self.program, self.folder = os.path.join(build, 'warpmeter'), os.path.join(folder, 'run')

    def run(self, point, through_pipe=False):
        """-> Run, what --stats said"""
        os.makedirs(self.folder)
        stats = os.path.join(self.folder, 'stats.json')
        command = [self.program, 'extract', '-q', '--backend', 'cpu', '-o', os.devnull, '--format', 'csv',
                   '--stats', stats]
        if point.threads: command += ['--threads', str(point.threads)]
        run = timing.run(command + ['-' if through_pipe else point.input], self.folder,
                         pipe=point.input if through_pipe else None)
        said = None
        if not run.error:
            with open(stats) as file: said = json.load(file)
        shutil.rmtree(self.folder)
        return run, said

    def measure(self, points, rounds, tell):
        """The points take turns; one round to warm up, if several follow. -> [Measured]"""
        found = [Measured(point) for point in points]
        for number in range(0 if rounds > 1 else 1, rounds + 1):
            for measured in found:
                if measured.error: continue
                tell(f'  {measured.point.label}, round {number} of {rounds}')
                run, measured.said = self.run(measured.point)
                measured.error = run.error
                if number and not run.error: measured.runs.append(run)
        for measured in found:
            if measured.done and os.path.isfile(measured.point.input):
                measured.piped = self.run(measured.point, through_pipe=True)[0]
        return found

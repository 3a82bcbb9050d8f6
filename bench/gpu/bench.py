"""What the steps share: where things lie, how much time is left, how warpmeter is called, what was found so far."""
import hashlib, json, os, shutil, tempfile, time
from collections import namedtuple

from commands import Failed, Skipped, check, run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST_LOOK = os.path.join(TOP, 'data', 'first-look.pcap')
FILES = ('summary.md', 'machine.txt', 'build.log', 'tests.log', 'sanitizer.log', 'kernels.txt', 'ncu.txt',
         'end_to_end.json')
PROGRAMS = {'warpmeter': 'warpmeter', 'traffic_gen': 'tools/traffic_gen/traffic_gen',
            'reference_meter': 'tests/reference/reference_meter', 'test_gpu': 'tests/test_gpu',
            'kernels_bench': 'bench/kernels_bench', 'kernels_bench_on_cpu': 'bench/kernels_bench_on_cpu'}

Extracted = namedtuple('Extracted', 'done stats output digest')
Result = namedtuple('Result', 'step verdict seconds text')    # verdict: ok, FAILED or skipped


def scratch_folder():
    """In memory where that can be had."""
    shm = '/dev/shm'
    in_memory = os.path.isdir(shm) and os.access(shm, os.W_OK) and shutil.disk_usage(shm).free > 1 << 30
    return tempfile.TemporaryDirectory(prefix='warpmeter-bench-', dir=shm if in_memory else None)


def tool(name):
    """-> the path of a CUDA tool. Skipped if there is none."""
    found = shutil.which(name) or shutil.which(name, path='/usr/local/cuda/bin')
    if not found: raise Skipped(f'there is no {name} on this machine')
    return found


class Bench:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.out, self.build = os.path.abspath(options.out), os.path.abspath(options.build)
        self.backend = 'cpu' if options.cpu_only else 'cuda'    # what is compared with the CPU, and measured
        self.end = time.monotonic() + options.seconds
        self.step_end = self.end
        self.gpu = ''           # its name, once it has metered something
        self.no_gpu = False     # set if that did not work
        self.copy_rate = None   # GB/s from pinned memory to it, once measured
        self.about = []         # lines about the machine
        self.results = []
        self.sections = {}      # heading: lines of the summary
        os.makedirs(self.out, exist_ok=True)
        for name in FILES:
            if os.path.exists(self.path(name)): os.remove(self.path(name))

    def path(self, name): return os.path.join(self.out, name)

    def temporary(self, name): return os.path.join(self.scratch, name)

    def left(self):
        """Seconds that the current step still has."""
        return self.step_end - time.monotonic()

    def add_row(self, heading, head, row):
        self.sections[heading] = self.sections.get(heading, table(head, []))[:-1] + table(head, [row])[2:]

    def program(self, name):
        path = os.path.join(self.build, PROGRAMS[name])
        if not os.path.exists(path): raise Skipped(f'{name} was not built')
        return path

    def need_gpu(self):
        if self.options.cpu_only: raise Skipped('needs a GPU')
        if self.no_gpu: raise Failed('no GPU that meters, see machine')

    def run(self, command, most, log=None, **environment):
        """Within the time that the step has left. `log`: one of FILES; else what it prints is looked at and gone."""
        path = self.path(log) if log else self.temporary('log')
        if not log and os.path.exists(path): os.remove(path)
        return run(command, min(most, self.left()), path, **environment)

    def generate(self, name, most, *options):
        """-> (path of the capture, how traffic_gen ran)"""
        path = self.temporary(name)
        done = check(self.run([self.program('traffic_gen'), *options, '-o', path], most))
        return path, done

    def extract(self, captures, backend, *options, most, output='out.csv'):
        """Meters a capture, or a list of them; Failed if it did not, or not with this backend."""
        captures = [captures] if isinstance(captures, str) else captures
        stats, output = self.temporary('stats.json'), self.temporary(output)
        done = check(self.run([self.program('warpmeter'), 'extract', '-q', '--backend', backend, *options,
                               '--tmpdir', self.scratch, '--stats', stats, '-o', output, *captures], most))
        with open(stats) as file: said = json.load(file)
        if said['backend']['name'] != backend: raise Failed(f'{said["backend"]} metered instead of {backend}')
        return Extracted(done, said, output, digest_of(output))


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, 'rb') as file:
        while chunk := file.read(1 << 20): digest.update(chunk)
    return digest.hexdigest()


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head),
            *('| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows), '']

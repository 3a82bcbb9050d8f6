"""What examples find on this machine: the programs of the build under the names that users know, files, and company."""
import ast, contextlib, glob, os, re, shutil, signal, subprocess, sys, time

import place, tables
from beside import collectors, frames_of, frames_on
from blocks import Failed, uses

SECONDS = 120  # that no example takes but one that hangs


class LeftOut(Exception):
    """This build, or this machine, lacks what it needs: the message says what."""


class Machine:
    """One for a page. ENV has what tests/CMakeLists.txt gives; folders of examples are made below FOLDER."""

    def __init__(self, folder, env):
        self.folder, self.number, self.python = folder, 0, env.get('PYTHON') or sys.executable
        self.source, self.build = env['SOURCE'], os.path.dirname(env['WARPMETER'])
        self.env = {
            **env, **tables.ENVIRONMENT, 'PATH': f'{folder}/bin:{env["PATH"]}', 'HOME': f'{folder}/home',
            'TMPDIR': '/run/tmp', 'NO_COLOR': '1', 'PYTHON': self.python, 'PYTHONPATH': f'{self.build}/python',
            'PYTHONDONTWRITEBYTECODE': '1',
            'LOOK': f'{self.source}/data/first-look.pcap',
            'FIRST': f'{folder}/first.pcap', 'SECOND': f'{folder}/second.pcap',
        }
        for name in ('bin', 'home'): os.makedirs(f'{folder}/{name}')
        self.make_programs()
        self.halve()
        self.info = self.command('warpmeter info', folder)

    def make_programs(self):
        """warpmeter as users have it: where it goes on until Ctrl-C, that comes; `cluster` is of the Python package."""
        here, program = os.path.dirname(os.path.abspath(__file__)), self.env['WARPMETER']
        with open(f'{self.folder}/bin/warpmeter', 'w') as script:
            script.write(f"""#!/bin/sh
case $1 in
  live) exec '{sys.executable}' '{here}/ctrl_c.py' '{program}' "$@" ;;
  cluster) exec '{self.python}' -c 'from warpmeter._main import main; main()' "$@" ;;
esac
exec '{program}' "$@"
""")
        os.chmod(f'{self.folder}/bin/warpmeter', 0o755)

    def halve(self):
        with open(self.env['LOOK'], 'rb') as file: capture = file.read()
        frames = list(frames_of(capture))
        cut = 24 + sum(16 + len(frame) for frame in frames[: len(frames) // 2])
        for name, data in (('FIRST', capture[:cut]), ('SECOND', capture[:24] + capture[cut:])):
            with open(self.env[name], 'wb') as file: file.write(data)

    def start(self, words, folder, out, err):
        return subprocess.Popen(words, cwd=folder, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                start_new_session=True)

    def run(self, words, folder):
        """Runs a program, all that it starts included; returns exit status, standard output and error."""
        with open(f'{self.folder}/out', 'w+b') as out, open(f'{self.folder}/err', 'w+b') as err:
            process = self.start(words, folder, out, err)
            try: status = process.wait(SECONDS)
            except subprocess.TimeoutExpired: status = f'none after {SECONDS} s'
            finally: end(process)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors='replace'))
        return status, *texts

    def command(self, line, folder):
        """What a line for a shell says, which has to succeed."""
        status, out, err = self.run(['bash', '-euo', 'pipefail', '-c', line], folder)
        if status: raise Failed(f'exit status {status} of: {line.rstrip()}\n{out}{err}')
        return out

    def new_folder(self, block):
        """With the files that the example reads, and nothing else, also where it names files by their whole paths."""
        self.number += 1
        folder = f'{self.folder}/{self.number}'
        os.mkdir(folder)
        for name in ('/data', '/nfs', '/run/detector'): empty(name)
        for name, how in tables.STAND_INS.items():
            if uses(block, name): self.command(how, folder)
        return folder

    def need(self, block):
        """Raises LeftOut if there is something that it cannot do without."""
        for word, (what, package) in tables.PROGRAMS.items():
            if word in block.text and not shutil.which(what): raise LeftOut(f'apt-get install {package} runs this')
        for word, (said, runs_it) in tables.FEATURES.items():
            if word in block.text and not re.search(said, self.info): raise LeftOut(runs_it)
        modules = modules_of(block.text) if block.language == 'python' else set()
        for word, needed in tables.MODULES.items():
            if word in block.text: modules |= needed
        modules &= tables.OPTIONAL_MODULES
        if modules and self.run([self.python, '-c', f'import {", ".join(modules)}'], '/')[0]:
            raise LeftOut('tools/setup-python, tools/setup-cluster and a build with -DWARPMETER_PYTHON=ON run this')

    @contextlib.contextmanager
    def company(self, block, folder):
        """What is beside it until it ends."""
        with contextlib.ExitStack() as beside_it:
            interfaces = [name for name in place.INTERFACES if re.search(rf'\b{name}\b', block.text)]
            if interfaces:
                with open(self.env['LOOK'], 'rb') as file: beside_it.enter_context(frames_on(interfaces, file.read()))
            if 'collector.example' in block.text: beside_it.enter_context(collectors())
            programs = [(line, ready) for word, (line, ready) in tables.BESIDE.items() if word in block.text]
            for line, _ in programs: beside_it.callback(end, self.begin(line, folder))
            for line, ready in programs: self.wait_for(ready, line, folder)
            yield

    def begin(self, line, folder):
        """In the background; what it says is in beside.log."""
        with open(f'{folder}/beside.log', 'ab') as said:
            return self.start(['bash', '-c', line], folder, said, said)

    def wait_for(self, ready, line, folder):
        deadline = time.monotonic() + SECONDS / 2
        while (tried := self.run(['bash', '-c', ready], folder))[0]:
            if time.monotonic() > deadline:
                with open(f'{folder}/beside.log') as said: raise Failed(f'not in time: {line}\n{said.read()}{tried[2]}')
            time.sleep(0.1)


def modules_of(text):
    names = set()
    try: tree = ast.parse(text)
    except SyntaxError: return names  # Python will say it
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom): names.add(node.module or '')
        elif isinstance(node, ast.Import): names.update(alias.name for alias in node.names)
    return {name.split('.')[0] for name in names}


def empty(folder):
    os.makedirs(folder, exist_ok=True)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False): shutil.rmtree(entry.path)
        else: os.unlink(entry.path)


def end(process):
    with contextlib.suppress(ProcessLookupError): os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def end_all():
    """What examples have left behind, as daemons do: children of this program, which is the first in its place."""
    def children():
        for path in glob.glob('/proc/self/task/*/children'):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended since
                with open(path) as pids: yield from map(int, pids.read().split())

    while left := [*children()]:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

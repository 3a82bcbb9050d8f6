"""What a bench needs before it begins: its programs, room, a place for the report; and that whatever goes wrong ends it
with one line. No bench is to fail after an hour for what could have been seen at once."""
import argparse, fcntl, os, signal, subprocess, sys, tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.path.join(TOP, 'build', 'release')
PROGRAMS = {'warpmeter': 'warpmeter', 'traffic_gen': 'tools/traffic_gen/traffic_gen', 'floors': 'bench/floors',
            'receive_bench': 'bench/receive_bench', 'scheduler_bench': 'bench/scheduler_bench',
            'stream_bench': 'bench/stream_bench', 'policy_bench': 'bench/policy_bench',
            'ring_metering_bench': 'bench/ring_metering_bench', 'record_latency_bench': 'bench/record_latency_bench'}
PYTHON = (3, 9)
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)   # also a terminal that is gone, but not under nohup


class Trouble(Exception):
    """What is wrong and what helps, in one line."""


def start(name, main):
    """Runs a bench; `name` as one types it."""
    if sys.version_info < PYTHON: sys.exit(f'{name}: needs Python {PYTHON[0]}.{PYTHON[1]} or newer')
    for one in ENDS:
        if signal.getsignal(one) != signal.SIG_IGN or one == signal.SIGTERM: signal.signal(one, interrupted)
    try: main()
    except KeyboardInterrupt: end(name, 'interrupted', 130)
    except Trouble as trouble: end(name, trouble, 1)
    except subprocess.CalledProcessError as failed:
        how = f'signal {-failed.returncode}' if failed.returncode < 0 else f'exit status {failed.returncode}'
        said = (failed.stderr or '').strip().split('\n')[-1]
        end(name, f'{os.path.basename(str(failed.cmd[0]))}: {how}' + (f': {said}' if said else ''), 1)
    except OSError as error:
        end(name, ': '.join(str(word) for word in (error.filename, error.strerror or error) if word), 1)


def interrupted(*_):
    """Once: who presses Ctrl-C again does not interrupt what clears away."""
    for one in ENDS: signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


def end(name, words, status):
    print(f'{name}: {words}', file=sys.stderr)
    sys.exit(status)


def tell(words): print(words, file=sys.stderr, flush=True)


def positive(text):
    """For argparse: a whole number above 0."""
    if not text.isdigit() or not int(text): raise argparse.ArgumentTypeError(f"'{text}' is no number above 0")
    return int(text)


def build(options, targets):
    """Builds these PROGRAMS where tools/run builds; in a folder that the user names they must lie already."""
    if not options.build:
        make(targets)
        options.build = BUILD
    missing = [target for target in targets if not os.access(os.path.join(options.build, PROGRAMS[target]), os.X_OK)]
    if missing:
        raise Trouble(f'no {", ".join(missing)} in {options.build}: cmake --build {options.build} --target '
                      f'{" ".join(missing)}')


def make(targets):
    absent = [target for target in targets if not os.path.exists(os.path.join(BUILD, PROGRAMS[target]))]
    if absent: tell(f'building {", ".join(absent)} in build/release')
    run = os.path.join(TOP, 'tools', 'run')         # sets up, configures if need be, and says what it does
    done = subprocess.run([run, '--version'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if done.returncode: raise Trouble('tools/run could not build warpmeter, see above')
    with open(os.path.join(TOP, 'build', '.lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)            # as tools/run and tools/test do
        done = subprocess.run(['cmake', '--build', BUILD, '--target', *targets], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if done.returncode:
        tell(done.stdout.rstrip())
        raise Trouble(f'cannot build {", ".join(targets)}, see above')


def place(folder):
    """Makes the folder for the report, and sees whether it can be written."""
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error: raise Trouble(f'--out {folder}: {error.strerror}')


def writable(path, option='--out'):
    """The same for a report that is a file, or None. One that is new appears when it is written."""
    if path:
        new = not os.path.lexists(path)
        try: open(path, 'a').close()
        except OSError as error: raise Trouble(f'{option} {path}: {error.strerror}')
        if new: os.remove(path)


def room(need, folder=None, how='TMPDIR=FOLDER'):
    """Sees whether captures of so many bytes have room in the folder for temporary files (`how` chooses another)."""
    folder = folder or os.environ.get('TMPDIR') or tempfile.gettempdir()     # which takes another for a wrong one
    try:
        found = os.statvfs(folder)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error: raise Trouble(f'{folder}: {error.strerror}; {how} chooses another folder')
    free = found.f_bavail * found.f_frsize
    if free < need:
        raise Trouble(f'needs {need / 1e9:.1f} GB in {folder}, which has {free / 1e9:.1f}; {how} chooses another '
                      'folder')
    if available_memory() < need:
        tell(f'{need / 1e9:.1f} GB of captures do not fit into the free memory: the disk will be measured, too')


def available_memory():
    with open('/proc/meminfo') as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith('MemAvailable:')), 1 << 62)


def takes(seconds):
    """Says how long it will take. `seconds`: on the two cores where results/ were made."""
    if seconds >= 90: words = f'about {seconds / 60:.0f} minutes'
    else: words = f'about {seconds:.0f} seconds' if seconds >= 10 else 'a few seconds'
    tell(f'takes {words} on a machine with two cores, once built')

"""Who takes part: how it is called, and what it says it delivered."""
import json, os, shlex, shutil, subprocess
from dataclasses import dataclass
from typing import Callable, Optional

from common import ready

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Contender:
    """`command`: of a Capture and a folder of the run's own, which is empty. `delivered`: of that folder, payload bytes
    that it gave away, if it tells. Its standard output is in `stdout` there."""
    name: str
    command: Callable
    delivered: Optional[Callable] = None
    ours: bool = False
    all_cores: bool = False


def told(folder):
    with open(os.path.join(folder, 'stdout')) as file: return json.load(file)['payload_bytes']


def told_by_floor(folder):
    with open(os.path.join(folder, 'stdout')) as file:
        return next(int(line.split()[1]) for line in file if line.startswith('payload: '))


def written(folder): return sum(entry.stat().st_size for entry in os.scandir(os.path.join(folder, 'files')))


def streams(build, name, *words, threads=1):
    program = os.path.join(build, ready.PROGRAMS['stream_bench'])
    return Contender(name, lambda capture, _: [program, '--threads', str(threads), *words, capture.path], told,
                     ours=True, all_cores=threads > 1)


def floor(build, name, what):
    program = os.path.join(build, ready.PROGRAMS['floors'])
    return Contender(name, lambda capture, _: [program, what, capture.path],
                     told_by_floor if what == 'payload' else None)


def shell(name, line): return Contender(name, lambda capture, _: ['sh', '-c', line, 'sh', capture.path])


def libnids(folder):
    """-> (Contender, or None, and why). Its table has room for half as much again as all connections of the capture:
    with less it leaves out some, for it does not see all of them end."""
    program = os.path.join(folder, 'libnids_drop')
    words = [*shlex.split(os.environ.get('CXX') or 'g++'), '-O2', '-o', program,
             os.path.join(HERE, 'libnids_drop.cc'), '-lnids', '-lpcap']
    try: done = subprocess.run(words, capture_output=True, text=True, errors='replace')
    except OSError as error: return None, f'libnids is left out: {words[0]}: {error.strerror}'
    if 'nids.h' in done.stderr: return None, 'libnids is left out: no nids.h (bench/peers/setup installs libnids-dev)'
    if done.returncode:
        why = next((line for line in done.stderr.split('\n') if 'error' in line), 'it cannot be compiled')
        return None, f'libnids is left out: {why.strip()}'
    return Contender('libnids', lambda capture, _: [program, capture.path, str(capture.connections * 3 // 2 + 16)],
                     told), ''


def files(build):
    program = os.path.join(build, ready.PROGRAMS['warpmeter'])
    def command(capture, folder):
        return [program, 'reassemble', '-q', '--threads', '1', '-o', os.path.join(folder, 'files'), capture.path]
    return Contender('warpmeter reassemble', command, written, ours=True)


def copied(writer, capture, made):
    """-> [Contender]: the files that `writer` makes of a capture, put in `made`, are copied. What that takes is the
    system's, of everybody who makes such files; none if there are none to copy."""
    if subprocess.run(writer.command(capture, made), capture_output=True).returncode: return []
    source = os.path.join(made, 'files')
    return [Contender('cp', lambda _, folder: ['cp', '-r', source, os.path.join(folder, 'files')], written)]


def tcpflow():
    """Without its reports, and without a look into what is carried: streams to files and nothing else."""
    if not shutil.which('tcpflow'): return None, 'tcpflow is left out: no tcpflow (bench/peers/setup installs it)'
    def command(capture, folder):
        return ['tcpflow', '-q', '-E', 'tcpdemux', '-S', 'enable_report=NO', '-o', os.path.join(folder, 'files'), '-r',
                capture.path]
    return Contender('tcpflow', command, written), ''

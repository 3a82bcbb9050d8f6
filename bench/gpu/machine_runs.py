"""Whole runs of `extract` on the CUDA machine in software (tests/simulator), on captures made for them."""
import os, subprocess

import timeline

TIME_LIMIT = 1800
SNAPLEN = 96


def run(command, **environment):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_LIMIT,
                          check=False, env={**os.environ, **environment})
    name = os.path.basename(command[0])
    if done.returncode: raise SystemExit(f'{name}: {done.stderr.strip() or done.returncode}')
    return done.stdout


def programs(build):
    found = {'machine': os.path.join(build, 'tests', 'simulator', 'warpmeter_on_machine'),
             'warpmeter': os.path.join(build, 'warpmeter'),
             'traffic_gen': os.path.join(build, 'tools', 'traffic_gen', 'traffic_gen')}
    for path in found.values():
        if os.path.exists(path): continue
        print(f'there is no {path}: it takes a build with WARPMETER_TESTS, and a CUDA compiler (tools/setup-cuda gets '
              'one)')
        raise SystemExit(77)
    return found


def make_capture(found, scratch, packets, flows):
    path = os.path.join(scratch, f'{packets}.pcap')
    if not os.path.exists(path):
        run([found['traffic_gen'], '--packets', str(packets), '--flows', str(flows), '--snaplen', str(SNAPLEN),
             '-o', path])
    return path


def extract(machine, capture, settings, batch=None):
    by_batch = ['--batch', str(batch)] if batch else []
    run([machine, 'extract', '-q', '--backend', 'cuda', '--gpu-memory', '2G', *by_batch, '-o', os.devnull, capture],
        CUDA_MACHINE='memory=4096,' + settings)


def logged_run(machine, capture, batch, scratch):
    """-> the calls of a run with batches of so many packets (timeline.py)"""
    folder = os.path.join(scratch, f'log-{batch}')
    os.mkdir(folder)
    extract(machine, capture, f'unwritten=0,log={folder}', batch)
    path, = (os.path.join(folder, name) for name in os.listdir(folder))
    return timeline.read_log(path)

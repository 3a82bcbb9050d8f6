"""Flow meters on the wire `capture`, one after the other: CPU seconds of their processes, packets that they counted."""
import json, os, re, shutil, signal, subprocess, sys, time
from collections import namedtuple

from common.ready import PROGRAMS, Trouble

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READ_WITHIN = 0.3  # seconds: who collects packets takes the last ones then
SENDER = os.path.join(BENCH, 'soak', 'sender.py')

# `start(options, folder)` gives the command; `count(folder)`, once it has ended, the packets that it told of, or None.
Meter = namedtuple('Meter', 'name start ready count')
# CPU seconds, of them so many from the first packet until the last has been read; `sent` to it, `counted` by it
Found = namedtuple('Found', 'name cpu while_sent sent counted trouble')


def warpmeter(ring):
    def start(options, folder):
        program = os.path.join(folder, 'metering')  # nobody who ends programs by their names means this one
        shutil.copy(os.path.join(options.build, 'warpmeter'), program)
        return [program, 'live', '-i', 'capture', '--ring', ring, '--threads', '1', '--idle-timeout', '15s',
                '--stats', os.path.join(folder, 'stats.json'), '-o', os.path.join(folder, 'flows.csv')]
    def count(folder):
        with open(os.path.join(folder, 'stats.json')) as file: return json.load(file)['packets metered']
    return start, count


def softflowd(options, folder):
    return ['softflowd', '-d', '-i', 'capture', '-n', '127.0.0.1:9', '-v', '10', '-p', os.path.join(folder, 'pid'),
            '-c', os.path.join(folder, 'control')]


def count_of_softflowd(folder):
    found = re.search(r'Packets processed: (\d+)|(\d+) packets', said(folder))
    return int(found[1] or found[2]) if found else None


def nfpcapd(options, folder):
    os.mkdir(os.path.join(folder, 'flows'))
    return ['nfpcapd', '-i', 'capture', '-w', os.path.join(folder, 'flows'), '-t', '3600', '-s', '1600']


def count_of_nfpcapd(folder):
    done = subprocess.run(['nfdump', '-R', os.path.join(folder, 'flows'), '-I'], capture_output=True, text=True)
    found = re.search(r'^Packets: (\d+)', done.stdout, re.M)
    return int(found[1]) if found else None


METERS = [Meter(f'warpmeter, `--ring {ring}`', warpmeter(ring)[0], 'capturing from', warpmeter(ring)[1])
          for ring in ('packet', 'xdp')] + [
    Meter('softflowd', softflowd, '', count_of_softflowd), Meter('nfpcapd', nfpcapd, '', count_of_nfpcapd)]


def said(folder):
    with open(os.path.join(folder, 'said'), errors='replace') as file: return file.read()


def wait_until_ready(meter, process, folder):
    for _ in range(100 if meter.ready else 10):
        time.sleep(0.1)
        if process.poll() is not None: raise Trouble(f'{meter.name}: {said(folder).strip().split(chr(10))[-1]}')
        if meter.ready and meter.ready in said(folder): return
    if meter.ready: raise Trouble(f'{meter.name} does not capture')


def control(folder):
    """softflowd tells its numbers while it runs."""
    if os.path.exists(os.path.join(folder, 'control')):
        with open(os.path.join(folder, 'said'), 'a') as to:
            subprocess.run(['softflowctl', '-c', os.path.join(folder, 'control'), 'statistics'], stdout=to, stderr=to)


def cpu_of_threads(process):
    """Seconds so far, of those that it has now: /proc/PID/stat counts in hundredths."""
    total, tasks = 0, f'/proc/{process}/task'
    for thread in os.listdir(tasks):
        with open(os.path.join(tasks, thread, 'schedstat')) as file: total += int(file.read().split()[0])
    return total / 1e9


def run(meter, options, folder, captures):
    os.mkdir(folder)
    command = meter.start(options, folder)
    if not shutil.which(command[0]): return Found(meter.name, 0, 0, 0, None, 'is not installed')
    with open(os.path.join(folder, 'said'), 'w') as to:
        process = subprocess.Popen(command, stdout=to, stderr=to, stdin=subprocess.DEVNULL)
    try:
        wait_until_ready(meter, process, folder)
        send = [sys.executable, '-B', SENDER, 'sender', str(options.rate), str(options.seconds), *captures]
        before = cpu_of_threads(process.pid)
        done = subprocess.run(send, stdout=subprocess.PIPE, text=True, check=True)
        time.sleep(READ_WITHIN)
        while_sent = cpu_of_threads(process.pid) - before
        time.sleep(1 - READ_WITHIN)
        control(folder)
        process.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        if process.returncode is None: process.kill()
    sent = json.loads(done.stdout)['sent']
    return Found(meter.name, used.ru_utime + used.ru_stime, while_sent, sent, meter.count(folder), '')


def traffic(options, folder):
    """Of a thousand flows."""
    capture = os.path.join(folder, 'traffic.pcap')
    packets = min(60_000, options.rate * options.seconds)
    generate = [os.path.join(options.build, PROGRAMS['traffic_gen']), '--packets', str(packets), '--frame-size', '300',
                '--mean-packets', '50', '--flows', '1000', '-o', capture]
    subprocess.run(generate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return capture


def measure(options, folder):
    capture = traffic(options, folder)
    return [run(meter, options, os.path.join(folder, str(number)), [capture]) for number, meter in enumerate(METERS)]

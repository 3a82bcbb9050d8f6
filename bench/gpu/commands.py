"""Commands one after another within a limit of time. None is waited for longer than it may take, not even one that a
driver keeps from dying, so that the bench always gets to its summary."""
import os, re, signal, subprocess, threading, time
from collections import namedtuple

MOST_TEXT = 1 << 20    # bytes of a command's output that are looked at
MOST_LOG = 8 << 20     # bytes of a log; of a longer one the beginning and the end are kept
PATIENCE = 5           # seconds between asking to end and forcing it

# `status` is None if it did not end in time; `peak` is the most bytes of memory that were resident at once.
Done = namedtuple('Done', 'command status seconds peak text')


class Failed(Exception):
    """A step that went wrong, and why."""


class Skipped(Exception):
    """A step that could not be tried, and why."""


def why(text):
    """The line of an output that tells most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r'\b(error|fatal|not found)\b', line, re.IGNORECASE)]
    return ((telling or lines[-1:] or ['it said nothing'])[0])[:300]


def check(done):
    """Failed unless the command ended with exit status 0."""
    name = os.path.basename(done.command[0])
    if done.status is None: raise Failed(f'{name} was stopped after {done.seconds:.0f} s')
    if done.status: raise Failed(f'{name}: exit status {done.status}: {why(done.text)}')
    return done


def run(command, limit, log, **environment):
    """Runs it and appends what it prints to the file `log`, under a line with the command."""
    with open(log, 'ab') as file:
        file.write(('$ ' + ' '.join(command) + '\n').encode())
        file.flush()
        begin, start = file.tell(), time.monotonic()
        status, peak = start_and_wait(command, limit, file, environment)
        seconds = time.monotonic() - start
        ended = f'stopped after {seconds:.1f} s' if status is None else f'exit status {status}, {seconds:.2f} s'
        size = file.seek(0, os.SEEK_END)
        text = text_between(log, begin, size)
        file.write(f'[{ended}]\n\n'.encode())
    shorten(log)
    return Done(command, status, seconds, peak, text)


def start_and_wait(command, limit, output, environment):
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env={**os.environ, **environment}, start_new_session=True)
    except OSError as error:
        output.write(f'{command[0]}: {error.strerror}\n'.encode())
        output.flush()
        return 127, 0
    ended = []

    def wait():
        _, status, usage = os.wait4(process.pid, 0)
        ended.append((os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024))
    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    in_time = False
    try:
        waiting.join(max(limit, 0))
        in_time = bool(ended)
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if ended: break
            signal_group(process.pid, sign)
            waiting.join(PATIENCE)
        if not in_time: signal_group(process.pid, signal.SIGKILL)    # what it started and left behind
    process.returncode = ended[0][0] if ended else -signal.SIGKILL    # Popen need not look after it any more
    return ended[0] if in_time else (None, ended[0][1] if ended else 0)


def signal_group(group, sign):
    try: os.killpg(group, sign)
    except ProcessLookupError: pass


def text_between(path, begin, end):
    with open(path, 'rb') as file:
        file.seek(max(begin, end - MOST_TEXT))
        return file.read(end - file.tell()).decode(errors='replace')


def shorten(path):
    if os.path.getsize(path) <= MOST_LOG: return
    with open(path, 'rb') as file:
        first = file.read(MOST_LOG // 4)
        file.seek(-MOST_LOG // 4, os.SEEK_END)
        last = file.read()
    with open(path, 'wb') as file: file.write(first + b'\n[... left out: the log was too long ...]\n' + last)

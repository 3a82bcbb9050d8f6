"""Runs a command and tells what it used, as one line of JSON on standard output: exit status, wall seconds, CPU seconds
and peak bytes (of its largest process), of the command and of all that it started; and the least that peak can be.

    usage.py [--pipe FILE] [--output FOLDER] [--limit SECONDS] COMMAND...

--pipe: FILE comes through a pipe to the command's standard input; --output: its standard output and error go to files
`stdout` and `stderr` there; --limit: it is killed then, which reads as status -9.

A process of its own, because a child begins with the peak memory of its parent: that of this one is small, and known.
And because it adopts what the command leaves behind: a daemon's processes count until the last has ended.
"""
import argparse, ctypes, json, os, re, signal, subprocess, sys, time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--pipe')
    parser.add_argument('--output')
    parser.add_argument('--limit', type=int, default=0)
    parser.add_argument('command', nargs=argparse.REMAINDER)
    return parser.parse_args()


def start(options):
    """-> (command, feeder or None)"""
    feeder = subprocess.Popen(['cat', options.pipe], stdout=subprocess.PIPE) if options.pipe else None
    out, err = ((open(os.path.join(options.output, name), 'wb') for name in ('stdout', 'stderr'))
                if options.output else (subprocess.DEVNULL, None))
    command = subprocess.Popen(options.command, stdin=feeder.stdout if feeder else subprocess.DEVNULL, stdout=out,
                               stderr=err, start_new_session=True,
                               preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    if feeder: feeder.stdout.close()
    return command, feeder


def wait_for_all(command, feeder):
    """-> exit status of the command, CPU seconds, peak bytes"""
    status, cpu, peak = 0, 0.0, 0
    while True:
        try: pid, how, used = os.wait4(-1, 0)
        except ChildProcessError: return status, cpu, peak
        if feeder and pid == feeder.pid: continue
        if pid == command.pid: status = os.waitstatus_to_exitcode(how)
        cpu += used.ru_utime + used.ru_stime
        peak = max(peak, used.ru_maxrss * 1024)


def own_peak():
    """Since this program began: getrusage would tell that of the parent, which is larger."""
    with open('/proc/self/status') as file: return int(re.search(r'VmHWM:\s+(\d+)', file.read())[1]) * 1024


def main():
    options = parse()
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    begin = time.monotonic()
    command, feeder = start(options)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(command.pid, signal.SIGKILL))
    signal.alarm(options.limit)
    status, cpu, peak = wait_for_all(command, feeder)
    wall = time.monotonic() - begin
    print(json.dumps({'status': status, 'wall': wall, 'cpu': cpu, 'peak': peak, 'least': own_peak()}))
    sys.exit(1 if status else 0)


if __name__ == '__main__': main()

"""Runs a command and tells what it used, as one line of JSON on standard output: wall seconds, CPU seconds, peak bytes.

    usage.py [--pipe FILE] COMMAND...      --pipe: FILE comes through a pipe to the command's standard input

A process of its own, because a child begins with the peak memory of its parent: that of this one is small.
"""
import json, resource, subprocess, sys, time


def main():
    command, feeder = sys.argv[1:], None
    if command[0] == '--pipe':
        feeder = subprocess.Popen(['cat', command[1]], stdout=subprocess.PIPE)
        command = command[2:]
    start = time.monotonic()
    done = subprocess.run(command, stdin=feeder.stdout if feeder else None, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({'wall': wall, 'cpu': used.ru_utime + used.ru_stime, 'peak': used.ru_maxrss * 1024}))
    sys.exit(done.returncode)


if __name__ == '__main__': main()

"""What commands take: single runs, and what counts of several."""
import json, os, statistics, subprocess, sys
from collections import namedtuple

USAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'usage.py')

# Seconds; bytes, of which `least` is what no command can be below; why it failed, in one line, if it did.
Run = namedtuple('Run', 'status wall cpu peak least error')


def first_line(text): return next((line.strip() for line in text.split('\n') if line.strip()), '')


def said(folder):
    """The last thing that a command in trouble says is mostly why."""
    with open(os.path.join(folder, 'stderr'), errors='replace') as file:
        lines = [line for line in file.read().split('\n') if line.strip()]
    return next((line for line in lines if 'error' in line.lower()), lines[-1] if lines else '')


def run(command, folder, pipe=None, limit=0):
    """Its output is in `stdout` and `stderr` in the folder."""
    usage = [sys.executable, USAGE, '--output', folder, '--limit', str(limit)] + (['--pipe', pipe] if pipe else [])
    done = subprocess.run(usage + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not done.stdout: return Run(1, 0, 0, 0, 0, done.stderr.strip().split('\n')[-1])
    used = json.loads(done.stdout)
    error = ''
    if used['status']: error = failure(used, limit, said(folder))
    return Run(used['status'], used['wall'], used['cpu'], used['peak'], used['least'], error)


def failure(used, limit, words):
    if used['status'] == -9 and limit and used['wall'] >= limit: return f'not done in {limit} s'
    how = f'killed by signal {-used["status"]}' if used['status'] < 0 else f'exit status {used["status"]}'
    return f'{how}: {words}' if words else how


def median(runs, of='wall'): return statistics.median(getattr(r, of) for r in runs)


def spread(values):
    """-> '1.234 (1.200 - 1.300)'"""
    return f'{statistics.median(values):.3f} ({min(values):.3f} - {max(values):.3f})'

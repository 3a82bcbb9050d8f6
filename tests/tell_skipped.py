"""Behind the tests of ctest, in the folder of the build: which were skipped, whole or in part, and why. ctest itself
tells neither. What it has noted is in Testing/Temporary/LastTest.log, which has another name until it ends."""
import collections, pathlib, re, sys

TEST = re.compile(r'^\d+/\d+ Test: (?P<name>.+)$')
LINE = '-' * 58
NOT_RUN = '[  NOT RUN ]'                        # of run_script.sh


def tests(lines):
    """Name and lines of output of each."""
    name, output, inside = None, [], False
    for line in lines:
        if found := TEST.match(line):
            name, output, inside = found['name'], [], False
        elif line == 'Output:':
            inside = True
        elif line == '<end of output>' and inside:
            yield name, output
            inside = False
        elif inside and line != LINE:
            output.append(line)


def cases(output):
    """Reason of each case of GoogleTest that was skipped, and its name."""
    reason = None
    for line in output:
        if line.startswith('[ RUN      ]'):
            reason = []
        elif (found := re.match(r'\[  SKIPPED \] (\S+) \(\d+ ms\)$', line)) and reason is not None:
            yield ' '.join(reason), found[1]
            reason = None
        elif reason is not None and line.strip() and not re.search(r': Skipped$', line):
            reason.append(line.strip())


def told(log):
    whole, parts = [], collections.defaultdict(list)
    for name, output in tests(log.read_text(errors='replace').splitlines()):
        said = [line for line in output if line.strip()]
        if said and said[-1] == NOT_RUN:
            whole.append(f'  {name}: {said[-2] if said[1:] else "it does not say why"}')
        for reason, case in cases(output):
            parts[name, reason].append(case)
    for (name, reason), names in parts.items():
        more = f' and {len(names) - 1} more' if len(names) > 1 else ''
        whole.append(f'  {name}, {names[0]}{more}: {reason}')
    return whole


logs = [path for path in pathlib.Path('Testing/Temporary').glob('LastTest.log*') if path.is_file()]
lines = told(max(logs, key=lambda path: path.stat().st_mtime_ns)) if logs else []
if lines: print('\nSkipped, and why:', *sorted(lines), sep='\n', flush=True)
sys.exit(0)  # else ctest would take the tests for failed

"""What tools/compare_tshark, tools/compare_tcptrace and tools/compare_annex share: captures one by one, the table of
packets with the verdicts of `warpmeter packets`, and differences counted by kind, with a reason for each.
"""
import argparse, collections, csv, glob, os, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONGEST = 120  # seconds that the other program may take for a capture
FIN, SYN, RST, ACK = 1, 2, 4, 16


def number(text): return int(text or 0)


def packet_rows(program, path, folder):
    """All rows of the table of packets; None where warpmeter cannot read the capture. No timeout cuts flows."""
    table = os.path.join(folder, 'packets.csv')
    done = subprocess.run([program, 'packets', '-q', path, '-o', table, '--idle-timeout', '0', '--active-timeout', '0'],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3): return None
    with open(table) as rows: return list(csv.DictReader(rows))


def corpus():
    top = os.environ.get('WARPMETER_CORPUS', os.path.join(TOP, '..', 'shared', 'contract'))
    folder = os.path.join(top, 'corpus', 'captures')
    if not os.path.isdir(folder):
        print(f'a corpus (WARPMETER_CORPUS) runs this: there is no {folder}')
        sys.exit(77)
    return sorted(path for path in glob.glob(os.path.join(folder, '**'), recursive=True) if os.path.isfile(path))


def in_folder(compare, program, path):
    folder = tempfile.mkdtemp()
    try: return compare(program, path, folder)
    finally: shutil.rmtree(folder)


class Differences:
    """Of one unit (packets, ...): how many there are of each kind, (name, ours, theirs), and some examples. The name is
    None where both agree, and '' where nobody knows a reason."""

    def __init__(self, unit):
        self.unit, self.counts, self.examples = unit, collections.Counter(), collections.defaultdict(list)

    def add(self, capture, found, most):
        for kind, examples in found.items():
            self.counts[kind] += len(examples)
            room = most - len(self.examples[kind])
            self.examples[kind] += [f'{capture} {example}' for example in examples[:max(room, 0)]]

    def tell(self, captures, reasons):
        agree = sum(count for (name, _, _), count in self.counts.items() if name is None)
        print(f'{sum(self.counts.values())} {self.unit} of {captures} captures: {agree} are the same to both')
        for name in sorted({name for name, _, _ in self.counts if name is not None}):
            print(f'{name or "OF NO KNOWN KIND"}: {reasons.get(name, "")}')
            for kind in sorted(kind for kind in self.counts if kind[0] == name):
                print(f'  {self.counts[kind]:7} {kind[1]} here, {kind[2]} there: {", ".join(self.examples[kind])}')

    def unknown(self): return sum(count for (name, _, _), count in self.counts.items() if not name and name is not None)


def main(text, other, compare, reasons, units=('packets',)):
    """TEXT: of --help. COMPARE: of program, path and folder to {unit: {(name, ours, theirs): [example]}}, None where
    one of both cannot read the capture."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', default=os.path.join(TOP, 'build', 'release', 'warpmeter'))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--examples', type=int, default=1, help='packets to name of each kind')
    parser.add_argument('captures', nargs='*')
    words = parser.parse_args()
    if not shutil.which(other):
        print(f'{other} (Debian: {other}) runs this')
        sys.exit(77)
    captures = words.captures or corpus()
    differences, unread = [Differences(unit) for unit in units], 0
    with ThreadPoolExecutor(words.jobs) as pool:
        for path, found in zip(captures, pool.map(lambda path: in_folder(compare, words.binary, path), captures)):
            if found is None: unread += 1
            for of_unit in differences if found else ():
                of_unit.add(os.path.basename(path), found.get(of_unit.unit, {}), words.examples)
    for of_unit in differences: of_unit.tell(len(captures) - unread, reasons)
    if unread: print(f'captures that one of them cannot read: {unread}')
    sys.exit(1 if any(of_unit.unknown() for of_unit in differences) or not differences[0].counts else 0)

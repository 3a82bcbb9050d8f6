"""One competitor: how it is called so that it reads a whole capture, offline, as fast as it fairly can, and what it
says it saw. Every run has a folder of its own, where its standard output and error are in `stdout` and `stderr`.
"""
import os, re, shutil, subprocess
from collections import namedtuple

# What it says itself. packets: of the kind that it counts; flows: what it calls so; retransmissions: {field: number}.
Counts = namedtuple('Counts', 'packets flows retransmissions', defaults=({},))


class Candidate:
    name = ''                   # in tables
    peer = ''                   # by which --peers picks it; several candidates may be one peer
    program = ''
    programs = ()               # if it needs more than one
    asks_version = ['--version']
    slow = False                # minutes a run: fewer rounds
    tells_retransmissions = False
    other_fields = ()           # told beside them, for what others call retransmissions
    counts_tcp = False          # its packets are those of TCP
    flow_unit = 'flows'
    note = ''                   # what a reader of the figures must know

    def installed(self): return all(shutil.which(program) for program in self.programs or (self.program,))

    def version(self):
        """The first number with dots that it says about itself, which some do on standard error, with failure."""
        done = subprocess.run([self.program, *self.asks_version], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace')
        lines = [line.strip() for line in done.stdout.split('\n') if re.search(r'\d\.\d', line)]
        found = re.search(r'\d+(\.\d+)+[-\w]*', lines[0]) if lines else None
        return found[0] if found else 'version not told'

    def command(self, capture, folder): raise NotImplementedError

    def counts(self, capture, folder): raise NotImplementedError


def text_of(folder, *names):
    """What the run wrote to these files, by default both outputs."""
    parts = []
    for name in names or ('stdout', 'stderr'):
        with open(os.path.join(folder, name), errors='replace') as file: parts.append(file.read())
    return '\n'.join(parts)


def number_after(pattern, text):
    """The last one; what a program does not say is an error."""
    found = re.findall(pattern, text)
    if not found: raise ValueError(f'does not say /{pattern}/')
    return int(found[-1].replace(',', ''))

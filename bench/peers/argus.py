"""argus: its records in a file, which ra then reads. Only argus is timed."""
import csv, os, subprocess

from candidate import Candidate, Counts

FIELDS = ('pkts', 'sloss', 'dloss', 'sretrans', 'dretrans')


class Argus(Candidate):
    name = peer = program = 'argus'
    programs = ('argus', 'ra')
    asks_version = ['-h']
    tells_retransmissions = True
    flow_unit = 'two-way records'
    note = '''argus writes a record of a flow at its end and every 1,800 s (`-S`), as warpmeter; its time is that of
        argus alone, its counts are read with ra, outside of the time. It looks at its queues only now and then, so that
        its wall time goes in steps of about a second.'''

    def command(self, capture, folder):
        return ['argus', '-S', '1800', '-r', capture, '-w', os.path.join(folder, 'flows.argus')]

    def counts(self, capture, folder):
        done = subprocess.run(['ra', '-n', '-c', ',', '-r', os.path.join(folder, 'flows.argus'), '-s', *FIELDS, '-',
                               'not', 'man'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        sums, rows = [0] * len(FIELDS), list(csv.reader(done.stdout.splitlines()))[1:]
        for row in rows:
            for at, value in enumerate(row): sums[at] += int(value or 0)
        return Counts(sums[0], len(rows), {'sloss + dloss': sums[1] + sums[2],
                                           'sretrans + dretrans': sums[3] + sums[4]})

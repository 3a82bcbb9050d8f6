"""warpmeter itself, on the CPU."""
import json, os

from candidate import Candidate, Counts


class Warpmeter(Candidate):
    peer = 'warpmeter'
    tells_retransmissions = True
    flow_unit = 'Flow Records'

    def __init__(self, build, threads, to_file=False):
        self.program, self.threads, self.to_file = os.path.join(build, 'warpmeter'), threads, to_file
        self.name = f'warpmeter, {threads} thread{"s" if threads > 1 else ""}{", CSV to a file" if to_file else ""}'

    def installed(self): return os.access(self.program, os.X_OK)

    def command(self, capture, folder):
        output = os.path.join(folder, 'flows.csv') if self.to_file else os.devnull
        return [self.program, 'extract', '-q', '--backend', 'cpu', '--threads', str(self.threads), '--format', 'csv',
                '-o', output, '--stats', os.path.join(folder, 'stats.json'), capture]

    def counts(self, capture, folder):
        with open(os.path.join(folder, 'stats.json')) as file: said = json.load(file)
        return Counts(said['packets read'], said['rows'],
                      {'retransmitted_segments': said['totals']['retransmitted_segments']})

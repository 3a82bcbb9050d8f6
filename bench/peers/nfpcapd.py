"""nfpcapd of nfdump: flows in its own format in a folder."""
import os, re

from candidate import Candidate, Counts, number_after, text_of
from common import nfpcapd


class Nfpcapd(Candidate):
    name = peer = program = 'nfpcapd'
    asks_version = ['-V']
    note = '''nfpcapd ends flows as warpmeter does (`-e 1800,300`), so that both do the same work; it
        also ends them at FIN and RST.'''

    def command(self, capture, folder):
        flows = os.path.join(folder, 'flows')
        os.makedirs(flows)
        return nfpcapd.command(capture, flows) + ['-e', '1800,300']

    def counts(self, capture, folder):
        text = text_of(folder)
        flows = sum(int(n) for n in re.findall(r'Ident: \S+ Flows: (\d+)', text))    # a line for each 5 minutes
        return Counts(number_after(r'Total: Processed: (\d+)', text), flows)

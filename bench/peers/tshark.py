"""tshark: its conversations, and its analysis of sequence numbers."""
import os, re

from candidate import Candidate, Counts, text_of

FIELDS = ('tcp.analysis.retransmission', 'tcp.analysis.fast_retransmission', 'tcp.analysis.spurious_retransmission')
NUMBER = r'([\d,]+)\s+\d+ \S+'     # frames, and their bytes with a unit


class Conversations(Candidate):
    name, peer, program = 'tshark -z conv,tcp', 'tshark', 'tshark'
    slow = counts_tcp = True
    flow_unit = 'conversations'

    def command(self, capture, folder): return ['tshark', '-n', '-q', '-r', capture, '-z', 'conv,tcp']

    def counts(self, capture, folder):
        line = re.compile(rf'<->\s+\S+\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}')
        frames = [int(found[3].replace(',', '')) for found in line.finditer(text_of(folder, 'stdout'))]
        return Counts(sum(frames), len(frames))


class Analysis(Candidate):
    name, peer, program = 'tshark -T fields', 'tshark', 'tshark'
    slow = tells_retransmissions = True

    def command(self, capture, folder):
        return ['tshark', '-n', '-r', capture, '-T', 'fields'] + [word for field in FIELDS for word in ('-e', field)]

    def counts(self, capture, folder):
        """A line a packet, with a 1 for what it is; every kind of retransmission is a retransmission to tshark, too."""
        packets = again = 0
        with open(os.path.join(folder, 'stdout')) as file:
            for line in file:
                packets += 1
                again += '1' in line
        return Counts(packets, None, {'tcp.analysis retransmission, fast or spurious': again})

"""What a candidate takes for a retransmission: captures with only one kind of trouble in them, one after the other."""
import os

from common import capture

COMMON = {'clean': True, 'microseconds': True, 'snaplen': 96, 'mean_packets': 50}
SHARE = 0.03
KINDS = {'none of these': {}, 'sent again': {'retransmit': SHARE}, 'mirror copies': {'duplicate': SHARE},
         'reordered': {'reorder': SHARE}, 'lost, half of them resent': {'loss': SHARE},
         'keep-alives': {'keep_alive': SHARE}}


class Trouble:
    """One kind: how many retransmissions were planted, and {(candidate, field): how many were found}."""

    def __init__(self, name, truth): self.name, self.truth, self.found = name, truth, {}


def ask(build, contest, folder, packets, tell):
    """One candidate of every peer that tells retransmissions. -> [Trouble]"""
    telling, troubles = {}, []
    for result in contest.results:
        if result.error or not result.candidate.tells_retransmissions: continue
        telling.setdefault(result.candidate.peer, result)
    for name, faults in KINDS.items():
        tell(f'one kind of trouble: {name}')
        options = {**COMMON, **faults, 'packets': packets, 'flows': max(1, packets // 200), 'rate': packets / 20}
        made = capture.generate(build, os.path.join(folder, 'trouble.pcap'), options)
        trouble = Trouble(name, made.truth['totals']['retransmitted_segments'])
        for result in telling.values():
            contest.once(result, made.path)
            for field, found in ({} if result.error else result.counts.retransmissions).items():
                trouble.found[result.candidate.name, field] = found
        troubles.append(trouble)
    os.remove(made.path)
    return troubles

"""Who competes."""
import os

from argus import Argus
from floors import Floor
from nfpcapd import Nfpcapd
from pmacctd import Pmacctd
from softflowd import Softflowd
from tcptrace import Tcptrace
from tshark import Analysis, Conversations
from warpmeter import Warpmeter

PEERS = (Nfpcapd, Softflowd, Argus, Conversations, Analysis, Tcptrace, Pmacctd)
NAMES = tuple(dict.fromkeys(kind.peer for kind in PEERS))


def candidates(build, peers):
    """Floors and warpmeter always, of the peers those named; in the order of the report."""
    cores = os.cpu_count()
    ours = [Warpmeter(build, threads) for threads in sorted({1, cores})] + [Warpmeter(build, cores, to_file=True)]
    floors = [Floor(build, what) for what in ('walk', 'read', 'count')]
    return [*floors, *ours, *(kind() for kind in PEERS if kind.peer in peers)]

"""Who competes, who is not there, and how long it takes."""
import os, shutil

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

# Seconds for a million packets, and those that do not depend on packets, of all candidates of a peer: as the report in
# results/ has them.
SECONDS = {'nfpcapd': (1.2, 0.3), 'softflowd': (0.9, 0), 'argus': (1.1, 1), 'tshark': (33.5, 0.7), 'tcptrace': (2.8, 0),
           'pmacctd': (1, 4.3)}
OURS, GENERATING = 0.6, 1.5     # seconds for a million packets: floors and warpmeter; making them, with what is planted


def installed(peers): return [kind for kind in PEERS if kind.peer in peers and shutil.which(kind.program)]


def missing(peers):
    """-> {peer: its programs that are not there}"""
    kinds = {kind.peer: kind.programs or (kind.program,) for kind in PEERS if kind.peer in peers}
    absent = {peer: [program for program in programs if not shutil.which(program)] for peer, programs in kinds.items()}
    return {peer: programs for peer, programs in absent.items() if programs}


def seconds_once(peers, packets):
    """Of one round with everybody who is there."""
    there = {kind.peer for kind in installed(peers)}
    return sum(SECONDS[peer][0] * packets / 1e6 + SECONDS[peer][1] for peer in there)


def seconds(options, packets):
    """Of one shape: rounds, one more of the quick ones to warm up, and one with next to no packets."""
    slow = {kind.peer for kind in installed(options.peers) if kind.slow}
    quick = {kind.peer for kind in installed(options.peers)} - slow
    warm = options.rounds > 1
    return (seconds_once(quick, packets) * (options.rounds + warm) + seconds_once(slow, packets) * options.slow_rounds +
            seconds_once(quick | slow, 0) + (OURS * (options.rounds + warm) + GENERATING) * packets / 1e6)


def candidates(build, peers):
    """Floors and warpmeter always, of the peers those named; in the order of the report."""
    cores = os.cpu_count()
    ours = [Warpmeter(build, threads) for threads in sorted({1, cores})] + [Warpmeter(build, cores, to_file=True)]
    floors = [Floor(build, what) for what in ('walk', 'read', 'count')]
    return [*floors, *ours, *(kind() for kind in PEERS if kind.peer in peers)]

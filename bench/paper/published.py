"""What the source paper printed: P. Roquero et al., "High-speed TCP flow record extraction using GPUs", J. Supercomput.
71(10), 2015, doi:10.1007/s11227-015-1478-9. Counts as printed; shares are computed from the counts, because those of
Tables 4 to 6 are printed as fractions with a percent sign (27 of 54,054 as 0.0005 %).
"""
from collections import namedtuple

Trace = namedtuple('Trace', 'packets tcp data duplicates retransmissions')
# D's retransmissions are those of Tables 3 and 5; Table 1 prints 346,060, which Table 2 calls flows.
TRACES = {'A': Trace(188_423, 161_913, 89_081, 41_426, 1_691), 'B': Trace(88_423, 61_990, 35_360, 0, 1_686),
          'C': Trace(100_000, 99_923, 53_721, 41_426, 5),
          'D': Trace(200_000_000, 167_000_000, 109_000_000, None, 1_786_758)}

# Found, in the ground truth, not found, found but not in the truth.
Accuracy = namedtuple('Accuracy', 'found true missed invented')
FLOWS = {'A': Accuracy(531, 604, 73, 0), 'B': Accuracy(528, 601, 73, 0), 'C': Accuracy(3, 3, 0, 0),
         'D': Accuracy(304_229, 346_060, 41_832, 1)}
SEGMENTS = {'A': Accuracy(1_691, 1_775, 84, 0), 'B': Accuracy(1_686, 1_770, 84, 0), 'C': Accuracy(5, 5, 0, 0),
            'D': Accuracy(1_699_364, 1_786_758, 87_414, 20)}

# Records, and those with another count (Table 6).
FLAGS = {'SYN': (54_054, 27), 'FIN': (53_971, 19), 'RST': (53_900, 122), 'zero window': (54_103, 22)}

STRUCTURAL = 0.0431                         # of retransmissions: cannot be found by the rule (section 4.3)
HEAVY_FLOWS_MISSED = 0.0031                 # of flows with more than 5, and 5 % of their packets (section 4.3)
UNDETECTED_AT_4_GB = 0.0514                 # Fig. 11, told in section 4.3
UNDETECTED_AT_6_GB = 87_414 / 1_786_758     # Table 3
CARD_PACKETS, CARD_BYTES = 56_000_000, 6e9  # a block of the 6 GB card (section 4.5)
BYTES_PER_PACKET = CARD_BYTES / CARD_PACKETS

PACKETS_PER_SECOND, PACKETS_PER_SECOND_WITH_DISK = 4.4e6, 1.1e6
GPU_CORES, CPU_CORES = 1.5, 4               # Fig. 13, for those 4.4 M packets/s
GPU_GIGABYTES, CPU_GIGABYTES = 3.7, 7.16    # Fig. 14

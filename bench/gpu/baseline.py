"""What a batch asks of a GPU and of its host today, and what it shall ask: the bars of bench/gpu/bars.

Whoever makes one of them better writes the new value here, in the same commit; none may get worse.
"""
from collections import namedtuple

# `is_most`: no more than that, else no less. `slack`: by how much a measurement may be worse. `chance`: what one run
# shows others need not; today's is the most there can be.
Bar = namedtuple('Bar', 'name today goal is_most slack unit chance', defaults=(0, '', False))

# Counted where flows have ids of up to 24 bits; those of 27, which take most of an H200, are sorted by a pass more: a
# kernel, a fill.
BARS = (
    Bar('kernels a batch', 11, 16, True),
    Bar('fills a batch', 5, 4, True),
    Bar('copies a batch', 2, 3, True),
    Bar('calls of streams a batch', 6, 6, True),
    Bar('waits of the host a batch', 2, 0, True),
    Bar('allocations after the first batch', 0, 0, True),        # of memory that a GPU copies from fast
    Bar('submissions a batch', 1, 1, True),
    Bar('submissions without packets, at the end', 0, 0, True),
    Bar('copies in beside kernels', 99, 90, False, unit='%'),
    Bar('decoders busy, null device', 95, 95, False, 10, '%'),
    Bar('bytes to the GPU a packet', 54.4, 54.4, True, 0.6),
)
TODAY = {bar.name: bar.today for bar in BARS}

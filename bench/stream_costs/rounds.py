"""Contenders take turns on a capture. What counts is CPU time, of all processes that one consists of."""
import math, os, statistics, tempfile
from dataclasses import dataclass, field

from common import timing


@dataclass
class Result:
    """Of one contender on one capture: seconds of each round, for one run."""
    contender: object
    capture: object
    cpu: list = field(default_factory=list)
    wall: list = field(default_factory=list)
    repeats: int = 1
    peak: int = 0           # bytes
    delivered: int = None   # payload bytes
    error: str = ''

    @property
    def wrong(self):
        """What must not be, in words."""
        if self.error: return self.error
        if self.contender.ours and self.delivered != self.capture.payload_bytes:
            return f'{self.delivered} bytes of payload instead of {self.capture.payload_bytes}'
        return ''

    @property
    def share(self): return None if self.delivered is None else self.delivered / max(self.capture.payload_bytes, 1)

    @property
    def least(self): return min(self.cpu)
    @property
    def median(self): return statistics.median(self.cpu)


class Cores:
    """One core for all that begins within, or all of them."""
    ALL = os.sched_getaffinity(0)

    def __init__(self, all_cores): self.wanted = self.ALL if all_cores else {max(self.ALL)}
    def __enter__(self): os.sched_setaffinity(0, self.wanted)
    def __exit__(self, *_): os.sched_setaffinity(0, self.ALL)


def run(result, tmp):
    contender = result.contender
    with tempfile.TemporaryDirectory(dir=tmp) as folder, Cores(contender.all_cores):
        done = timing.run(contender.command(result.capture, folder), folder)
        if done.error: result.error = done.error
        elif contender.delivered: result.delivered = contender.delivered(folder)
    result.peak = max(result.peak, done.peak)
    return done


def compete(entries, rounds, tmp, least):
    """`entries`: {name: (Contender, Capture)}. -> {name: Result}. A first run warms up, and tells how many are needed
    for a measurement of so many CPU seconds at least."""
    results = {name: Result(*entry) for name, entry in entries.items()}
    for result in results.values():
        first = run(result, tmp)
        result.repeats = min(max(math.ceil(least / max(first.cpu, 1e-3)), 1), 100)
    for _ in range(rounds):
        for result in results.values():
            if result.error: continue
            runs = [run(result, tmp) for _ in range(result.repeats)]
            result.cpu.append(sum(one.cpu for one in runs) / result.repeats)
            result.wall.append(sum(one.wall for one in runs) / result.repeats)
    return results


def raw(results):
    return {name: {'CPU': r.cpu, 'wall': r.wall, 'runs a measurement': r.repeats, 'peak bytes': r.peak,
                   'payload bytes': r.delivered, 'capture': dict(r.capture._asdict(), path=''), 'error': r.error}
            for name, r in results.items()}

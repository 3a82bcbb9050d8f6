"""Flow Records as they come to a collector: how many, their packets, and how late each is. Its memory does not grow."""
import threading, time

from collector import Collector

BUCKETS_A_SECOND, MOST_SECONDS = 1000, 60
ACTIVE_TIMEOUT = 2  # flowEndReason: cut with its next packet, of which the record tells nothing


class Records(threading.Thread):
    """Late is what comes after a flow's end was sure: its last packet, and the idle timeout. A flow that another of the
    same ports ended before that is not late."""
    def __init__(self, idle_seconds):
        super().__init__(daemon=True)
        self.collector, self.idle = Collector(), idle_seconds
        self.records = self.packets = self.cut = self.early = 0
        self.latest = 0.0                                       # seconds
        self.histogram = [0] * (BUCKETS_A_SECOND * MOST_SECONDS + 1)
        self.broken = ''

    def run(self):
        try:
            for records in self.collector.messages(): self.take(records, time.time())
        except (OSError, ValueError) as error: self.broken = str(error)

    def take(self, records, now):
        for packets, end_ms, reason in records:
            self.records += 1
            self.packets += packets
            if reason == ACTIVE_TIMEOUT: self.cut += 1
            else: self.count_latency(now - end_ms / 1000 - self.idle)

    def count_latency(self, seconds):
        if seconds < 0:
            self.early += 1
            return
        self.latest = max(self.latest, seconds)
        self.histogram[min(int(seconds * BUCKETS_A_SECOND), len(self.histogram) - 1)] += 1

    def measured(self): return sum(self.histogram)

    def quantile(self, share):
        """Seconds within which this share of the records came, rounded up to a millisecond."""
        wanted, seen = share * self.measured(), 0
        for bucket, count in enumerate(self.histogram):
            seen += count
            if seen >= wanted and count: return (bucket + 1) / BUCKETS_A_SECOND
        return 0.0

"""When a GPU would do what the CUDA machine logged (tests/simulator/runtime/operation_log.h), and when its host waits.

Two threads of the host: one submits batches, one waits for them and copies back what came of them. Work of a stream is
done in its order. Each call takes the host `launch_us`, the launch of a graph no more. Work begins so long after what
is before it in its stream, nodes of a graph sooner, and after what it waits for; then it takes its own time. Where
`Decoders` are given, a batch is there when they have made it.
"""
import json
from collections import Counter, namedtuple

from prediction import kernel_name

# Measured on the H200 with 16 cores of bench/results/2026-11-26-gpu-h200; `from` says by what.
MEASURED = {
    'launch_us': 3.85,          # 1000 launches, and their end: batches.txt
    'sync_us': 8.70 - 3.85,     # behind the end of what a stream is waited for: 1000 launch+sync
    'event_us': 22.61 - 3.85,   # the same of an event with BlockingSync: 1000 launch+blocking event
    'copy_gb_s': 55.0,          # pinned, one way: before/kernels.md
    'node_us': 0.9,             # from one node of a graph to the next, where a graph is launched at once
    'kernel_us': 0.08e3 / 30,   # what a kernel takes with next to nothing to do: 0.08 ms of the 30 of a batch
    'packet_ns': 0.351,         # what they take for each packet more: batches of 1 M and 4 M, kb.4 in batches.txt
    'device_gb_s': 0.8 * 4800,  # copies and fills on the device (gpus.py)
    'decode_ns': 70.0,          # a packet, of a core: CPU filter of 128 M packets, 16 threads: batches-later.txt
    'pinned_ms': 0.83,          # to get a MiB of pinned memory, some MiB at once: cudaMallocHost 18 x 4 MB
    'unpinned_ms': 0.19,        # to give it back
    'grow_us_packet': 0.085,    # of a batch whose memory grows: 96 bytes got, 48 given back; 11 ms of 131,072 packets
}

# How the pipeline feeds the device: threads that decode, and slots of batches; of which batches a rest is submitted by
# itself, and which of them need more pinned memory than their slot has.
def never(number): return False
Decoders = namedtuple('Decoders', 'threads slots overflows grows', defaults=(never, never))

STREAM_CALLS = ('launch', 'copy_in', 'copy_out', 'copy_on_device', 'fill', 'event', 'wait', 'host_function',
                'graph_launch')
Batch = namedtuple('Batch', 'submitted collected waits')     # calls of the one thread and the other; waits in them
Done = namedtuple('Done', 'call issued begin end')           # seconds
Replayed = namedtuple('Replayed', 'done submitted_at collected_at')     # of each submission; the last: of each batch


def read_log(path):
    with open(path, encoding='utf-8') as file: return [json.loads(line) for line in file]


def batches_of(calls):
    """A batch is what a thread gives to streams until an event that another thread waits for; then that one's calls
    until its next such wait. What is before the first and behind the last is none.
    """
    waits = [i for i, call in enumerate(calls) if call['call'] == 'wait_on_host' and call['how'] == 'event']
    if not waits: raise ValueError('the log has no event that the host waits for: no batch was metered')
    recorder = {(call['stream'], call['number']): call['thread'] for call in calls if call['call'] == 'event'}
    marks = [(calls[i]['stream'], calls[i]['number']) for i in waits]
    submitter, collector = recorder[marks[0]], calls[waits[0]]['thread']
    theirs = [call for call in calls if call['call'] in STREAM_CALLS and call['thread'] == submitter]
    submitted, begin = [], 0
    places = {(call['stream'], call['number']): i for i, call in enumerate(theirs) if 'number' in call}
    for mark in marks:
        submitted.append(theirs[begin:places[mark] + 1])
        begin = places[mark] + 1
    def is_of_collector(call): return call['thread'] == collector and call['call'] in (*STREAM_CALLS, 'wait_on_host')
    collected = [[call for call in calls[i:after] if is_of_collector(call)]
                 for i, after in zip(waits, [*waits[1:], len(calls)])]
    def waits_in(theirs): return sum(call['call'] == 'wait_on_host' for call in theirs)
    return [Batch(one, other, waits_in(other)) for one, other in zip(submitted, collected)]


def is_node(call):
    """The launch of a graph gave it to the stream, not a call of its own."""
    return 'graph' in call and call['call'] != 'graph_launch'


def as_graph(batch):
    """The same batch, were all of it but the event at its end given by one launch of a graph."""
    *nodes, end = (call for call in batch.submitted if call['call'] != 'graph_launch')
    launch = {'call': 'graph_launch', 'thread': end['thread'], 'stream': end['stream'], 'graph': 1, 'nodes': len(nodes)}
    return batch._replace(submitted=[launch, *({**call, 'graph': 1} for call in nodes), end])


def most_in_flight(calls, batches):
    """How many batches were submitted, and not yet waited for to their end, when another was begun."""
    place = {id(call): i for i, call in enumerate(calls)}
    begins = [place[id(batch.submitted[0])] for batch in batches]
    ends = [place[id(batch.collected[-1])] for batch in batches]
    return max(i + 1 - sum(end < begin for end in ends) for i, begin in enumerate(begins))


def counts_of(batch):
    """-> Counter of a batch: calls by kind, `stream_calls` in all, `waits` of the host, bytes in and out"""
    found = Counter(call['call'] for call in batch.submitted + batch.collected)
    copies = [call for call in batch.submitted if call['call'].startswith('copy_')]
    calls = sum(not is_node(call) for call in batch.submitted)
    return Counter(launches=found['launch'], fills=found['fill'], copies=len(copies), events=found['event'],
                   stream_waits=found['wait'], waits=batch.waits, stream_calls=calls,
                   bytes_in=sum(call['bytes'] for call in copies if call['call'] == 'copy_in'))


def full_batches(batches):
    """Those whose like come again and again: not the first, which has nothing to keep of another, nor rests."""
    most = max(counts_of(batch)['bytes_in'] for batch in batches)
    return [batch for batch in batches[1:] if counts_of(batch)['bytes_in'] > 0.75 * most] or batches[:1]


class Streams:
    """When each work of the streams is through."""

    def __init__(self, times):
        self.times, self.ends, self.stream_ends = times, {}, {}

    def begin_batch(self, batch, packets):
        kernels = sum(call['call'] == 'launch' for call in batch.submitted)
        self.kernel = self.times['kernel_us'] / 1e6 + packets * self.times['packet_ns'] / 1e9 / max(kernels, 1)
        self.scale = 1 if packets else 0     # of copies: a rest has few

    def own_time(self, call):
        if call['call'] == 'launch': return self.kernel
        rate = 'copy_gb_s' if call['call'] in ('copy_in', 'copy_out') else 'device_gb_s'
        return self.scale * call['bytes'] / (self.times[rate] * 1e9)

    def add(self, call, issued, key):
        """`key`: of what batch; numbers of work mean something within the log alone."""
        before = [self.stream_ends.get(call['stream'], 0), *(self.ends.get((key, *work), 0) for work in call['after'])]
        gap = self.times['node_us' if is_node(call) else 'launch_us'] / 1e6
        orders_only = is_node(call) and call['call'] in ('wait', 'event')
        begin = max(issued, max(before) + (0 if orders_only else gap))
        end = begin + self.own_time(call)
        self.stream_ends[call['stream']] = self.ends[key, call['stream'], call['number']] = end
        return Done(call, issued, begin, end)


class Feed:
    """When batches are there, made by threads, in slots that are filled again once they are released."""

    def __init__(self, decoders, packets, times):
        self.decoders, self.seconds = decoders, packets * times['decode_ns'] / 1e9
        self.grow = packets * times['grow_us_packet'] / 1e6
        self.free = [0.0] * (decoders.threads if decoders else 0)
        self.ready, self.blocked = [], []

    def make_next(self, released):
        """`released`: when each batch before was."""
        number = len(self.ready)
        thread = min(range(len(self.free)), key=self.free.__getitem__)
        begin = max(self.free[thread], released[number - self.decoders.slots] if number >= self.decoders.slots else 0)
        end = begin + self.seconds
        if self.decoders.grows(number):
            start = max(end, self.blocked[-1][1] if self.blocked else 0)     # the driver does one at a time
            self.blocked.append((start, start + self.grow))
            end = start + self.grow
        self.free[thread] = end
        self.ready.append(max(end, self.ready[-1] if self.ready else 0))

    def ready_at(self, number, released):
        if not self.decoders: return 0.0
        slots = self.decoders.slots
        while len(self.ready) < number + slots and len(self.ready) - slots < len(released): self.make_next(released)
        return self.ready[number]

    def passed(self, time):
        """The host may call the driver from then on: nobody is given pinned memory."""
        for start, end in self.blocked:
            if start <= time < end: time = end
        return time


class Pipeline:
    """The two threads of the host, and the streams."""

    def __init__(self, in_flight, feed, times):
        self.in_flight, self.feed, self.times = in_flight, feed, times
        self.streams, self.submitter, self.collector = Streams(times), 0.0, 0.0
        self.done, self.submitted_at, self.ends = [], [], []

    def submit_and_collect(self, batch, packets, ready):
        number, launch = len(self.done), self.times['launch_us'] / 1e6
        self.streams.begin_batch(batch, packets)
        room = self.ends[number - self.in_flight] if number >= self.in_flight else 0
        self.submitter = max(self.submitter, ready, room)
        self.submitted_at.append(self.submitter)
        done = []
        for call in batch.submitted:
            if not is_node(call): self.submitter = self.feed.passed(self.submitter) + launch
            if call['call'] != 'graph_launch': done.append(self.streams.add(call, self.submitter, number))
        for call in batch.collected:
            self.collector = self.feed.passed(self.collector)
            if call['call'] == 'wait_on_host': self.wait(call, number)
            else:
                self.collector += launch
                done.append(self.streams.add(call, self.collector, number))
        self.done.append(done)
        self.ends.append(self.collector)

    def wait(self, call, number):
        end = self.streams.ends.get((number, call['stream'], call['number']), 0)
        awake = self.times['event_us' if call['how'] == 'event' else 'sync_us'] / 1e6
        if end > self.collector: self.collector = end + awake


def replay(batches, in_flight, packets, how_many, decoders=None, times=None):
    """So many batches, those of the log again and again. -> Replayed"""
    times = {**MEASURED, **(times or {})}
    feed, collected_at = Feed(decoders, packets, times), []
    pipeline = Pipeline(in_flight, feed, times)
    for number in range(how_many):
        ready, batch = feed.ready_at(number, collected_at), batches[number % len(batches)]
        pipeline.submit_and_collect(batch, packets, ready)
        if decoders and decoders.overflows(number): pipeline.submit_and_collect(batch, 0, ready)
        collected_at.append(pipeline.ends[-1])
    return Replayed(pipeline.done, pipeline.submitted_at, collected_at)


def seconds_a_batch(replayed):
    """Without the first quarter, while slots fill."""
    first = len(replayed.collected_at) // 4
    return (replayed.collected_at[-1] - replayed.collected_at[first]) / (len(replayed.collected_at) - 1 - first)


def stream_of(done, kind):
    return next((one.call['stream'] for one in done if one.call['call'] == kind), None)


def compute_seconds(done):
    """Of the stream with the kernels: from its first event of the batch to its last."""
    compute = stream_of(done, 'launch')
    theirs = [one for one in done if one.call['stream'] == compute and one.call['call'] != 'wait']
    events = [one.end for one in theirs if one.call['call'] == 'event']
    return max(events) - min(events) if len(events) > 1 else theirs[-1].end - theirs[0].begin


def overlapped_share(replayed):
    """Of the time in which segments are copied in, behind the first batch, the part in which the stream with the
    kernels is at work on another batch.
    """
    copied = overlapped = 0.0
    spans = []
    for done in replayed.done:
        compute = stream_of(done, 'launch')
        theirs = [one for one in done if one.call['stream'] == compute and one.call['call'] != 'wait']
        spans.append((theirs[0].begin, theirs[-1].end))
    for done in replayed.done[1:]:
        for copy in (one for one in done if one.call['call'] == 'copy_in'):
            copied += copy.end - copy.begin
            overlapped += sum(max(0.0, min(copy.end, end) - max(copy.begin, begin)) for begin, end in spans)
    return overlapped / copied if copied else 1.0


def name_of(call): return kernel_name(call['what']) if call['call'] == 'launch' else call['call'].replace('_', ' ')


def table_of(done):
    """Lines: what a batch does, in the order of its calls; microseconds since the first."""
    first = done[0].issued
    lines = ['| stream | what | bytes | called | begins | ends |', '|---|---|---|---|---|---|']
    for one in done:
        times = ' | '.join(f'{1e6 * (time - first):.1f}' for time in (one.issued, one.begin, one.end))
        lines.append(f'| {one.call["stream"]} | {name_of(one.call)} | {one.call["bytes"] or ""} | {times} |')
    return lines

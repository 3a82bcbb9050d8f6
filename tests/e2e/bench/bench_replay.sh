#!/usr/bin/env bash
# bench/gpu/replay: its arithmetic on logs made by hand; and a log of the CUDA machine gives what a batch is known to ask.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
cat > arithmetic.py <<'PY'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import timeline
from timeline import Decoders, batches_of, compute_seconds, counts_of, full_batches, most_in_flight, overlapped_share, replay, seconds_a_batch
US = 1e-6
# What takes the host a microsecond a call, a kernel 10, an event and what waits 1 and nothing.
TIMES = {'launch_us': 1, 'sync_us': 2, 'event_us': 5, 'copy_gb_s': 1, 'kernel_us': 10, 'packet_ns': 0, 'device_gb_s': 1, 'decode_ns': 1000, 'grow_us_packet': 50}
def near(one, other): assert abs(one - other) < 1e-9, (one, other)
number = {}
def work(call, stream, thread=1, bytes=0, after=()):
    number[stream] = number.get(stream, 0) + 1
    return {'call': call, 'thread': thread, 'stream': stream, 'number': number[stream], 'bytes': bytes, 'after': [list(one) for one in after], 'what': 'k'}
def waited(how, call, thread=2): return {'call': 'wait_on_host', 'how': how, 'thread': thread, 'stream': call['stream'], 'number': call['number']}
def batch_calls(kernels=2):
    """Copied in stream 1, computed behind that in stream 2, waited for by thread 2, which copies out in stream 3."""
    copy = work('copy_in', 1, bytes=20000)
    copied = work('event', 1)
    wait = work('wait', 2, after=[(1, copied['number'])])
    launches = [work('launch', 2) for _ in range(kernels)]
    end = work('event', 2)
    out = work('copy_out', 3, thread=2, bytes=3000)
    return [copy, copied, wait, *launches, end], [waited('event', end), out, waited('stream', out)]
first, second = batch_calls(), batch_calls()
start = {'call': 'allocate', 'of': 'pinned', 'thread': 1, 'number': 1, 'bytes': 8}
calls = [start, *first[0], *second[0], *first[1], *second[1]]
batches = batches_of(calls)
assert [len(one.submitted) for one in batches] == [6, 6] and [one.waits for one in batches] == [2, 2]
assert most_in_flight(calls, batches) == 2
assert most_in_flight([*first[0], *first[1], *second[0], *second[1]], batches_of([*first[0], *first[1], *second[0], *second[1]])) == 1
counts = counts_of(batches[0])
assert (counts['launches'], counts['copies'], counts['events'], counts['stream_waits'], counts['bytes_in'], counts['stream_calls']) == (2, 1, 2, 1, 20000, 6), counts
one = replay(batches, 2, 1000, 1, times=TIMES)
copy, copied, wait, kernel, other, end, out = one.done[0]
near(copy.issued, 1 * US); near(copy.begin, 1 * US); near(copy.end, 21 * US)     # 20 us at 1 GB/s; nothing is before it
near(copied.end, 22 * US); near(wait.end, 23 * US)                                # behind the gap; the stream waits for that
near(kernel.end, 34 * US); near(other.end, 45 * US); near(end.end, 46 * US)
near(compute_seconds(one.done[0]), 22 * US)                                    # one event alone: from the first kernel on
near(out.issued, 52 * US); near(out.end, 55 * US); near(one.collected_at[0], 57 * US)
# The next copy goes on beside the kernels; the host is never more than so many batches ahead.
ahead = replay(batches, 3, 1000, 20, times=TIMES)
near(seconds_a_batch(ahead), 24 * US)
near(seconds_a_batch(replay(batches, 2, 1000, 20, times=TIMES)), 28.5 * US)       # here the copy of a batch waits for room
assert overlapped_share(ahead) > 0.85, overlapped_share(ahead)
alone = replay(batches, 1, 1000, 20, times=TIMES)
near(seconds_a_batch(alone), 57 * US)
assert overlapped_share(alone) == 0
for before, after in zip(ahead.collected_at, ahead.submitted_at[3:]): assert after >= before
# Decoders: 4 threads of 1 ms a batch give one in 0.25 ms, if there are slots; with 2 slots, two in 1 ms and what the rest takes.
assert 240 * US < seconds_a_batch(replay(batches, 2, 1000, 400, Decoders(4, 8), TIMES)) < 260 * US
assert seconds_a_batch(replay(batches, 2, 1000, 400, Decoders(4, 2), TIMES)) > 500 * US
# Memory that grows keeps its thread, and everybody's calls, for 50 ms.
grown = replay(batches, 2, 1000, 400, Decoders(4, 8, grows=lambda number: number == 200), TIMES)
steady = replay(batches, 2, 1000, 400, Decoders(4, 8), TIMES)
assert 40e-3 < grown.collected_at[-1] - steady.collected_at[-1] < 50.1e-3
# Its rest, submitted by itself, takes the device a second time.
rests = replay(batches, 3, 1000, 400, Decoders(100, 200, overflows=lambda number: True), TIMES)
assert len(rests.done) == 800 and 1.6 < seconds_a_batch(rests) / seconds_a_batch(ahead) < 2.1, seconds_a_batch(rests)
assert full_batches([*batches, batches_of([*batch_calls()[0][:0], *first[0], *first[1]])[0]]) == [batches[1], batches[0]]
# As one graph, a batch is two calls, and its kernels begin behind the copy as before.
whole = timeline.as_graph(batches[0])
assert counts_of(whole)['stream_calls'] == 2 and counts_of(whole)['launches'] == 2
later = replay([whole], 2, 1000, 1, times={**TIMES, 'node_us': 0.5}).done[0]
near(later[0].issued, 1 * US); near(later[3].begin, 21.5 * US); near(later[4].end, 42 * US)
# A graph is one call, and its nodes follow each other sooner.
number.clear()
copy = work('copy_in', 1, bytes=20000)
copied = work('event', 1)
nodes = [{**work('wait', 2, after=[(1, copied['number'])]), 'graph': 1}, *({**work('launch', 2), 'graph': 1} for _ in range(3))]
end = work('event', 2)
graph = {'call': 'graph_launch', 'thread': 1, 'stream': 2, 'graph': 1, 'nodes': 3}
batch, = batches_of([copy, copied, graph, *nodes, end, waited('event', end)])
assert counts_of(batch)['stream_calls'] == 4 and counts_of(batch)['launches'] == 3, counts_of(batch)
copy, copied, wait, *launches, end = replay([batch], 2, 1000, 1, times={**TIMES, 'node_us': 0.5}).done[0]
near(launches[0].issued, 3 * US); near(wait.end, copied.end); near(launches[0].begin, wait.end + 0.5 * US)
near(launches[2].end, wait.end + 31.5 * US); near(end.begin, launches[2].end + 1 * US)
try: batches_of([start])
except ValueError: pass
else: raise AssertionError('a log without batches')
PY
python3 arithmetic.py "$SOURCE/bench/gpu" || fail "arithmetic"
[ -x "$(dirname "$WARPMETER")/tests/simulator/warpmeter_on_machine" ] || { echo "a build with a CUDA compiler (tools/setup-cuda) runs this"; exit 77; }
"$SOURCE/bench/gpu/replay" --batch 2048 --timeline --build "$(dirname "$WARPMETER")" > table.md
for kernel in UnpackSegments ClaimFlows MeterFlows MarkSegments; do
  [ "$(grep -c "| $kernel |" table.md)" = 1 ] || { cat table.md; fail "$kernel: not once a batch"; }
done
grep -q '| copy in | [0-9]* |' table.md || fail "no copy"
grep -qE '^\| device alone \| 0\.[0-9]+ \|' table.md || fail "no time"

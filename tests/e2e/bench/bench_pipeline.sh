#!/usr/bin/env bash
# The bench behind bench/gpu/pipeline (bench.gpu.bars runs all of it): the null device takes the time that it is told to, whoever is
# slower is busy and the other one waits, and what a run took in memory and submissions is counted.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
BENCH=$(dirname "$WARPMETER")/bench/pipeline_bench
[ -x "$BENCH" ] || { echo "a build of all targets runs this"; exit 77; }
"$TRAFFIC_GEN" --packets 20000 --snaplen 96 -o capture.pcap
expect_status 2 "$BENCH" threads=2
run() { "$BENCH" batch=1000 "$@" capture.pcap; }

# 20 batches or more of 10 ms on the device, one behind the other; a second one is there before.
run threads=2 compute_us=10000 > device.json
# The same by packets, 20 us each, stretched by 3: what is told is not.
run threads=2 packet_ns=20000 stretch=3 > stretched.json
# 4 threads take 40 us a packet: 200 ms in all, if nobody waits.
run threads=4 decode_ns=40000 submit_us=100 > decoders.json
# Memory costs 100 ms a MiB, and all of it was got before.
run threads=4 decode_ns=2000 pinned_ms=100 > memory.json
# But not where the first records are so large that what is read at once behind them is many batches.
python3 - <<'PY'
import struct
capture = open('capture.pcap', 'rb').read()
seconds, = struct.unpack_from('<I', capture, 24)
large = b''.join(struct.pack('<IIII', seconds, 0, 984, 984) + bytes(984) for _ in range(64))
open('growing.pcap', 'wb').write(capture[:24] + large + capture[24:])
PY
"$BENCH" batch=100 threads=4 decode_ns=2000 pinned_ms=100 growing.pcap > growing.json
python3 - <<'PY'
import json
def of(name):
    with open(f'{name}.json') as file: return json.load(file)
device, stretched, decoders, memory, growing = map(of, ('device', 'stretched', 'decoders', 'memory', 'growing'))
for found in (device, stretched, decoders, memory):
    assert found['packets'] == device['packets'] > 19000, found
    assert found['batches'] >= 18 and found['most_in_flight'] <= 2 and found['bytes_in'] >= 48 * found['packets'], found
assert all(found['empty'] == 0 for found in (device, stretched, decoders, memory, growing)), device
submissions = device['batches'] + device['rests']
assert 0.95 * submissions * 0.01 < device['device_busy'] <= device['wall'] < 1.5 * submissions * 0.01, device
assert device['most_in_flight'] == 2 and device['full'] > 0.7 * device['wall'] and device['waiting'] > 0.7 * device['wall'], device
assert 0.95 * 0.4 < stretched['device_busy'] < 1.05 * 0.4 and stretched['wall'] < 0.6, stretched
busy = decoders['decoding'] / 4 / decoders['reading_ended']
assert busy > 0.8 and 0.15 < decoders['wall'] < 0.4 and decoders['starved'] > 0.5 * decoders['wall'], (busy, decoders)
assert device['decoding'] / 2 / device['reading_ended'] < 0.5, device
assert memory['pinned_bytes'] >= 4 * 64000 and memory['grown'] == memory['grown_bytes'] == memory['blocked'] == 0, memory
assert growing['rests'] > 0 and growing['grown'] > 0 and growing['grown_bytes'] > 4800, growing
assert abs(growing['blocked'] - 0.1 * growing['grown_bytes'] / 2**20) < 1e-3 and growing['wall'] > growing['blocked'], growing
PY

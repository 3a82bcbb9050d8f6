#!/usr/bin/env bash
# Three hundred files that all overlap in time, half of them packed, read with few descriptors and little memory.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 100000 --flows 60 -o whole.pcap
mkdir dealt
python3 - <<'PY'
import gzip, random, struct
data = open('whole.pcap', 'rb').read()
records, at = [], 24
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    records.append(data[at:at + size])
    at += size
times = {}                                              # distinct: of packets at one time the names decide
for r in sorted(records, key=lambda r: struct.unpack_from('<II', r)): times.setdefault(r[:8], r)
records = list(times.values())
open('whole.pcap', 'wb').write(data[:24] + b''.join(records))
random.seed(2)
hands = [[] for _ in range(300)]
for r in records: random.choice(hands).append(r)
for i, hand in enumerate(hands):
    content = data[:24] + b''.join(hand)
    if i % 2: content = gzip.compress(content, 1)
    open(f'dealt/{i}', 'wb').write(content)
PY
"$WARPMETER" info | grep -q 'unpacking .*gzip' || rm dealt/*[13579]
"$WARPMETER" extract -q -o whole.csv whole.pcap
python3 - "$WARPMETER" "${SANITIZE:-}" <<'PY'
import resource, subprocess, sys
limits = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
done = subprocess.run([sys.argv[1], 'extract', '-q', '--memory', '64M', '-o', 'dealt.csv', 'dealt'], preexec_fn=limits)
assert done.returncode == 0, done
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert sys.argv[2] or peak < 150_000, f'{peak} KB'
PY
[ "$(ls dealt | wc -l)" != 300 ] || cmp whole.csv dealt.csv

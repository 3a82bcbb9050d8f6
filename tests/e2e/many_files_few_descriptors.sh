#!/usr/bin/env bash
# Two hundred files that all overlap in time, read with few descriptors and little memory.
. "$(dirname "$0")/common.sh"
"$TRAFFIC_GEN" --packets 60000 --flows 60 -o whole.pcap
mkdir dealt
python3 - <<'PY'
import random, struct
data = open('whole.pcap', 'rb').read()
records, at = [], 24
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    records.append(data[at:at + size])
    at += size
times = {}
for r in sorted(records, key=lambda r: struct.unpack_from('<II', r)): times.setdefault(r[:8], r)
records = list(times.values())
open('whole.pcap', 'wb').write(data[:24] + b''.join(records))
random.seed(2)
hands = [[] for _ in range(200)]
for r in records: random.choice(hands).append(r)
for i, hand in enumerate(hands): open(f'dealt/{i}', 'wb').write(data[:24] + b''.join(hand))
PY
for i in 1 7 30; do gzip dealt/$i; done
"$WARPMETER" extract -q -o whole.csv whole.pcap
(ulimit -n 40; "$WARPMETER" extract -q -o dealt.csv dealt)
cmp whole.csv dealt.csv

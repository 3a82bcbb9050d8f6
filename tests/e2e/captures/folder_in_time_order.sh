#!/usr/bin/env bash
# Rotated files as tcpdump -C and logrotate name them, whose names are in no order of time, and the packets of one trace
# dealt out to sixteen files: each gives the output of the whole, as a folder, named one by one in any order, and packed.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 40000 --flows 60 -o whole.pcap
mkdir tcpdump logrotate dealt
python3 - <<'PY'
import random, struct
data = open('whole.pcap', 'rb').read()
records, at = [], 24
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    records.append(data[at:at + size])
    at += size
records.sort(key=lambda r: struct.unpack_from('<II', r))
times = {}                                              # distinct: of packets at one time the names decide
for r in records: times.setdefault(r[:8], r)
records = list(times.values())
def write(name, part): open(name, 'wb').write(data[:24] + b''.join(part))
write('whole.pcap', records)
step = len(records) // 12 + 1
for i in range(12):
    part = records[i * step:(i + 1) * step]
    write('tcpdump/span.pcap' + (str(i) if i else ''), part)
    write(f'logrotate/cap.{12 - i}', part)
random.seed(1)
hands = [[] for _ in range(16)]
for r in records: random.choice(hands).append(r)
for i, hand in enumerate(hands): write(f'dealt/{random.getrandbits(30):x}.pcap', hand)
PY
"$WARPMETER" extract -q -o whole.csv whole.pcap
for folder in tcpdump logrotate dealt; do
  "$WARPMETER" extract -q -o folder.csv --stats stats.json $folder
  cmp whole.csv folder.csv || fail "$folder is another trace"
  grep -q '"time runs back": 0' stats.json || fail "$folder: time runs back"
  find $folder -type f | sort -r | xargs "$WARPMETER" extract -q -o named.csv --threads 3 --batch 100
  cmp whole.csv named.csv || fail "$folder, named"
done
gzip dealt/*; "$WARPMETER" extract -q -o packed.csv dealt; cmp whole.csv packed.csv

#!/usr/bin/env bash
# A capture cut into files, in a folder or named one by one, with a file among them that is no capture, gives the output
# of the whole; standard input too.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 30000 --flows 50 -o whole.pcap
mkdir parts
python3 - <<'PY'
import struct
data = open('whole.pcap', 'rb').read()
parts, at, count = [bytearray(data[:24]) for _ in range(4)], 24, 0
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    parts[min(count // 8000, 3)] += data[at:at + size]
    at, count = at + size, count + 1
for i, part in enumerate(parts): open(f'parts/{i}.pcap', 'wb').write(part)
PY
echo "not a capture" > parts/00-readme.txt
"$WARPMETER" extract -q -o whole.csv whole.pcap
"$WARPMETER" extract -q -o folder.csv parts
"$WARPMETER" extract -q -o named.csv parts/0.pcap parts/1.pcap parts/2.pcap parts/3.pcap
"$WARPMETER" extract -q -o stdin.csv - < whole.pcap
cat whole.pcap | "$WARPMETER" extract -q -o pipe.csv -
for other in folder named stdin pipe; do cmp whole.csv $other.csv; done

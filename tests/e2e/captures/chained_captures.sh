#!/usr/bin/env bash
# `cat a.pcap b.pcap`: a file header in the middle begins the next capture, in a file, through a pipe and packed.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 20000 --flows 30 -o whole.pcap
python3 - <<'PY'
import struct
data = open('whole.pcap', 'rb').read()
at = [24]
while at[-1] < len(data): at.append(at[-1] + 16 + struct.unpack_from('<I', data, at[-1] + 8)[0])
for i, (begin, end) in enumerate([(0, 7000), (7000, 7001), (7001, 15000), (15000, len(at) - 1)]):
    open(f'{i}.pcap', 'wb').write(data[:24] + data[at[begin]:at[end]])
PY
"$WARPMETER" extract -q -o whole.csv whole.pcap
cat ?.pcap > chained
gzip ?.pcap
expect_status 0 "$WARPMETER" extract -q -o chained.csv --threads 3 chained
expect_status 0 "$WARPMETER" extract -q -o one.csv --threads 1 --batch 10 chained
zcat ?.pcap.gz | "$WARPMETER" extract -q -o pipe.csv -
for other in chained one pipe; do cmp whole.csv $other.csv; done
expect_status 0 "$WARPMETER" info -q --json chained
grep -q '"packets":20000' stdout.txt || fail "info counts other packets"

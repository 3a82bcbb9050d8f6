#!/usr/bin/env bash
# Of three inputs the middle one is damaged, or cannot be read at all: the others count whole, in their order.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets 3000 --seed 1 -o 1.pcap
"$TRAFFIC_GEN" --packets 3000 --seed 2 -o 2.pcap
"$TRAFFIC_GEN" --packets 3000 --seed 3 -o 3.pcap
cat > cut.py <<'PY'
import struct
data, at = open('2.pcap', 'rb').read(), 24
while at < len(data) // 2: at += 16 + struct.unpack_from('<I', data, at + 8)[0]
open('good.pcap', 'wb').write(data[:at])
open('cut.pcap', 'wb').write(data[:at + 30])
open('long.pcap', 'wb').write(data[:at] + struct.pack('<IIII', 0, 0, 0x7ffffff0, 0x7ffffff0) + data[at + 16:])
PY
python3 cut.py
"$WARPMETER" extract -q -o wanted.csv 1.pcap good.pcap 3.pcap
damaged=$(stat -c %s good.pcap)
for threads in 1 4; do
  expect_status 3 "$WARPMETER" extract -q --threads $threads -o cut.csv 1.pcap cut.pcap 3.pcap
  expect_one_line "^warpmeter: cut.pcap: damaged at byte $damaged: record cut short; what came before is in the output\$"
  cmp wanted.csv cut.csv || fail "cut short: the others are not whole"
  expect_status 3 "$WARPMETER" extract -q --threads $threads -o long.csv 1.pcap long.pcap 3.pcap
  expect_one_line "^warpmeter: long.pcap: damaged at byte $damaged: captured length 2147483632; what came before is in the output\$"
  cmp wanted.csv long.csv || fail "captured length: the others are not whole"
done
no_leftovers

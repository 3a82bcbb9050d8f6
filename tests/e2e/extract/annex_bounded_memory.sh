#!/usr/bin/env bash
# A capture whose every packet is a new flow needs no more memory with --annex the longer it is, nor does one whose flows
# are all of one key, put together.
. "$(dirname "$0")/../common.sh"
# What memory a sanitizer takes says nothing about the program.
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
cat >flood.py <<'PY'
import struct, sys
packets, keys = map(int, sys.argv[1:])
out, tail = sys.stdout.buffer, struct.pack('>IIBBHHH', 1, 0, 6 << 4, 2, 512, 0, 0) + b'\2\4\5\xb4'
out.write(struct.pack('<IHHIIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
for first in range(0, packets, 10000):
    frames = []
    for i in range(first, min(first + 10000, packets)):
        key = i % keys
        tcp = struct.pack('>HHI', key % 50000 + 1, 80, i * 77777777 % 2**32) + tail[4:]
        ip = struct.pack('>BBHHHBBHII', 0x45, 0, 44, i % 65535 + 1, 0, 64, 6, 0, 0x0a000000 + key // 50000, 0x0b000001)
        frame = b'\2' + struct.pack('>I', i) + bytes(7) + b'\x08\0' + ip + tcp
        frames.append(struct.pack('<4I', 1 + i // 10**6, i % 10**6 * 1000, len(frame), len(frame)) + frame)
    out.write(b''.join(frames))
PY
peak_kib() {  # of $1 packets of $2 keys
  python3 flood.py "$1" "$2" | peak_of "$WARPMETER" extract -q --memory 24M --threads 1 --annex all "${@:3}" -o got.csv -
}
short=$(peak_kib 150000 150000)
long=$(peak_kib 600000 600000)
[ "$(rows got.csv)" = 600000 ] || fail "$(rows got.csv) flows"
python3 - <<'PY'
import csv
macs = {row['dst_mac'] for row in csv.DictReader(open('got.csv')) if row['syn_mss'] == '1460'}
assert len(macs) == 600000, len(macs)
PY
of_one=$(peak_kib 600000 1 --aggregate)
[ "$(rows got.csv)" = 1 ] && tail -1 got.csv | grep -q ',512,2$' || fail "$(tail -1 got.csv)"
echo "peak: $short KiB for 0.15 M flows, $long KiB for 0.6 M, $of_one KiB for 0.6 M of one key"
[ "$long" -lt $((short * 3 / 2 + 4096)) ] || fail "memory grows with the input"
[ "$of_one" -lt $((short * 3 / 2 + 4096)) ] || fail "memory grows with the flows of a key"

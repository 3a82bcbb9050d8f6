#!/usr/bin/env bash
# A capture as .gz, .zst and .lz4, by content and not by name, gives the output of the plain one: from a file, from a
# pipe, in pieces, and as a folder of rotated files of which some are packed.
. "$(dirname "$0")/../common.sh"
need_unpacking
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --flows 100 -o whole.pcap 2>/dev/null
"$WARPMETER" extract -q -o whole.csv whole.pcap
same() { "$WARPMETER" extract -q -o out.csv "$@" && cmp whole.csv out.csv; }
for program in $PACKERS; do
  $program -c -q < whole.pcap > packed.pcap
  same packed.pcap
  same - < packed.pcap
  cat packed.pcap | same -
  same --threads 1 --batch 100 packed.pcap
  { head -c 300001 whole.pcap | $program -c -q; tail -c +300002 whole.pcap | $program -c -q; } > members
  same members
  [ "$program" = gzip ] && continue
  # Skippable frames, which zstd and lz4 share, tell neither: short ones, one of 3 MB, very many empty ones.
  for before in '0, 5' '3000000' '*[0] * 200000'; do
    python3 - "$before" > skipped <<'PY'
import struct, sys
for i, size in enumerate(eval(f'[{sys.argv[1]}]')):
    sys.stdout.buffer.write(struct.pack('<II', 0x184d2a50 + i % 16, size) + bytes(size))
PY
    cat packed.pcap >> skipped
    same skipped
    cat skipped | same -
  done
done

mkdir rotated
python3 - <<'PY'
import struct
data = open('whole.pcap', 'rb').read()
at, part, parts = 24, bytearray(data[:24]), []
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    part += data[at:at + size]
    at += size
    if len(part) > len(data) // 50: parts.append(part); part = bytearray(data[:24])
for i, part in enumerate(parts + [part]): open(f'rotated/trace.{i:03}', 'wb').write(part)
PY
set -- $PACKERS cat
i=0
for file in rotated/trace.*; do
  i=$((i + 1))
  program=${!i}
  [ "$program" = cat ] || { $program -c -q < "$file" > packed; mv packed "$file"; }
  [ $i -lt $# ] || i=0
done
echo "no capture" | gzip > rotated/notes.gz
same rotated

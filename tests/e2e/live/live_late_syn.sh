#!/usr/bin/env bash
# A feeder with several rings, one of which is behind: a flow whose SYN comes late is one Flow Record all the same, and no
# byte is falsely missing. What differs from extract is what tells of the order, and nothing else.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
SYN, FIN, DATA, T = 2, 17, 24, 1_700_000_000_000_000_000
# connection(ISN, LENGTH...) -> [(flags, number, payload)]
def connection(isn, *lengths):
    segments, number = [(SYN, isn % 2**32, 0)], isn + 1
    for length in lengths:
        segments.append((DATA, number % 2**32, length))
        number += length
    return segments + [(FIN, number % 2**32, 0)]
def capture(name, *connections):
    with open(name, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        left, number = [list(c) for c in connections], 0
        while any(left):
            for port, segments in enumerate(left):
                if not segments: continue
                flags, sequence, length = segments.pop(0)
                ip = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 40 + length, number, 0, 64, 6, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
                tcp = struct.pack('!HHIIBBHHH', 1000 + port, 80, sequence, 0, 0x50, flags, 1000, 0, 0)
                frame, at = bytes(12) + b'\x08\x00' + ip + tcp + bytes(length), T + number * 1_000_000
                f.write(struct.pack('<IIII', at // 10**9, at % 10**9, len(frame), len(frame)) + frame)
                number += 1
capture('one.pcap', connection(99, 500, 500, 500))
capture('many.pcap', *(connection(2**32 - 3000 + 700 * i, *[100 + 200 * (i % 6)] * (1 + i % 17)) for i in range(60)))
PY

# like_extract RINGS FILE RING...: one of the rings after the other, by as many threads, by one, and by more than rings.
like_extract() {
  local rings=$1 file=$2 threads
  shift 2
  "$WARPMETER" extract -q --duplicate-window 0 -o expected.csv "$file"
  for threads in $rings 1 $((rings + 1)); do
    python3 "$SOURCE/tests/net/live/ring_feeder.py" late-$$ $rings "$file" "$@" >fed.txt &
    timeout 60 "$WARPMETER" live -q -i shm:late-$$ --rings $rings --threads $threads --duplicate-window 0 -o got.csv
    wait $!
    python3 - <<'PY' || fail "$rings rings, $threads threads, $file shared by $*"
import csv, sys
rows = [list(csv.DictReader(open(name))) for name in ('expected.csv', 'got.csv')]
moved = sum(int(row['out_of_order_segments']) for row in rows[1])
for row in rows[0] + rows[1]: del row['out_of_order_segments'], row['keep_alive_segments']
assert len(rows[0]) == len(rows[1]), [len(r) for r in rows]
assert rows[0] == rows[1], [(a, b) for a, b in zip(*rows) if a != b][0]
assert moved, 'nothing was late'
PY
  done
}
like_extract 2 one.pcap 1 1 0 0 0
like_extract 2 one.pcap 1 0 1 0 1
like_extract 2 many.pcap 1 0 0 1 0
like_extract 3 many.pcap 2 1 0 0 1 2 1

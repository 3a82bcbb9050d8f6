#!/usr/bin/env bash
# On a terminal, a live capture says who sends most while the flows go on, of which no Flow Record tells yet.
. "$(dirname "$0")/../common.sh"
[ -e /dev/ptmx ] && [ -e /dev/pts ] || { echo "a machine with /dev/ptmx and /dev/pts runs this"; exit 77; }
python3 - <<'PY'
import struct
with open('udp.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for number in range(200):
        host, length = (7, 1000) if number % 4 else (8, 100)
        ip = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 28 + length, number, 0, 64, 17, 0, bytes([10, 0, 0, host]), bytes([10, 0, 0, 2]))
        frame = bytes(12) + b'\x08\x00' + ip + struct.pack('!HHHH', 1000 + number % 10, 53, 8 + length, 0) + bytes(length)
        f.write(struct.pack('<IIII', 1_700_000_000, number, len(frame), len(frame)) + frame)
PY
TURNS=6 python3 "$SOURCE/tests/net/live/ring_feeder.py" line-$$ 2 udp.pcap 0 1 1 >fed.txt &
timeout 60 script -qec "stty cols 200; '$WARPMETER' live -i shm:line-$$ --rings 2 -o got.csv" /dev/null >screen.txt
wait $!
tr '\r' '\n' <screen.txt | grep -qE '15 live flows; top 10\.0\.0\.7 [0-9.]+ .?bit/s, 10\.0\.0\.8 [0-9.]+ .?bit/s' ||
  { cat screen.txt >&2; fail "nobody sends"; }

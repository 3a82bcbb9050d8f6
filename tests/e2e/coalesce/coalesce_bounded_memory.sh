#!/usr/bin/env bash
# A long trace needs no more memory than a short one: where a list waits for ever, where there are ever new connections, and
# where packets pass.
. "$(dirname "$0")/../common.sh"
# What memory a sanitizer takes says nothing about the program.
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
cat > traffic.py <<'PY'
import struct, sys
out, packets, kind = sys.stdout.buffer, int(sys.argv[2]), sys.argv[1]
out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
payload = bytes(1000)
def packet(i, port, sequence, size, protocol=6, push=0):
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 40 + size, 0, 0, 64, protocol, 0) + struct.pack('>II', 0x0a000001, port >> 16)
    tcp = struct.pack('>HHIIBBHHH', port & 0xffff, 80, sequence & 0xffffffff, 0, 0x50, 0x10 | push, 1000, 0, 0)
    out.write(struct.pack('<IIII', 1_700_000_000 + i // 1000, i % 1000, 40 + size, 40 + size) + ip + tcp + payload[:size])
for i in range(packets):
    if kind == 'waits': packet(i, 1 if i == 0 else 2, 1000 * i, 1000, push=8 * (i % 9 == 0))   # the first never goes on
    elif kind == 'connections': packet(i, i, 0, 1000)
    elif kind == 'holes': packet(i, i % 50, 4000 * (i // 50), 1000)                    # everything waits out of order
    else: packet(i, 1, 0, 1000, protocol=17)
PY
for kind in waits connections holes passes; do
  python3 traffic.py $kind 20000 >short.pcap
  python3 traffic.py $kind 100000 >long.pcap
  for threads in 1 3; do
    peak() { cat "$1" | peak_of "$WARPMETER" coalesce -q --no-verify --memory 8M --threads $threads -o x.pcapng -; }
    short=$(peak short.pcap) long=$(peak long.pcap)
    echo "$kind, $threads threads: $short KiB, then $long KiB"
    [ "$long" -lt $((short * 5 / 4 + 8192)) ] || fail "memory grows with the input: $kind"
    [ "$(stat -c %s x.pcapng)" -gt 80000000 ] || fail "the output is too small to show it"
  done
done

#!/usr/bin/env bash
# Captures that overlap in time and are full of large packets, a few kilobytes each when they are compressed, take memory by
# --memory and by what their readers need, not by their number times what a block of small packets may have.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "a build without sanitizers runs this"; exit 77; }
command -v zstd >/dev/null || { echo "apt-get install zstd runs this: there is no zstd"; exit 77; }
python3 - <<'PY' >one.pcap
import struct, sys
to, size = sys.stdout.buffer, 1 << 20
to.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, size, 101))
for i in range(160): to.write(struct.pack('<IIII', 1_700_000_000 + i, 0, size, size) + bytes(size))
PY
zstd -q --rm one.pcap -o one.pcap.zst
mkdir many
for i in $(seq 16); do cp one.pcap.zst "many/$i.pcap.zst"; done
python3 - "$WARPMETER" <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], 'extract', '-q', '--memory', '64M', '-o', 'flows.csv', 'many'], check=False)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print(most, 'MiB for 16 captures of', 16 * 160, 'MiB')
assert most < 1200, most
PY

#!/usr/bin/env python3
"""cut_capture.py CAPTURE PIECES TO: cuts a pcap file into pieces in the order of time; TO has {} for a number."""
import struct, sys

data = open(sys.argv[1], 'rb').read()
pieces, to = int(sys.argv[2]), sys.argv[3]
records, at = [], 24
while at < len(data):
    size = 16 + struct.unpack_from('<I', data, at + 8)[0]
    records.append(data[at:at + size])
    at += size
records.sort(key=lambda r: struct.unpack_from('<II', r))
step = -(-len(records) // pieces)
for i in range(pieces): open(to.format(i), 'wb').write(data[:24] + b''.join(records[i * step:(i + 1) * step]))

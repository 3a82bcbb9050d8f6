#!/usr/bin/env bash
# ERF files give the Flow Records that the same packets give as pcap: by content, forced, from a pipe.
. "$(dirname "$0")/../common.sh"
python3 - "$DATA/first-look.pcap" > some.erf <<'PY'
import struct, sys
data, out = open(sys.argv[1], 'rb').read(), sys.stdout.buffer
scale = 1 if data[:4] == b'\x4d\x3c\xb2\xa1' else 1000
at = number = 24
while at < len(data):
    seconds, fraction, captured, original = struct.unpack_from('<IIII', data, at)
    frame = data[at + 16:at + 16 + captured]
    time = -(-(fraction * scale << 32) // 10**9) | seconds << 32  # less than half a nanosecond more than these nanoseconds
    fcs, extension = bytes(4), b'\x83' + bytes(7) + b'\x03' + bytes(7) if number % 3 else b''
    size = 18 + len(extension) + captured + 4
    out.write(struct.pack('<Q', time) + struct.pack('>BBHHH', 20 | (0x80 if extension else 0), 4, size, 7, original + 4))
    out.write(extension + bytes(2) + frame + fcs)
    number += 1
    at += 16 + captured
out.write(struct.pack('<Q', time) + struct.pack('>BBHHH', 48, 0, 64, 0, 0) + bytes(48))
PY
"$WARPMETER" extract -q -o pcap.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o erf.csv some.erf
cmp pcap.csv erf.csv
"$WARPMETER" extract -q --input-format erf -o piped.csv - < <(cat some.erf)
cmp pcap.csv piped.csv
expect_status 1 "$WARPMETER" extract --input-format hpcap some.erf
expect_one_line 'some.erf: not an HP-CAP file'
expect_status 1 "$WARPMETER" extract --input-format erf "$DATA/first-look.pcap"
expect_one_line 'first-look.pcap: not an ERF file'

# Of a clock that is not set, as TRex writes them: too little to be believed, enough to be suggested.
python3 - some.erf > unset.erf <<'PY'
import struct, sys
data, out, at = bytearray(open(sys.argv[1], 'rb').read()), sys.stdout.buffer, 0
while at < len(data):
    struct.pack_into('<I', data, at + 4, struct.unpack_from('<I', data, at + 4)[0] % 1000)
    at += struct.unpack_from('>H', data, at + 10)[0]
out.write(data)
PY
expect_status 1 "$WARPMETER" extract unset.erf
expect_one_line 'unset.erf: not a pcap, pcapng, HP-CAP or ERF file \(it may be ERF: --input-format erf\)'
"$WARPMETER" extract -q --input-format erf -o unset.csv unset.erf
[ "$(rows unset.csv)" = "$(rows pcap.csv)" ]
head -c 30000 some.erf > cut.erf
expect_status 3 "$WARPMETER" extract -q -o cut.csv cut.erf
expect_one_line 'cut.erf: damaged at byte [0-9]+: record cut short'

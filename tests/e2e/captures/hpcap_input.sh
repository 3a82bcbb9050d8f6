#!/usr/bin/env bash
# HP-CAP raw files give the Flow Records that the same packets give as pcap: by content, forced, from a pipe.
. "$(dirname "$0")/../common.sh"
python3 - "$DATA/first-look.pcap" > some.raw <<'PY'
import struct, sys
data, out = open(sys.argv[1], 'rb').read(), sys.stdout.buffer
scale = 1 if data[:4] == b'\x4d\x3c\xb2\xa1' else 1000
out.write(struct.pack('<IIHH', 0, 0, 30, 30) + bytes(30))
at = 24
while at < len(data):
    seconds, fraction, captured, original = struct.unpack_from('<IIII', data, at)
    out.write(struct.pack('<IIHH', seconds, fraction * scale, captured, original) + data[at + 16:at + 16 + captured])
    at += 16 + captured
out.write(struct.pack('<IIHH', 0, 0, 0, 0) + bytes(11))
PY
"$WARPMETER" extract -q -o pcap.csv "$DATA/first-look.pcap"
"$WARPMETER" extract -q -o hpcap.csv some.raw
cmp pcap.csv hpcap.csv
"$WARPMETER" extract -q --input-format hpcap -o piped.csv - < <(cat some.raw)
cmp pcap.csv piped.csv
mkdir folder && cp some.raw folder/a && head -c 5000 "$WARPMETER" > folder/b
"$WARPMETER" extract -q -o folder.csv folder
cmp pcap.csv folder.csv
for wrong in pcap:'a pcap' pcapng:'a pcapng' erf:'an ERF'; do
  expect_status 1 "$WARPMETER" extract --input-format "${wrong%:*}" some.raw
  expect_one_line "some.raw: not ${wrong#*:} file"
done
expect_status 1 "$WARPMETER" extract --input-format hpcap "$DATA/first-look.pcap"
expect_one_line 'first-look.pcap: not an HP-CAP file'
expect_status 3 "$WARPMETER" extract -q --input-format hpcap -o cut.csv - < <(head -c 20000 some.raw)
expect_one_line 'standard input: damaged at byte [0-9]+: record cut short'
[ "$(rows cut.csv)" -gt 1 ] || fail "what came before is lost"

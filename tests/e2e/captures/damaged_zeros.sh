#!/usr/bin/env bash
# A pcap file that ends in zeros (preallocated, or lost in a crash) is damaged where they begin, as a file, packed or from
# a pipe, whatever the number of threads; zeros before anything else are packets without bytes.
. "$(dirname "$0")/../common.sh"
python3 - <<'PY'
import struct
header = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1)
def packet(n):
    data = bytes(14)[:12] + b'\x08\x00' + struct.pack('>BBHHHBBH4s4sHHHH', 0x45, 0, 48, n, 0, 64, 17, 0, b'\x0a\0\0\1', b'\x0a\0\0\2', n, 53, 28, 0) + bytes(20)
    return struct.pack('<IIII', 1700000000 + n, 0, len(data), len(data)) + data
five = header + b''.join(map(packet, range(5)))
assert len(five) == 414
open('zeros.pcap', 'wb').write(five + bytes(4096))
open('between.pcap', 'wb').write(five + bytes(4096) + packet(5))
sparse = open('sparse.pcap', 'wb')
sparse.write(five)
sparse.truncate(8 << 30)
PY
for threads in 1 2 5; do
  expect_status 3 "$WARPMETER" extract -q --threads $threads -o zeros.csv zeros.pcap
  expect_one_line 'zeros.pcap: damaged at byte 414: zeros up to the end'
  [ "$(rows zeros.csv)" = 5 ]
done
expect_status 3 "$WARPMETER" extract -q -o piped.csv - < <(cat zeros.pcap)
expect_one_line 'standard input: damaged at byte 414: zeros up to the end'
cmp zeros.csv piped.csv
expect_status 3 timeout 60 "$WARPMETER" extract -q -o sparse.csv sparse.pcap
expect_one_line 'sparse.pcap: damaged at byte 414: zeros up to the end'
cmp zeros.csv sparse.csv
expect_status 3 "$WARPMETER" info zeros.pcap
grep -qE '^  packets +5$' stdout.txt && ! grep -q 1970 stdout.txt
"$WARPMETER" extract -q --stats stats.json -o between.csv between.pcap
grep -q '"packets read": 262' stats.json || fail "zeros before a packet are packets without bytes"
"$WARPMETER" extract -q -o between-piped.csv - < <(cat between.pcap)
cmp between.csv between-piped.csv
if [[ " $(command -v gzip) " == *gzip* ]] && "$WARPMETER" info | grep -q 'unpacking .*gzip'; then
  gzip -k zeros.pcap
  expect_status 3 "$WARPMETER" extract -q -o packed.csv zeros.pcap.gz
  expect_one_line 'zeros.pcap.gz: damaged at byte 414: zeros up to the end'
  cmp zeros.csv packed.csv
fi

# In a folder that grows, what is preallocated and still being written is not read before it is closed.
mkdir folder
head -c 414 zeros.pcap > folder/grows.pcap
exec 8>>folder/grows.pcap
truncate -s 1M folder/grows.pcap
"$WARPMETER" live -q -i folder:folder --stats stats.json -o live.csv 2>stderr.txt 8>&- & meter=$!
wait_for 20 interruptible $meter
sleep 1
[ ! -s stderr.txt ] || { cat stderr.txt >&2; fail "read while it was being written"; }
truncate -s 414 folder/grows.pcap
exec 8>&-
kill -INT $meter
wait $meter
cmp zeros.csv live.csv
[ ! -s stderr.txt ] || fail "said something"
cp zeros.pcap folder/
"$WARPMETER" live -q -i folder:folder --stats stats.json -o live.csv 2>stderr.txt & meter=$!
wait_for 20 grep -q 'zeros.pcap: damaged at byte 414: zeros up to the end; what came before is metered' stderr.txt
status=0; kill -INT $meter; wait $meter || status=$?
[ $status = 3 ]

#!/usr/bin/env bash
# Segment files are what docs/segment-files.md says: read_segments.py, which shares no code with the program, finds in them
# the sums of extract --aggregate, and of each packet what stands in the capture. Rows, partitions and what is foretold
# leave nothing out.
. "$(dirname "$0")/../common.sh"
read_segments() {
  local status=0
  python3 "$SOURCE/tests/e2e/read_segments.py" "$@" || status=$?
  [ $status != 77 ] || { echo "python3 with libzstd and libxxhash (apt-get install libzstd1 libxxhash0) runs this"; exit 77; }
  [ $status = 0 ] || fail "read_segments.py $*"
}
# same_sums SET CAPTURE OPTION...
same_sums() {
  local set=$1 capture=$2
  shift 2
  rm -rf "$set"
  "$WARPMETER" decode -q -o "$set" "$@" "$capture"
  "$WARPMETER" extract -q --aggregate -o wanted.csv "$capture"
  read_segments --flows "$set"/* > sums.csv
  cut -d, -f1-9,23 wanted.csv | cmp - sums.csv || fail "the sums of $capture, $*"
  [ "$(wc -l < sums.csv)" -gt 5 ] || fail "no flows"
}
same_sums first "$DATA/first-look.pcap"
same_sums first "$DATA/first-look.pcap" --partitions 1
same_sums first "$DATA/first-look.pcap" --partitions 64
"$TRAFFIC_GEN" --packets 20000 --flows 300 --mean-packets 20 --icmp 0.05 -o few.pcap
"$TRAFFIC_GEN" --packets 20000 --flows 300 --mean-packets 20 --vlan 0 --microseconds --snaplen 96 -o short.pcap
same_sums few few.pcap
if [ "${LONG:-OFF}" = ON ]; then  # more than a row, which takes long to read here
  "$TRAFFIC_GEN" --packets 530000 --flows 3000 --mean-packets 60 --frame-size 64 -o long.pcap
  same_sums long long.pcap --partitions 2 --threads 2
  [ "$(cat long/* | grep -ao WMSEND | wc -l)" = 2 ] || fail "no two files"
fi

# Of each packet: number, time, addresses, and of TCP all of the header but options. Where these belong to the identity
# (no IP id, and there are some) their fingerprint lies over id, checksum and urgent pointer.
cat > packets.py <<'PY'
import ipaddress, struct, sys
data = open(sys.argv[1], 'rb').read()
magic = struct.unpack_from('<I', data)[0]
unit = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[magic]
at, number = 24, 0
while at < len(data):
    seconds, part, size = struct.unpack_from('<III', data, at)
    frame, number, at = data[at + 16:at + 16 + size], number + 1, at + 16 + size
    ip = 14
    while frame[ip - 2:ip] == b'\x81\x00': ip += 4
    if frame[ip] >> 4 == 4:
        header, length, packet_id, protocol = (frame[ip] & 15) * 4, *struct.unpack_from('>HH', frame, ip + 2), frame[ip + 9]
        addresses = frame[ip + 12:ip + 16], frame[ip + 16:ip + 20]
    else:
        header, length, packet_id, protocol = 40, 40 + struct.unpack_from('>H', frame, ip + 4)[0], 0, frame[ip + 6]
        addresses = frame[ip + 8:ip + 24], frame[ip + 24:ip + 40]
    if protocol != 6: continue
    source, to, sequence, acknowledgement, offset, flags, window, checksum, urgent = struct.unpack_from('>HHIIBBHHH', frame, ip + header)
    key = ','.join(map(str, (*map(ipaddress.ip_address, addresses), source, to, protocol)))
    printed = packet_id == 0 and offset > 0x5f
    print(number, seconds * 10**9 + part * unit, key, f'kind={3 if packet_id else 7}', f'sequence={sequence}',
          f'acknowledgement={acknowledgement}', f'length={length}', f'window={window}', f'id={"-" if printed else packet_id}',
          f'flags={flags}', f'offset={offset}', f'checksum={"-" if printed else checksum}', f'urgent={"-" if printed else urgent}',
          f'options={"-" if printed else 0}', f'payload_length={length - header - (offset >> 4) * 4}')
PY
hide_prints() { sed -E '/ kind=7 .* offset=(9[6-9]|[12][0-9][0-9]) /s/ (id|checksum|urgent|options)=[0-9]+/ \1=-/g'; }
"$WARPMETER" decode -q -o short short.pcap
for set in few short; do
  python3 packets.py $set.pcap > wanted.txt
  read_segments $set/* > all.txt
  [ "$(wc -l < all.txt)" = 20000 ] || fail "$(wc -l < all.txt) segments of 20000"
  grep ',6 kind=' all.txt | hide_prints | cmp - wanted.txt || fail "segments of $set.pcap"
  [ "$(grep -c ' options=-' wanted.txt)" -gt 1000 ] || fail "hardly any TCP whose options count"
  [ "$(grep -c ' options=0' wanted.txt)" -gt 1000 ] || fail "hardly any other TCP"
  [ "$(wc -l < wanted.txt)" -gt 10000 ] || fail "hardly any TCP"
done

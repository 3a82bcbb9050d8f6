#!/usr/bin/env bash
# What comes over a wire gives the Flow Records that extract makes of the same packets, but for their times: with one ring
# and several, few threads and many, of frames of all sizes, with VLAN tags of all kinds; and every packet is accounted for.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets $((40000 / SCALE)) --mean-packets 20 -o traffic.pcap
# The duplicate window is about times, which differ.
alike() {  # NAME OPTION...
  local name=$1 packets
  shift
  "$WARPMETER" extract -q --duplicate-window 0 "$@" -o expected.csv "$name"
  for how in '--rings 1 --threads 1' '--rings 1 --threads 3' '--rings 3 --threads 2'; do
    start_live -i capture $how --duplicate-window 0 "$@" -o got.csv
    packets=$(send_frames "$name")
    end_live 0
    stats "offered == received == $packets and interfaces[0]['lost by the interface'] == 0"
    grep -q 'packets lost  *0 because a ring was full, 0 by the interface' live.txt || { cat live.txt; fail "$how: losses"; }
    same_but_times expected.csv got.csv
  done
}
alike "$DATA/first-look.pcap"
alike traffic.pcap
alike traffic.pcap --biflow

# One tag, two, one of a provider; the kernel takes the outermost out of the frame and keeps it elsewhere.
python3 - <<'PY'
import struct
data = open('traffic.pcap', 'rb').read()
out, at, number = [data[:24]], 24, 0
tags = [b'', b'\x81\x00\x00\x05', b'\x88\xa8\x00\x07\x81\x00\x20\x09', b'\x81\x00\x6f\xff\x81\x00\x00\x01']
while at < len(data) and number < 4000:
    seconds, part, captured, original = struct.unpack('<IIII', data[at:at + 16])
    frame = data[at + 16:at + 16 + captured]
    tag = tags[sum(frame[26:34]) % 4]  # a connection has one
    frame = frame[:12] + tag + frame[12:]
    out.append(struct.pack('<IIII', seconds, part, len(frame), original + len(tag)) + frame)
    at, number = at + 16 + captured, number + 1
open('tagged.pcap', 'wb').write(b''.join(out))
PY
"$WARPMETER" extract -q --key-vlan -o tagged.csv tagged.pcap
for id in 5 7 4095; do grep -q ",$id\$" tagged.csv || fail "no flow of VLAN $id"; done
alike tagged.pcap --key-vlan

# A filter is the same as for files, and what it leaves out is counted.
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv traffic.pcap tcp and port 443
start_live -i capture --duplicate-window 0 -o got.csv tcp and port 443
packets=$(send_frames traffic.pcap)
end_live 0
stats "received + before == $packets and s['ignored']['filtered out'] > 0"
same_but_times expected.csv got.csv
no_leftovers

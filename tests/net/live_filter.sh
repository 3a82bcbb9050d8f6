#!/usr/bin/env bash
# A filter is the same in the kernel as in the program, and as for files: the same Flow Records, and what it leaves out is
# counted, to the packet, with tags, with several rings, and where a ring is full.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets $((4000 / SCALE)) --mean-packets 20 -o traffic.pcap
"$WARPMETER" info | grep -q 'filters *built in' || { echo "a build with libpcap (package libpcap-dev) runs this"; exit 77; }

# Tags of all kinds; the kernel takes the outermost out of the frame before it asks the filter.
python3 - <<'PY'
import struct
data = open('traffic.pcap', 'rb').read()
out, at = [data[:24]], 24
tags = [b'', b'\x81\x00\x00\x05', b'\x88\xa8\x00\x07\x81\x00\x20\x09', b'\x81\x00\x6f\xff\x81\x00\x00\x01']
while at < len(data):
    seconds, part, captured, original = struct.unpack('<IIII', data[at:at + 16])
    frame = data[at + 16:at + 16 + captured]
    tag = tags[sum(frame[26:34]) % 4]
    out.append(struct.pack('<IIII', seconds, part, captured + len(tag), original + len(tag)) + frame[:12] + tag + frame[12:])
    at += 16 + captured
open('tagged.pcap', 'wb').write(b''.join(out))
PY

# What the program may: all; or not to load programs into the kernel.
as_root() { "$WARPMETER" "$@"; }
cat >without_bpf <<END
#!/bin/sh
exec setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$WARPMETER" "\$@"
END
chmod +x without_bpf
places=program
as_root live -i capture --duration 10ms -o flows.csv tcp 2>messages.txt || { cat messages.txt; fail "a filter"; }
grep -q 'filter in the kernel' messages.txt && places="kernel program" || echo "a kernel that takes programs (root) runs the rest"
setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin true || { echo "setpriv of util-linux runs the rest"; places=${places%program}; }

filtered_the_same() {  # FILE FILTER OPTION...
  local name=$1 filter=$2 place packets
  shift 2
  "$WARPMETER" extract -q --duplicate-window 0 --key-vlan --stats files.json -o expected.csv "$name" $filter
  left_out=$(python3 -c "import json; print(json.load(open('files.json'))['ignored']['filtered out'])")
  for place in $places; do
    meter=$WARPMETER
    [ $place = kernel ] || meter=$PWD/without_bpf
    WARPMETER=$meter start_live -i capture --duplicate-window 0 --key-vlan "$@" -o got.csv $filter
    grep -q 'filter in the kernel' live.txt && got=kernel || got=program
    [ $got = $place ] || { cat live.txt; fail "$name, $filter: filtered by the $got, not by the $place"; }
    packets=$(send_frames "$name")
    end_live 0
    stats "offered == s['packets read'] == $packets and s['ignored']['filtered out'] == $left_out > 0"
    stats "sum(r['filtered out before'] for r in rings) == (${left_out} if '$place' == 'kernel' else 0)"
    if [ "$(rows expected.csv)" = 0 ]; then [ "$(rows got.csv)" = 0 ]; else same_but_times expected.csv got.csv; fi
  done
}
filtered_the_same tagged.pcap 'tcp port 443 or less 70'
filtered_the_same tagged.pcap 'vlan and tcp' --rings 3

# One that jumps back is not for the kernel.
places=program
filtered_the_same traffic.pcap 'ip protochain 17'

# Metrics count what the kernel filtered out as the summary does.
if ! "$WARPMETER" info | grep -q 'metrics *not built in'; then
  ip link set lo up
  start_live -i capture --metrics :0 -o got.csv udp
  url=$(grep -o 'http:.*' live.txt)
  sent=$(send_frames traffic.pcap)
  metrics_are() { python3 "$HERE/live/metrics.py" "$url" "$@"; }
  wait_for 20 metrics_are warpmeter_ring_offered_packets_total "$sent" warpmeter_ring_offered_packets_total \
    =warpmeter_metered_packets_total+warpmeter_ignored_packets_total+warpmeter_ring_lost_packets_total
  end_live 0
  stats "offered == $sent and s['ignored']['filtered out'] > 0"
fi

# A ring that is full has lost packets that the filter takes, and no others.
start_live -i capture --ring-size 256K -o got.csv udp
kill -STOP "$LIVE"
sent=$(send_frames traffic.pcap $((4 * SCALE)))
kill -CONT "$LIVE"
end_live 0
stats "offered == $sent and s['ignored']['filtered out'] > 0"
no_leftovers

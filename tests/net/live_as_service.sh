#!/usr/bin/env bash
# Under what the unit file leaves it (user nobody with three capabilities, and without the calls and address families that it
# refuses) a live capture does what it does as root: both kinds of rings, libpcap, a filter in the kernel, threads on CPUs,
# metrics, and a collector.
. "$(dirname "$0")/live/wire.sh"
. "$HERE/live/as_service.sh"
"$TRAFFIC_GEN" --packets 800 --mean-packets 8 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv traffic.pcap ip
as_service warpmeter@.service
collector=
if grep -q 'IPFIX *built in' ../info.txt; then
  collector="--collector udp://127.0.0.1:4739"
  python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 4739))
time.sleep(600)' &
  OTHERS=$!
fi
rings=("packet" "pcap")
ulimit -l unlimited 2>/dev/null || true  # LimitMEMLOCK=
xdp="xdp --ring-size 4M"                 # more frames than packets, and no more than may be locked anywhere
timeout 20 "$WARPMETER" live -q -i capture --ring $xdp --duration 100ms -o ../tried.csv 2>/dev/null && rings+=("$xdp")
WARPMETER=$AS_SERVICE
for ring in "${rings[@]}"; do
  start_live -i capture --ring $ring --affinity auto $metrics $collector --duplicate-window 0 -o got.csv ip
  check_confined $LIVE
  sent=$(send_frames ../traffic.pcap)
  end_live 0
  stats "received + before == $sent"
  same_but_times ../expected.csv got.csv
done

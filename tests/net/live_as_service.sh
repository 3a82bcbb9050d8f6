#!/usr/bin/env bash
# Under what the unit file leaves it (user nobody with three capabilities, and without the calls and address families that it
# refuses) a live capture does what it does as root: both kinds of rings, libpcap, a filter in the kernel, threads on CPUs,
# metrics, and a collector.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 800 --mean-packets 8 -o traffic.pcap
"$WARPMETER" extract -q --duplicate-window 0 -o expected.csv traffic.pcap ip
cmake "-DCMAKE_INSTALL_PREFIX=$PWD" -P "$SOURCE/data/systemd/install.cmake" >/dev/null
ip link set lo up
# Nobody may look into the folders of a build.
cp "$WARPMETER" program
cp "$HERE/live/as_service.py" .
printf '#!/bin/sh\nexec python3 "%s/as_service.py" "%s/lib/systemd/system/warpmeter@.service" "%s/program" "$@"\n' \
  "$SCRATCH" "$SCRATCH" "$SCRATCH" >as_service
chmod 755 program as_service
chmod 711 "$SCRATCH"
mkdir state
chown 65534:65534 state
cd state
status=0
"$SCRATCH/as_service" info >../info.txt 2>&1 || status=$?
[ $status != 77 ] || { echo "systemd-analyze (apt-get install systemd), libseccomp and setpriv run this"; exit 77; }
[ $status = 0 ] || { cat ../info.txt >&2; fail "it does not even start"; }
metrics="--metrics :0"
! grep -q 'metrics *not built in' ../info.txt || metrics=
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
WARPMETER=$SCRATCH/as_service
for ring in "${rings[@]}"; do
  start_live -i capture --ring $ring --affinity auto $metrics $collector --duplicate-window 0 -o got.csv ip
  [ "$(awk '/^Uid/ { print $3 }' /proc/$LIVE/status)" = 65534 ] || fail "not as nobody"
  [ "$(awk '/^Seccomp:/ { print $2 }' /proc/$LIVE/status)" = 2 ] || fail "no filter of system calls"
  sent=$(send_frames ../traffic.pcap)
  end_live 0
  stats "received + before == $sent"
  same_but_times ../expected.csv got.csv
done

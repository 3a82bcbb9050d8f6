#!/usr/bin/env bash
# A capture begins soon, with many threads and with a long filter, which the kernel asks; --duration counts from then on.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 2000 --mean-packets 4 -o traffic.pcap
took() { python3 -c "import sys, time; assert $2 <= time.time() - $1 <= $3, time.time() - $1"; }

now=$(date +%s.%N)
start_live -i capture --threads 256 --duration 2s -o f.csv
took "$now" 0 $((3 * SCALE))
now=$(date +%s.%N)
[ "$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$LIVE/status")" -lt $((1000000 * (SCALE > 1 ? 20 : 1))) ] ||
  fail "memory for packets that never came"
send_frames traffic.pcap >/dev/null
end_live 0 none
took "$now" 1.5 $((8 * SCALE))
stats "received >= 2000 and full == 0"

host=$(sed -n 2p f.csv | cut -d, -f1)
hosts=$(python3 -c "print(' or '.join('host 10.99.%d.%d' % (i // 250, i % 250) for i in range(600)))")
now=$(date +%s.%N)
start_live -i capture -o long.csv "$hosts or host $host"
took "$now" 0 $((5 * SCALE))
send_frames traffic.pcap >/dev/null
end_live 0
start_live -i capture -o one.csv "host $host"
send_frames traffic.pcap >/dev/null
end_live 0
same_but_times long.csv one.csv

#!/usr/bin/env bash
# At its end a capture waits for a collector that never reads, or for who does not read a pipe, as long as --drain-timeout
# says: then it ends with status 1 and says what was lost. A second signal ends it at once.
. "$(dirname "$0")/live/wire.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 40000 --mean-packets 2 -o many.pcap
"$TRAFFIC_GEN" --packets 8000 --mean-packets 2 -o traffic.pcap
ip link set lo up
python3 - <<'PY' &
import socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.bind(('127.0.0.1', 4739))
s.listen()
open('listens', 'w').close()
held = [s.accept()[0] for _ in range(100)]   # and never reads
PY
OTHERS=$!
wait_for 10 test -e listens
took() { python3 -c "import sys, time; assert $2 <= time.time() - $1 <= $3, time.time() - $1"; }

# capture TRACE OPTION...
capture() {
  local trace=$1
  shift
  start_live -i capture --duplicate-window 0 --idle-timeout 100ms --max-latency 100ms "$@"
  send_frames "$trace" >/dev/null
}

# A collector.
capture many.pcap --collector tcp://127.0.0.1 --collector-buffer 64K --collector-timeout 60s --drain-timeout 1s -o f.csv
now=$(date +%s.%N)
end_live 1 TERM
took "$now" 1 $((4 * SCALE))
grep -q 'nobody is waited for any more' live.txt || fail "does not say that it gives up"
grep -qE 'of [0-9]+ records were lost' live.txt || fail "does not say what was lost"
[ "$(rows f.csv)" -gt 0 ] || fail "the file is not complete"

# A pipe.
mkfifo pipe
sleep 60 <pipe &
OTHERS+=" $!"
capture traffic.pcap --drain-timeout 500ms -o pipe --format csv
now=$(date +%s.%N)
end_live 1 TERM
took "$now" 0.5 $((6 * SCALE))
lost=$(sed -nE 's/.*ended by --drain-timeout .* up to ([0-9]+) Flow Records are lost, and those in files.*/\1/p' live.txt)
[ "${lost:-0}" -gt 1000 ] || fail "does not say what is lost: $lost"  # a pipe takes 64 KiB, some hundred of them

# A second signal.
capture traffic.pcap --drain-timeout 60s -o pipe --format csv
kill -INT "$LIVE"
sleep 0.5
kill -0 "$LIVE" || fail "does not wait for the reader"
now=$(date +%s.%N)
end_live 130 INT
took "$now" 0 2

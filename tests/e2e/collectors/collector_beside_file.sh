#!/usr/bin/env bash
# --collector with -o: the file and the collector get the same Flow Records; the file may be of any format.
. "$(dirname "$0")/../common.sh"
need_ipfix
cat > collector.py <<'PY'
import socket, sys
s = socket.socket()
s.bind(('127.0.0.1', int(sys.argv[1])))
s.listen()
print('listening', flush=True)
connection, _ = s.accept()
with open('received.ipfix', 'wb') as out:
    while data := connection.recv(1 << 16): out.write(data)
PY
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --icmp 0.02 -o t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
for name in flows.csv flows.ipfix; do
  port=$(free_port tcp)
  : > collector.log  # what the one before said
  python3 collector.py "$port" >> collector.log 2>&1 &
  collector=$!
  trap 'kill -9 $collector 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 60 grep -q listening collector.log
  "$WARPMETER" extract -q --collector "tcp://127.0.0.1:$port" -o $name t.pcap
  wait $collector
  for source in $name received.ipfix; do
    "$WARPMETER" show -q -o shown.csv $source
    cmp shown.csv expected.csv
  done
done
no_leftovers

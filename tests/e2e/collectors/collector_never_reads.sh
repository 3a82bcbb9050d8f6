#!/usr/bin/env bash
# A collector over TCP that accepts and does not read, or stops: what its host's buffers took is not delivered. The run
# ends soon after --collector-timeout, however much there is to send, the records are counted as lost, exit status 1. One
# that reads slowly gets all. The file that the same run writes is complete in any case.
. "$(dirname "$0")/../common.sh"
need_ipfix
cat > collector.py <<'PY'
"""collector.py PORT BUFFER backlog|never|some|close|slow"""
import socket, sys, time
port, buffer, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if buffer: s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
s.bind(('127.0.0.1', port))
s.listen()
print('listening', flush=True)
held = []
while how in ('backlog', 'never'):
    if how == 'never': held.append(s.accept())
    else: time.sleep(60)
while True:
    connection, _ = s.accept()
    if how == 'close': time.sleep(0.3)
    elif how == 'some':
        connection.recv(4000)
        time.sleep(60)
    while how == 'slow' and connection.recv(50_000): time.sleep(0.01)
    connection.close()
PY
start_collector() {
  port=$(free_port tcp)
  : > collector.log  # what the one before said
  python3 collector.py "$port" "$@" >> collector.log 2>&1 &
  collector=$!
  trap 'kill -9 $collector 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 60 grep -q listening collector.log
}
stop_collector() { kill -9 "$collector"; wait "$collector" 2>/dev/null || true; }
send() { "$WARPMETER" extract -q --collector "tcp://127.0.0.1:$port" --stats stats.json "$@"; }
stats() { python3 -c "import json; e = json.load(open('stats.json'))['exported']; assert $1, e"; }

"$TRAFFIC_GEN" --packets $((200000 / SCALE)) --mean-packets 4 -o many.pcap
cp "$DATA/first-look.pcap" few.pcap
for name in few many; do "$WARPMETER" extract -q -o $name.csv $name.pcap; done

for how in 'few 0 backlog' 'few 0 never' 'few 1 never' 'few 8000000 never' 'few 0 some' 'few 0 close' \
  'many 0 backlog' 'many 1 never' 'many 8000000 never' 'many 0 some' 'many 0 close'; do
  read -r name buffer kind <<<"$how"
  start_collector "$buffer" "$kind"
  begin=$SECONDS
  expect_status 1 send --collector-timeout 1s --collector-buffer 100K -o flows.csv $name.pcap
  [ $((SECONDS - begin)) -le $((15 * SCALE)) ] || fail "$how: took $((SECONDS - begin)) s"
  tail -1 stderr.txt | grep -qE "^warpmeter: collector tcp://127.0.0.1:$port: .*: [0-9]+ of $(rows $name.csv) records were lost" ||
    { cat stderr.txt; fail "$how: the loss is not told"; }
  cmp flows.csv $name.csv
  stats "e['lost records'] == e['records'] == $(rows $name.csv) >= e['unconfirmed records'] and e['problem']"
  stop_collector
done

# Slow, but steady.
start_collector 20000 slow
expect_status 0 send --collector-timeout 1s --collector-buffer 100K many.pcap
[ ! -s stderr.txt ] || { cat stderr.txt; fail "a slow collector is none to complain about"; }
stats "e['lost records'] == e['unconfirmed records'] == 0 and e['reconnects'] == 0"
stop_collector

# Who interrupts does not wait for the collector; what was lost decides the exit status all the same.
for name in few many; do
  start_collector 0 never
  "$WARPMETER" extract -q --collector "tcp://127.0.0.1:$port" -o flows.csv $name.pcap 2>stderr.txt &
  run=$!
  wait_for 60 interruptible $run
  sleep 2
  kill -INT $run
  begin=$SECONDS status=0
  wait $run || status=$?
  [ $status = 1 ] || fail "exit status $status"
  tail -1 stderr.txt | grep -qE ': (is not waited for any longer|did not close its side, as one does that has read all): [0-9]+ of [0-9]+ records were lost' ||
    { cat stderr.txt; fail "the loss is not told"; }
  [ $((SECONDS - begin)) -le $((10 * SCALE)) ] || fail "waited $((SECONDS - begin)) s"
  stop_collector
done
no_leftovers

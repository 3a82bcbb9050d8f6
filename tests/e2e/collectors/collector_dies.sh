#!/usr/bin/env bash
# A collector over TCP whose connection breaks. Back at once: that is told, and nothing is lost. Gone for good: what it did
# not get is counted, and what its host took too, since nobody knows whether that was read; exit status 1. The file that the
# same run writes is complete either way.
. "$(dirname "$0")/../common.sh"
need_ipfix
cat > collector.py <<'PY'
"""collector.py PORT stay|return: takes some of what comes and resets the connection; then perhaps takes all."""
import socket, struct, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)  # not all can wait unread
s.bind(('127.0.0.1', int(sys.argv[1])))
s.listen()
print('listening', flush=True)
first, _ = s.accept()
taken = 0
while taken < 300_000: taken += len(first.recv(1 << 16))
if sys.argv[2] == 'stay': s.close()
first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
first.close()
if sys.argv[2] == 'stay': sys.exit()
second, _ = s.accept()
with open('second.ipfix', 'wb') as out:
    while data := second.recv(1 << 16): out.write(data)
PY
start_collector() {
  port=$(free_port tcp)
  : > collector.log  # what the one before said
  python3 collector.py "$port" "$1" >> collector.log 2>&1 &
  collector=$!
  trap 'kill -9 $collector 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 60 grep -q listening collector.log
}
stats() { python3 -c "import json; e = json.load(open('stats.json'))['exported']; assert $1, e"; }

"$TRAFFIC_GEN" --packets $((60000 / SCALE)) --mean-packets 6 -o t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
[ "$(stat -c %s expected.csv)" -gt 200000 ] || fail "too few flows"

start_collector return
expect_status 0 "$WARPMETER" extract -q --collector "tcp://127.0.0.1:$port" -o flows.csv --stats stats.json t.pcap
wait $collector
# One line where all was waiting already, else one for each of the two.
grep -q "^warpmeter: collector tcp://127.0.0.1:$port: connection lost: .*" stderr.txt || fail "no warning"
grep -q "connected again$" stderr.txt || fail "not connected again"
[ "$(grep -c . stderr.txt)" -le 2 ] || { cat stderr.txt; fail "more than two lines"; }
cmp flows.csv expected.csv
stats "e['lost records'] == 0 and e['reconnects'] == 1 and e['records'] == $(rows expected.csv) and e['problem'] == ''"
# What came on the second connection can be read alone, to the last record.
"$WARPMETER" show -q -o second.csv second.ipfix
[ "$(tail -1 second.csv)" = "$(tail -1 expected.csv)" ] || fail "the last record is not there"
[ -z "$(tail -n +2 second.csv | sort | comm -23 - <(sort expected.csv))" ] || fail "records that there never were"

start_collector stay
expect_status 1 "$WARPMETER" extract -q --collector "tcp://127.0.0.1:$port" --collector-timeout 1s -o flows.csv \
  --stats stats.json t.pcap
wait $collector
tail -1 stderr.txt |
  grep -qE "^warpmeter: collector tcp://127.0.0.1:$port: connection lost, and not to be had again: Connection refused: [0-9]+ of $(rows expected.csv) records were lost( \([0-9]+ of them its host took; whether it read them is not known\))?\$" ||
  { cat stderr.txt; fail "the loss is not told"; }
python3 -c 'import json; s = json.load(open("stats.json")); assert s["exit status"] == 1 and s["error"] == s["exported"]["problem"] != "", s'
[ "$(grep -c 'connection lost, and not' stderr.txt)" = 1 ] && [ "$(grep -c . stderr.txt)" -le 2 ] ||
  { cat stderr.txt; fail "the loss is told more than once"; }
cmp flows.csv expected.csv
stats "0 < e['lost records'] <= e['records'] and e['lost records'] > e['unconfirmed records'] > 0 and e['problem']"
no_leftovers

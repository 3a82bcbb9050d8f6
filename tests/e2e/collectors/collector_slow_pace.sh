#!/usr/bin/env bash
# Over UDP at a low --collector-rate, who interrupts waits for ten seconds at most, and not for a message that would go
# later: what did not go is lost and told, and all else is complete. So it is of a live capture, once --drain-timeout has
# passed.
. "$(dirname "$0")/../common.sh"
need_ipfix
"$TRAFFIC_GEN" --packets 4000 --mean-packets 4 -o t.pcap
"$WARPMETER" extract -q -o all.csv t.pcap
port=$(free_port udp)
python3 - "$port" <<'PY' &
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.1', int(sys.argv[1])))
open('listens', 'w').close()
while True:
    message = s.recv(65535)
    at = 16 if message[1] == 10 else 20  # IPFIX, NetFlow v9
    while at + 4 <= len(message):
        if message[at]: open('has_records', 'w').close()
        at += max(int.from_bytes(message[at + 2:at + 4], 'big'), 4)
PY
collector=$!
trap 'kill -9 $collector 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
wait_for 20 test -e listens

# ended_soon SECONDS: the run ends so soon after a signal, with status 1, a line that tells the loss, and whole files.
ended_soon() {
  local begin=$SECONDS status=0
  kill -TERM $run
  wait $run || status=$?
  [ $((SECONDS - begin)) -le $(($1 * SCALE)) ] || fail "$name: took $((SECONDS - begin)) s"
  [ $status = 1 ] || fail "$name: exit status $status"
  grep -qE "^warpmeter: collector udp://127.0.0.1:$port: is not waited for any longer: [0-9]+ of [0-9]+ records were lost$" stderr.txt ||
    { cat stderr.txt; fail "$name: the loss is not told"; }
  cmp flows.csv all.csv
  python3 -c "import json; e = json.load(open('stats.json'))['exported']; assert 0 < e['lost records'] <= e['records'] and e['problem'], e"
}

for protocol in '' --netflow-v9; do
  name="extract $protocol"
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q --collector "udp://127.0.0.1:$port" --collector-rate 1 $protocol -o flows.csv --stats stats.json \
    t.pcap 2>stderr.txt &
  run=$!
  wait_for 60 test -e has_records
  rm has_records
  sleep 1  # all is read, even where what came first describes records
  ended_soon 8
done

mkdir folder
cp t.pcap folder
name=live
"$WARPMETER" live -q -i folder:folder --collector "udp://127.0.0.1:$port" --collector-rate 10 --drain-timeout 1s -o flows.csv \
  --stats stats.json 2>stderr.txt &
run=$!
wait_for 60 interruptible $run
sleep $((2 + SCALE))  # the folder's file is read
ended_soon 10
no_leftovers

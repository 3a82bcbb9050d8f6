#!/usr/bin/env bash
# A quiet capture wakes up seldom: how often its threads slept, from the first to the last of 5,000 packets a second for
# some seconds, by one ring of each kind; and all packets are metered. Without packets it does so as seldom.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 15000 --frame-size 200 --mean-packets 50 --flows 500 -o traffic.pcap

# So often the capture has waited for something.
slept() { cat /proc/$LIVE/task/*/status | awk '/^voluntary_ctxt_switches/ { sum += $2 } END { print sum }'; }

# wakes_at_most LIMIT COMMAND...: a second, meanwhile.
wakes_at_most() {
  local limit=$1 before begin wakes
  shift
  before=$(slept) begin=$(date +%s%N)
  "$@"
  wakes=$((($(slept) - before) * 1000000000 / ($(date +%s%N) - begin)))
  [ "$wakes" -le "$limit" ] || fail "$wakes wake-ups a second, at most $limit expected"
}
send_slowly() { python3 -B "$SOURCE/bench/soak/sender.py" sender 5000 3 traffic.pcap >sent.json; }

for ring in packet xdp; do
  if [ $ring = xdp ] && ! "$WARPMETER" live -q -i capture --ring xdp --duration 10ms -o try.csv 2>why.txt; then
    echo "no --ring xdp here: $(cat why.txt)"
    continue
  fi
  start_live -i capture --ring $ring -o flows.csv
  sleep 1
  wakes_at_most 15 sleep 2
  wakes_at_most 20 send_slowly
  end_live 0
  stats "s['packets metered'] == $(python3 -c 'import json; print(json.load(open("sent.json"))["sent"])') and full == 0"
done

#!/usr/bin/env bash
# A ring that is full loses packets, and each is counted: stopped on purpose, so that nothing is left to chance. What was
# metered before and after is there: the ring has room for that at once, but not for what comes in between.
. "$(dirname "$0")/live/wire.sh"
"$TRAFFIC_GEN" --packets 5000 --mean-packets 20 -o traffic.pcap
for rings in 1 2; do
  start_live -i capture --rings $rings --ring-size 3M -o flows.csv
  first=$(send_frames traffic.pcap)
  kill -STOP "$LIVE"
  second=$(send_frames traffic.pcap 10)
  kill -CONT "$LIVE"
  sleep 1
  third=$(send_frames traffic.pcap)
  end_live 0
  stats "offered == $((first + second + third)) and 0 < full and ($SCALE > 1 or full <= $second) and all(r['times full'] for r in rings)"
  stats "len(rings) == $rings"
  grep -qE 'packets lost  *[1-9][0-9]* because a ring was full' live.txt || { cat live.txt; fail "losses are not told"; }
done

# Stopped for good while the ring is full: what lies in it is metered.
start_live -i capture --ring-size 256K -o flows.csv
kill -STOP "$LIVE"
sent=$(send_frames traffic.pcap 4)
kill -TERM "$LIVE"
kill -CONT "$LIVE"
end_live 0 none
stats "offered == $sent and received > 500 and full > 0"
no_leftovers

#!/usr/bin/env bash
# A link that goes down is told, in the same words, whichever way packets come and whichever end it was; once each time;
# that it is up again, too; and what comes then is metered.
. "$(dirname "$0")/live/wire.sh"
WIRE_FRAMES=$DATA/first-look.pcap
DOWN='^warpmeter: capture: the link is down; what comes when it is up again is metered$'
UP='^warpmeter: capture: the link is up$'
up_told() { [ "$(grep -c "$UP" live.txt)" = "$1" ]; }
up_told_in_time() { (wait_for $((10 * SCALE)) up_told "$1") || { cat live.txt; fail "that it is up is not told $1 times"; }; }
told() { [ "$(grep -c "$DOWN" live.txt)" = "$1" ]; }
told_in_time() { (wait_for $((10 * SCALE)) told "$1") || { cat live.txt; fail "not told $1 times"; }; }

up_again() { ip link set "$1" up; wait_for 5 carries; }

for ring in packet 'packet --rings 2' xdp pcap; do
  ip link delete capture
  make_wire 1500
  if ! "$WARPMETER" live -i capture --ring $ring --duration 10ms -o flows.csv 2>live.txt; then
    grep -qE 'no AF_XDP|not built in' live.txt || { cat live.txt; fail "no start"; }
    echo "without --ring $ring"
    continue
  fi
  start_live -i capture --ring $ring -o flows.csv
  sent=$(send_frames "$WIRE_FRAMES")
  ip link set capture down
  told_in_time 1
  up_again capture
  sent=$((sent + $(send_frames "$WIRE_FRAMES")))
  up_told_in_time 1
  ip link set sender down  # the other end: no carrier
  told_in_time 2
  up_again sender
  sent=$((sent + $(send_frames "$WIRE_FRAMES")))
  up_told_in_time 2
  # Over before anybody looked. What changes within a second of the change before, the kernel may tell as one.
  sleep 1.1
  ip link set sender down
  up_again sender
  told_in_time 3
  ip link set sender mtu 1400  # news that is none
  sent=$((sent + $(send_frames "$WIRE_FRAMES")))
  sleep 1.5
  end_live 0
  told 3 && up_told 3 || { cat live.txt; fail "told too often"; }
  stats "received == $sent"
done

# Without a carrier at the start; a line of its own if the interface itself is down.
ip link set sender down
start_live -i capture --ring packet -o flows.csv
told 1 || { cat live.txt; fail "no carrier is not told"; }
end_live 0
ip link set capture down
start_live -i capture --ring packet -o flows.csv
told 0 && grep -q 'capture is down: no packets until it is up' live.txt || { cat live.txt; fail "other lines"; }
ip link set capture up
ip link set sender up
up_told_in_time 1
end_live 0
no_leftovers

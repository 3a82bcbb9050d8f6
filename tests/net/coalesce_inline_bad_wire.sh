#!/usr/bin/env bash
# An inline run behind a wire that loses, doubles and delays packets: what comes is what was sent, whichever of its ways it
# has with packets out of order.
. "$(dirname "$0")/inline/hosts.sh"
# The wire of the sender goes to one end of the bad one, whose other end is that of the box.
ip netns add between
ip -n sender link del wire
ip link add wire netns sender type veth peer name near netns between
ip link add in type veth peer name far netns between
for pair in 'sender wire' 'between near' 'between far'; do
  offloads $pair
  ip -n ${pair% *} link set ${pair#* } up
done
python3 "$HERE/inline/offloads.py" in
ip link set in up
address sender wire 1
ip netns exec between python3 "$HERE/inline/bad_wire.py" near far bad_wire_ready &
BAD=$!
OTHERS=$BAD
trap 'kill -9 $OTHERS 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
wait_for 10 test -e bad_wire_ready

for options in '' '--reorder' '--drop-repeats' '--reorder --drop-repeats --timeout average --no-push'; do
  start_tap $options
  transfer 10.9.0.2 4 $((1000000 / SCALE)) --both
  transfer fd09::2 2 $((1000000 / SCALE))
  end_inline 0
  stats 's["super_packets"] > 0 and s["joined"] > 100 and sum(s["lost"].values()) == 0'
  case $options in
    *drop*) stats 's["dropped_repeats"] > 0' ;;
    *) stats 's["passed"]["repeated"] > 0 and s["dropped_repeats"] == 0' ;;
  esac
done
kill $BAD

#!/usr/bin/env bash
# Under what its unit file leaves it (user nobody with two capabilities, and without the calls and address families that it
# refuses) an inline run does what it does as root.
. "$(dirname "$0")/inline/hosts.sh"
. "$HERE/live/as_service.sh"
as_service warpmeter-coalesce@.service
[ "$(stat -c %a /dev/net/tun)" = 666 ] || { mknod -m 666 "$SCRATCH/tun" c 10 200; mount --bind "$SCRATCH/tun" /dev/net/tun; }
WARPMETER=$AS_SERVICE
start_inline -i in --to tap:tap0 $metrics
check_confined $INLINE
[ "$(awk '/^CapPrm:/ { print $2 }' /proc/$INLINE/status)" = 0000000000000000 ] || fail "it kept capabilities"
ip addr add 10.9.0.2/24 dev tap0
python3 "$HERE/inline/transfer.py" receive 10.9.0.2 ready 2 $((5000000 / SCALE)) &
receiver=$!
OTHERS=$receiver
wait_for 10 test -e ready
ip netns exec sender python3 "$HERE/inline/transfer.py" send 10.9.0.2 "$(cat ready)" 2 $((5000000 / SCALE))
wait $receiver
end_inline 0
stats 's["super_packets"] > 0 and sum(s["lost"].values()) == 0'

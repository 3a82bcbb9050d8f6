#!/usr/bin/env bash
# Under what its unit file leaves it (user nobody with two capabilities, and without the calls and address families that it
# refuses) an inline run does what it does as root.
. "$(dirname "$0")/inline/hosts.sh"
cmake "-DCMAKE_INSTALL_PREFIX=$PWD" -P "$SOURCE/data/systemd/install.cmake" >/dev/null
ip link set lo up
cp "$WARPMETER" program  # nobody may look into the folders of a build
cp "$HERE/live/as_service.py" .
printf '#!/bin/sh\nexec python3 "%s/as_service.py" "%s/lib/systemd/system/warpmeter-coalesce@.service" "%s/program" "$@"\n' \
  "$SCRATCH" "$SCRATCH" "$SCRATCH" >as_service
chmod 755 program as_service
chmod 711 "$SCRATCH"
mkdir -m 777 state
cd state
[ "$(stat -c %a /dev/net/tun)" = 666 ] || { mknod -m 666 "$SCRATCH/tun" c 10 200; mount --bind "$SCRATCH/tun" /dev/net/tun; }
status=0
"$SCRATCH/as_service" info >../info.txt 2>&1 || status=$?
[ $status != 77 ] || { echo "systemd-analyze (apt-get install systemd), libseccomp and setpriv run this"; exit 77; }
[ $status = 0 ] || { cat ../info.txt >&2; fail "it does not even start"; }
metrics="--metrics :0"
! grep -q 'metrics *not built in' ../info.txt || metrics=
WARPMETER=$SCRATCH/as_service
start_inline -i in --to tap:tap0 $metrics
[ "$(awk '/^Uid/ { print $3 }' /proc/$INLINE/status)" = 65534 ] || fail "not as nobody"
[ "$(awk '/^Seccomp:/ { print $2 }' /proc/$INLINE/status)" = 2 ] || fail "no filter of system calls"
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

#!/usr/bin/env bash
# Packets forwarded to a TAP device with runs of TCP joined: all bytes of several connections come as they were sent, over
# IPv4 and IPv6 and in a VLAN, both ways at once, by either timeout; bulk is joined by dozens; and the run ends as it is told.
. "$(dirname "$0")/inline/hosts.sh"
MB=$((1000000 / SCALE))

# A machine that is busy with others sends in small bursts now and then: one of three is enough.
bulk() {
  start_tap "$@"
  transfer 10.9.0.2 4 $((30 * MB))
  end_inline 0
  stats 's["exit_status"] == 0 and sum(s["lost"].values()) == 0'
}
joins_many() { python3 -c "import json; assert json.load(open('stats.json'))['packets_per_super_packet'] >= 25" 2>/dev/null; }
for try in 1 2 3; do
  bulk
  ! joins_many || break
done
joins_many || { cat inline.txt; fail "25 packets are not joined on average"; }
stats 's["returned"] > 0 and sum(s["lost_on_return"].values()) == 0 and s["flushes"]["timeout"] == 0'
grep -q 'packets joined .* each' inline.txt || { cat inline.txt; fail "no summary"; }
[ -z "$(ip -n host link show tap0 2>/dev/null)" ] || fail "the TAP device is still there"

start_tap --reorder
transfer fd09::2 4 $((30 * MB))
end_inline 0 TERM
stats 's["packets_per_super_packet"] >= 10'

start_tap --timeout average --no-push
transfer 10.9.0.2 3 $((10 * MB)) --both
transfer fd09::2 3 $((10 * MB)) --both
end_inline 0
stats 's["super_packets"] > 0 and s["flushes"]["push"] == 0 and s["flushes"]["round"] == 0 and s["flushes"]["timeout"] > 0'

# Small writes: nobody waits for what is held.
start_tap --no-push --timeout average
ip netns exec host python3 -c "
import socket
listener = socket.create_server(('10.9.0.2', 7777))
open('echo', 'w').close()
client = listener.accept()[0]
while data := client.recv(4096): client.sendall(data)" &
OTHERS="${OTHERS:-} $!"
wait_for 10 test -e echo
ip netns exec sender python3 - <<'PY'
import socket, time
client = socket.create_connection(('10.9.0.2', 7777))
begin = time.monotonic()
for number in range(100):
    client.sendall(b'%d' % number)
    assert client.recv(100) == b'%d' % number
assert time.monotonic() - begin < 10, time.monotonic() - begin
PY
end_inline 0

# In a VLAN, whose tag the kernel keeps beside frames.
start_tap
python3 "$HERE/inline/tagged.py"
end_inline 0
stats 's["joined"] > 10'

# Whole packets without joining are as good: a threshold that each reaches.
start_tap --threshold 1K
transfer 10.9.0.2 2 $((5 * MB))
end_inline 0
stats 's["super_packets"] == 0 or s["packets_per_super_packet"] < 3'

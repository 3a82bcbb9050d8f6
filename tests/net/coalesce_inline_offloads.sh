#!/usr/bin/env bash
# What hosts leave to their cards: frames without checksums, of TCP and UDP, and large packets that are to be cut, come
# in and are forwarded; and to another interface super-packets go where it cuts them again, and nowhere else.
. "$(dirname "$0")/inline/hosts.sh"
MB=$((1000000 / SCALE))

# datagrams ADDRESS: of several sizes, each answered with its bytes.
datagrams() {
  rm -f udp
  ip netns exec host python3 -c "
import socket, sys
sock = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
sock.bind((sys.argv[1], 5353)); open('udp', 'w').close()
while True:
    data, client = sock.recvfrom(65536)
    sock.sendto(data, client)" "$1" &
  local server=$!
  OTHERS="${OTHERS:-} $server"
  wait_for 10 test -e udp
  ip netns exec sender python3 - "$1" <<'PY'
import socket, sys
sock = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
sock.settimeout(10)
sock.connect((sys.argv[1], 5353))
for size in 0, 1, 2, 999, 1400, 4000:  # the last one in fragments
    sock.send(bytes([size & 255]) * size)
    assert sock.recv(65536) == bytes([size & 255]) * size, size
PY
  kill $server
}

for sums in '' tx; do  # with segments of a packet each, and large ones
  offloads sender wire +
  [ -z "$sums" ] || ip netns exec sender python3 - "$HERE" <<'PY'
import sys
sys.path.insert(0, sys.argv[1] + '/inline')
import offloads
for name in 'tso', 'gso': offloads.change('wire', offloads.SET[name], 0)
PY
  start_tap
  transfer 10.9.0.2 3 $((10 * MB)) --both
  transfer fd09::2 3 $((10 * MB)) --both
  datagrams 10.9.0.2
  datagrams fd09::2
  end_inline 0
  stats 'sum(s["lost"].values()) == 0 and s["passed"]["bad_checksum"] == 0'
  if [ -z "$sums" ]; then stats 's["passed"]["no_length"] > 100'
  else stats 's["passed"]["no_length"] == 0 and s["packets_per_super_packet"] > 5'; fi
done
offloads sender wire

# What the kernel has joined before.
python3 "$HERE/inline/offloads.py" in gro
start_tap
transfer 10.9.0.2 2 $((10 * MB)) --both
transfer fd09::2 2 $((10 * MB))
end_inline 0
grep -q '^warpmeter: in: gro joins packets before they come here' inline.txt || { cat inline.txt; fail "not told of GRO"; }
stats 'sum(s["lost"].values()) == 0 and s["passed"]["no_length"] > 10'
python3 "$HERE/inline/offloads.py" in

# To an interface: it has to cut them again.
make_wire host end out
address host end 2
expect_status 1 "$WARPMETER" coalesce -i in --to if:out
expect_one_line '^warpmeter: out: it does not cut super-packets again \(no TSO\)'
python3 "$HERE/inline/offloads.py" out tso
start_inline -i in --to if:out
transfer 10.9.0.2 4 $((10 * MB)) --both
transfer fd09::2 4 $((10 * MB)) --both
datagrams 10.9.0.2
end_inline 0
stats 's["packets_per_super_packet"] > 5 and sum(s["lost"].values()) == 0'

# It stops doing so meanwhile: the kernel cuts, and no frame is longer than the wire allows.
ip netns exec host python3 - "$PWD" <<'PY' &
import os, socket, sys
sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
sock.bind(('end', 3))
open('watching', 'w').close()
longest = 0
while not os.path.exists('enough'):
    sock.settimeout(0.2)
    try: longest = max(longest, len(sock.recv(1 << 17)))
    except TimeoutError: pass
open('longest', 'w').write(str(longest))
PY
WATCHER=$!
OTHERS="${OTHERS:-} $WATCHER"
wait_for 10 test -e watching
start_inline -i in --to if:out
python3 "$HERE/inline/offloads.py" out
transfer 10.9.0.2 4 $((10 * MB))
end_inline 0
touch enough
wait $WATCHER
[ "$(cat longest)" -le 1514 ] || fail "a frame of $(cat longest) bytes was sent"

# It is gone.
python3 "$HERE/inline/offloads.py" out tso
start_inline -i in --to if:out
ip link del out
end_inline 1 none
grep -q '^warpmeter: out is gone$' inline.txt || { cat inline.txt; fail "not told that it is gone"; }
make_wire host end out

# One whose frames are shorter cannot carry what comes.
python3 "$HERE/inline/offloads.py" out tso
ip link set out mtu 1400
expect_status 1 "$WARPMETER" coalesce -i in --to if:out
expect_one_line '^warpmeter: out: its MTU of 1400 is smaller than that of in, 1500$'

# Within a tunnel the kernel has no words for several segments: these are lost, at once, and counted; others are served.
if ip -n sender link add tunnel type vxlan id 5 dstport 4789 remote 10.9.0.2 dev wire 2>/dev/null; then
  offloads sender wire +
  start_tap
  ip -n host link add tunnel type vxlan id 5 dstport 4789 remote 10.9.0.1 dev tap0
  for space in sender host; do
    ip -n $space link set tunnel up
    ip -n $space addr add 10.8.0.$((1 + $(echo $space | grep -c host)))/24 dev tunnel
  done
  ip netns exec host python3 -c "
import socket
listener = socket.create_server(('10.8.0.2', 7777))
open('listens_in_tunnel', 'w').close()
client = listener.accept()[0]
while client.recv(1 << 20): pass" &
  OTHERS="${OTHERS:-} $!"
  wait_for 10 test -e listens_in_tunnel
  ip netns exec sender timeout 2 python3 -c "
import socket
socket.create_connection(('10.8.0.2', 7777)).sendall(bytes(3 << 20))" || true
  transfer 10.9.0.2 1 100000
  end_inline 0
  stats 's["lost"]["refused"] > 0 and s["lost"]["output_full"] == 0'
fi

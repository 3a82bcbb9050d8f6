#!/usr/bin/env bash
# What becomes of an inline run where an end of it is down, comes back or is gone for good, what it tells, and what it
# refuses at its start.
. "$(dirname "$0")/inline/hosts.sh"

# The link of IN is lost and comes back: it waits.
start_tap
transfer 10.9.0.2 1 100000
ip -n sender link set wire down
wait_for 10 grep -q '^warpmeter: in: the link is down' inline.txt
ip -n sender link set wire up
address sender wire 1 2>/dev/null || true
wait_for 10 grep -q '^warpmeter: in: the link is up' inline.txt
transfer 10.9.0.2 1 100000
# The same of the interface itself.
ip link set in down
wait_for 10 grep -c 'link is down' inline.txt
sleep 0.5
ip link set in up
transfer 10.9.0.2 1 100000
# Its MTU changes: that of the host's end does not follow, since rights are gone.
ip link set in mtu 1400
wait_for 10 grep -q '^warpmeter: in: its MTU is 1400 now, and was 1500: that of tap0@host does not follow$' inline.txt
ip link set in mtu 1500
wait_for 10 grep -q '^warpmeter: in: its MTU is 1500 now, and was 1400' inline.txt
# The host's end is down: what comes meanwhile is lost, and counted.
ip -n host link set tap0 down
ip netns exec sender python3 -c "
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100): sock.sendto(b'lost', ('10.9.0.2', 9))"
sleep 0.3
ip -n host link set tap0 up
transfer 10.9.0.2 1 100000
end_inline 0
stats 's["lost"]["output_down"] > 0 and s["lost"]["output_full"] == 0 and "error" not in s'

# The TAP device is gone.
start_tap
transfer 10.9.0.2 1 100000
ip -n host link del tap0
end_inline 1 none
grep -q '^warpmeter: tap0@host is gone$' inline.txt || { cat inline.txt; fail "not told that it is gone"; }
python3 -c "
import json
s = json.load(open('stats.json'))
assert s['exit_status'] == 1 and s['error'] == 'tap0@host is gone' and s['packets_read'] > 10, s"

# IN is gone.
start_tap
ip link del in
end_inline 1 none
grep -q '^warpmeter: in is gone$' inline.txt || { cat inline.txt; fail "not told that it is gone"; }
make_wire sender wire in
address sender wire 1

# Whoever sends has gone in the middle: what waited leaves, and others are served.
start_tap
ip netns exec host python3 -c "
import socket
listener = socket.create_server(('10.9.0.2', 7777))
open('listens', 'w').close()
client = listener.accept()[0]
while client.recv(1 << 20): pass" &
OTHERS="${OTHERS:-} $!"
wait_for 10 test -e listens
ip netns exec sender python3 -c "
import socket
client = socket.create_connection(('10.9.0.2', 7777))
open('sends', 'w').close()
while True: client.sendall(bytes(1 << 20))" &
SENDER=$!
wait_for 10 test -e sends
sleep 0.3
kill -9 $SENDER
transfer 10.9.0.2 2 1000000
end_inline 0

# An interface is one run's, at either end; the first one goes on.
start_tap
expect_status 1 "$WARPMETER" coalesce -i in --to tap:tap1
expect_one_line '^warpmeter: in: another warpmeter coalesce forwards its packets$'
! ip link show tap1 2>/dev/null || fail "the second run made a device"
ip link add end type veth peer name out
ip link set out up
expect_status 1 "$WARPMETER" coalesce -i out --to if:in
expect_one_line '^warpmeter: in: another warpmeter coalesce forwards its packets$'
ip link del end
transfer 10.9.0.2 1 100000
end_inline 0

# A TAP device that was there before is brought up and stays there, with the MTU that it has.
ip -n host tuntap add tap7 mode tap vnet_hdr
ip -n host link set tap7 mtu 4000
! grep -q 'has an address' inline.txt || fail "told of an address that is not there"
ip addr add 10.7.0.1/24 dev in
start_inline -i in --to tap:tap7@host
grep -q '^warpmeter: in has an address: ' inline.txt || { cat inline.txt; fail "not told of an address"; }
grep -q '^warpmeter: tap7@host: its MTU of 4000 is larger than that of in, 1500: longer packets do not go out there$' inline.txt ||
  { cat inline.txt; fail "not told of the MTU"; }
ip -n host link show tap7 | grep -q '[<,]UP[,>].* mtu 4000 ' || fail "it is down: $(ip -n host link show tap7)"
ip addr flush dev in
address host tap7 2
ip -n host link set tap7 mtu 1500
transfer 10.9.0.2 1 100000
end_inline 0
ip -n host link show tap7 | grep -q '[<,]UP[,>]' || fail "the TAP device has gone, or is down"
ip -n host link del tap7

# As a service: it says when it is ready and that it lives, and what it counts.
export NOTIFY_SOCKET=@warpmeter-test-$$ WATCHDOG_USEC=800000
python3 "$HERE/live/notified.py" told.txt &
OTHERS="${OTHERS:-} $!"
wait_for 10 test -e told.txt
METRICS="--metrics :0"
! "$WARPMETER" info | grep -q 'metrics *not built in' || METRICS=
ip link set lo up
start_tap $METRICS
transfer 10.9.0.2 1 1000000
wait_for 10 grep -q '^WATCHDOG=1' told.txt
[ "$(head -1 told.txt)" = READY=1 ] || fail "not told that it is ready"
if [ -n "$METRICS" ]; then
  wait_for 10 grep -q 'metrics at http' inline.txt
  url=$(grep -o 'http:.*' inline.txt)
  # Counts are told ten times a second, later where the machine is busy.
  wait_for 10 python3 "$HERE/live/metrics.py" "$url" warpmeter_coalesce_received_packets_total + warpmeter_coalesce_returned_packets_total + \
    warpmeter_coalesce_joined_packets_total + warpmeter_coalesce_lost_packets_total 0 warpmeter_uptime_seconds +
fi
end_inline 0 TERM
wait_for 10 grep -q '^STOPPING=1' told.txt
unset NOTIFY_SOCKET WATCHDOG_USEC
# --quiet leaves out what can be known without it: not the port that the system chose.
if [ -n "$METRICS" ]; then
  rm -f inline.txt  # the last one's must not be taken for this one's
  "$WARPMETER" coalesce -q -i in --to tap:tap0@host $METRICS 2>inline.txt &
  INLINE=$!
  wait_for 10 grep -qE '^warpmeter: metrics at http://127.0.0.1:[0-9]+/metrics$' inline.txt
  end_inline 0
  [ "$(wc -l <inline.txt)" = 1 ] || { cat inline.txt; fail "more than that is told"; }
fi

# Somebody asks how far it is. The host's namespace is deleted: only this program is still there.
start_tap
transfer 10.9.0.2 1 100000
kill -USR1 "$INLINE"
wait_for 10 grep -q '^ *packets joined ' inline.txt
transfer 10.9.0.2 1 100000
ip netns del host
end_inline 1 none
grep -q '^warpmeter: tap0@host: its network namespace is gone$' inline.txt || { cat inline.txt; fail "not told that it is gone"; }
ip netns add host
ip -n host link set lo up

# What is refused.
refused() {
  local status=$1 pattern=$2
  shift 2
  expect_status "$status" "$WARPMETER" coalesce "$@"
  expect_one_line "^warpmeter: $pattern"
}
refused 1 'there is no network interface nowhere; there are: ' -i nowhere --to tap:tap0
refused 1 'lo: it is no Ethernet' -i lo --to tap:tap0
refused 2 '-i and --to: in is both' -i in --to if:in
refused 2 '-i and --to: in is both' -i in --to tap:in
refused 1 'network namespace nowhere: No such file' -i in --to tap:tap0@nowhere
refused 1 'lo: it is no TAP device that this program could use' -i in --to tap:lo
refused 2 '--to is required, as in: ' -i in
refused 2 '--to eth1: tap:NAME, ' -i in --to eth1
refused 2 "--to tap:t%d: no name of a TAP device: 1 to 15 bytes, without blanks, '/', ':' and '%'\$" -i in --to tap:t%d
refused 2 '--to tap:a.name.that.is.too.long: no name of a TAP device' -i in --to tap:a.name.that.is.too.long
refused 2 '--output: it is for captures, and goes without -i' -i in --to tap:tap0 -o x.pcap
refused 2 'INPUT: it is for captures' -i in --to tap:tap0 trace.pcap
refused 2 '--reorder goes with -i' --reorder -o x.pcap trace.pcap
refused 2 '--interval goes with --timeout average: ' -i in --to tap:tap0 --interval 2ms
refused 2 'INPUT is required: captures; or -i' -o x.pcap
refused 2 '.*--active-ack' -i in --to tap:tap0 --active-ack

#!/usr/bin/env bash
# Interfaces come and go: several at once, down and up, none that is there, and removed while captured from; with what was
# metered until then in the output.
. "$(dirname "$0")/live/wire.sh"
WIRE_FRAMES=$DATA/first-look.pcap

# There is none.
expect_status 1 "$WARPMETER" live -i nowhere -o flows.csv
expect_one_line 'there is no network interface nowhere; there are: .*capture'
expect_status 1 "$WARPMETER" live -i "$(printf 'a%.0s' {1..40})" -o flows.csv
expect_one_line 'there is no network interface a'
expect_status 2 "$WARPMETER" live -o flows.csv
expect_one_line 'interface is required, as in: warpmeter live -i eth0 .see'
expect_status 2 "$WARPMETER" live capture -o flows.csv
expect_one_line 'did you mean -i capture'
expect_status 2 "$WARPMETER" live -i capture -i capture -o flows.csv
expect_one_line 'capture is named twice'
expect_status 2 "$WARPMETER" live -i capture --ring-size 1K
expect_one_line 'ring-size: 256K to 2G'
expect_status 2 "$WARPMETER" live -i capture -o flows.csv port
expect_one_line "filter 'port': [^(]*\$"
expect_status 2 "$WARPMETER" live -i capture --ring pcap --rings 2 -o flows.csv
expect_one_line 'ring pcap has one ring'
expect_status 2 "$WARPMETER" live -i shm:nobody --ring packet -o flows.csv
expect_one_line 'ring means nothing for -i shm:NAME: it is for network interfaces'
[ ! -e flows.csv ] || fail "an output of a run that failed"

# Loopback shows each packet once, with several rings too, and another interface beside it.
ip link set lo up
start_live -v -i lo -i capture --rings 2 --ring packet -o flows.csv
grep -q '^warpmeter: 3 threads, memory' live.txt || { cat live.txt; fail "a thread for each of three rings"; }
python3 - <<'PY'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(100): s.sendto(b'x' * i, ('127.0.0.1', 9))
PY
sent=$(send_frames "$WIRE_FRAMES")
end_live 0 TERM
stats "sum(r['received'] for r in rings if r['interface'] == 'capture') == $sent"
python3 - <<'PY'
import csv
lo = [r for r in csv.DictReader(open('flows.csv')) if r['dst_addr'] == '127.0.0.1' and r['dst_port'] == '9']
assert sum(int(r['packets']) for r in lo) == 100, lo
PY

# Down at the start, up later, down for a while.
ip link set capture down
start_live -v -i capture -o flows.csv
grep -q '^warpmeter: 1 thread, memory' live.txt || { cat live.txt; fail "one ring has one thread"; }
grep -q 'warpmeter: capture is down: no packets until it is up' live.txt || { cat live.txt; fail "down is not told"; }
ip link set capture up
sent=$(send_frames "$WIRE_FRAMES")
ip link set capture down
wait_for $((10 * SCALE)) grep -q 'the link is down' live.txt
ip link set capture up
sent=$((sent + $(send_frames "$WIRE_FRAMES")))
end_live 0
stats "received == $sent"

# Down when it begins: libpcap cannot, which is one line that tells what can.
ip link set capture down
expect_status 1 "$WARPMETER" live -i capture --ring pcap -o flows.csv
expect_one_line 'capture is down: .*ip link set capture up, or --ring packet'
ip link set capture up

# For a time, and no longer.
begin=$SECONDS
expect_status 0 "$WARPMETER" live -i capture --duration 1s -o flows.csv
[ $((SECONDS - begin)) -le $((10 * SCALE)) ] || fail "took $((SECONDS - begin)) s"
[ "$(rows flows.csv)" = 0 ]

# Removed.
start_live -i capture -o flows.csv
sent=$(send_frames "$WIRE_FRAMES")
ip link delete capture
end_live 3 none
[ "$(grep -c '^warpmeter: capture: the interface is gone$' live.txt)" = 1 ] || { cat live.txt; fail "gone is not told once"; }
grep -q '^  gone  *1 of 1 interface$' live.txt || { cat live.txt; fail "gone is not in the summary"; }
stats "received == $sent and s['exit status'] == 3"
[ "$(rows flows.csv)" -gt 10 ]

# One of two is removed: that is told at once, and has a metric; the capture goes on with the other.
make_wire
ip link add far type veth peer name second
ip link set far up; ip link set second up
start_live -i capture -i second --metrics 9107 -o flows.csv
ip link delete second
wait_for $((10 * SCALE)) grep -q '^warpmeter: second: the interface is gone; the capture goes on without it$' live.txt
sent=$(send_frames "$WIRE_FRAMES")
ip link set lo up
python3 - <<'PY'
import urllib.request
text = urllib.request.urlopen('http://127.0.0.1:9107/metrics').read().decode()
for line in ('{interface="second"} 1', '{interface="capture"} 0'): assert 'warpmeter_interface_gone' + line in text, text
PY
ip link delete capture
end_live 3 none
[ "$(grep -c 'second: the interface is gone' live.txt)" = 1 ] || { cat live.txt; fail "it is told again"; }
[ "$(grep -c '^warpmeter: capture: the interface is gone$' live.txt)" = 1 ] || { cat live.txt; fail "the last one is not told once"; }
stats "received >= $sent"

# Without rights: what is missing, and what to do.
make_wire
cp "$WARPMETER" ./unprivileged && chmod 755 . unprivileged
if setpriv --reuid 65534 --clear-groups ./unprivileged --version >/dev/null 2>&1; then
  expect_status 1 setpriv --reuid 65534 --clear-groups ./unprivileged live -i capture
  expect_one_line 'capture: capturing needs the capability CAP_NET_RAW'
fi
no_leftovers

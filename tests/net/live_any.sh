#!/usr/bin/env bash
# -i any and patterns follow interfaces as they appear, disappear and come again: no packet of a new one is missed, each is
# accounted for, Flow Records say which interface theirs was, and what is at others is left out, and counted.
. "$(dirname "$0")/live/wire.sh"
ip link set lo up
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --mean-packets 20 -o traffic.pcap
# Conversations go one of three ways; the last one's are packets without a link's header, as a tunnel has them.
split_conversations traffic.pcap 2
for part in 0 1 2; do
  "$WARPMETER" extract -q --duplicate-window 0 --stats part$part.json -o part$part.csv part$part.pcap
  packets[part]=$(python3 -c "import json; print(json.load(open('part$part.json'))['packets read'])")
done

# make_pair NAME PEER [OPTION...]
make_pair() {
  local name=$1 peer=$2
  shift 2
  ip link add "$name" mtu 9100 "$@" type veth peer name "$peer" mtu 9100
  for end in "$name" "$peer"; do ip link set "$end" arp off up; done
  wait_for 5 bash -c "ip link show $peer | grep -q 'qdisc noqueue'"
}

# through_tunnel FILE: its packets come in at a tun interface, tun1, that is there only so long.
through_tunnel() {
  python3 - "$1" <<'PY'
import fcntl, os, struct, subprocess, sys, time
tun = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH22x', b'tun1', 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
subprocess.run('ip link set tun1 mtu 9100 up', shell=True, check=True)
data, at = open(sys.argv[1], 'rb').read(), 24
while at < len(data):
    captured = struct.unpack('<I', data[at + 8:at + 12])[0]
    os.write(tun, data[at + 16:at + 16 + captured])
    at += 16 + captured
PY
}

# check PLACE=FILE...: the rows of each interface, and no others.
check() {
  python3 - "$@" <<'PY'
import csv, sys
def rows(name):
    return list(csv.DictReader(open(name)))
def values(row):
    return tuple(v for c, v in row.items() if not c.endswith('_ns') and c not in ('interface', 'direction'))
got, all = rows('got.csv'), 0
for place, names in (word.split('=') for word in sys.argv[1:]):
    here = sorted(values(r) for r in got if r['interface'] == place and r['direction'] == 'ingress')
    expected = sorted(values(r) for name in names.split(',') for r in rows(name))
    assert here == expected, (place, len(here), len(expected), {r['interface'] for r in got})
    all += len(expected)
assert len(got) == all, (len(got), all)
PY
}

# follow OPTION...: nothing is there yet.
follow() {
  start_live -i 'veth*' -i 'tun*' --duplicate-window 0 --interface-columns -o got.csv "$@"
  grep -qF 'veth*: no network interface is called so yet' live.txt || fail "it does not say that it waits"
  make_pair veth1 end1
  wait_for 5 bash -c "ip -d link show veth1 | grep -q 'promiscuity [1-9]'"
  python3 "$HERE/live/send_frames.py" end1 part0.pcap >/dev/null
  ip link delete veth1  # with what came from it in the ring still
  send_frames part0.pcap >/dev/null
  [ ! -e /dev/net/tun ] || through_tunnel part2.pcap
  make_pair veth1 end1
  python3 "$HERE/live/send_frames.py" end1 part1.pcap >/dev/null
  wait_for 5 bash -c '[ "$(grep -c "veth1 appeared" live.txt)" = 2 ]'
  end_live 0
  grep -q 'veth1 is gone' live.txt || fail "it does not say that one is gone"
  ip link delete veth1
}

tunnel=tun1=part2.csv in_tunnel=${packets[2]}
[ -e /dev/net/tun ] || tunnel='' in_tunnel=0
for options in '' '--rings 2'; do
  follow $options
  check veth1=part0.csv,part1.csv $tunnel
  sent=$((packets[0] + packets[1]))
  stats "offered == received == $sent + $in_tunnel"
  # Of veth*: the other ends, both ends of the wire, and the tunnel; of tun*: all but the tunnel.
  for of in "veth*=$((sent + 2 * packets[0] + in_tunnel))" "tun*=$((2 * sent + 2 * packets[0]))"; do
    stats "sum(r['from other interfaces'] for r in rings if r['interface'] == '${of%=*}') == ${of#*=}"
  done
done

# One appears whose frames the filter cannot be asked about: they are left out, and the exit status says so.
if [ -e /dev/net/tun ]; then
  start_live -i 'tun*' -o got.csv vlan
  through_tunnel part2.pcap
  end_live 3
  stats "offered == received == $in_tunnel and s['packets metered'] == 0"
  stats "len(s['unreadable']) == 1 and s['unreadable'][0].endswith('its packets are left out') and 'error' not in s"
  grep -q 'its packets are left out$' live.txt || { cat live.txt; fail "it does not say that packets are left out"; }
fi

# A number that is used again is another interface; so is another name.
start_live -i 'veth*' --duplicate-window 0 --interface-columns -o got.csv
make_pair veth1 end1 index 900
python3 "$HERE/live/send_frames.py" end1 part0.pcap >/dev/null
ip link delete veth1
sleep 0.6  # the kernel says no time of changes: a block is complete by then
make_pair veth2 end2 index 900
python3 "$HERE/live/send_frames.py" end2 part1.pcap >/dev/null
sleep 0.6
ip link set veth2 down
ip link set veth2 name away
ip link set away up
wait_for 5 bash -c "ip link show end2 | grep -q 'LOWER_UP'"
python3 "$HERE/live/send_frames.py" end2 part0.pcap >/dev/null
end_live 0
check veth1=part0.csv veth2=part1.csv
grep -q 'veth2 is gone' live.txt || fail "it does not say that one has another name"
stats "{f['interface']: (f['frames'], f['gone']) for f in interfaces[0]['followed']} == {'veth1': (${packets[0]}, True), 'veth2': (${packets[1]}, True)}"
ip link delete away

# any: each packet at each interface, of loopback once; what is named besides is not in it.
talk() {
  python3 - <<'PY'
import socket
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(('127.0.0.1', 0))
for i in range(100): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', to.getsockname())
PY
}
for options in '' '--rings 2'; do
  start_live -i any --duplicate-window 0 -o got.csv $options
  grep -q 'any: a packet that passes several interfaces' live.txt || fail "it does not say that packets come twice"
  send_frames part0.pcap >/dev/null
  talk
  end_live 0
  stats "offered == received == 2 * ${packets[0]} + 100 and all(r['from other interfaces'] == 0 for r in rings)"
  stats "{f['interface']: f['frames'] for f in interfaces[0]['followed'] if f['frames']} == {'capture': ${packets[0]}, 'sender': ${packets[0]}, 'lo': 100}"
done
start_live -i any -i capture --ring packet --duplicate-window 0 -o got.csv udp
send_frames part0.pcap >/dev/null
talk
end_live 0
stats "[r['offered'] for r in rings] == [${packets[0]} + 100, ${packets[0]}]"
stats "rings[0]['from other interfaces'] == ${packets[0]} and s['ignored']['filtered out'] > 0"

# The kernel asks a filter of Ethernet; the program asks it of what has another link, and of what appeared just now.
filtered_out=$("$WARPMETER" extract -q --duplicate-window 0 --stats udp.json -o udp0.csv part0.pcap udp;
  python3 -c "import json; print(json.load(open('udp.json'))['ignored']['filtered out'])")
for part in 1 2; do "$WARPMETER" extract -q --duplicate-window 0 -o udp$part.csv part$part.pcap udp; done
[ "$filtered_out" -gt 0 ] || fail "the filter leaves nothing out"
for options in '' '--rings 2'; do
  start_live -i 'capt*' -i 'veth*' -i 'tun*' --duplicate-window 0 --interface-columns -o got.csv $options udp
  [ "$(grep -o 'filter of Ethernet in the kernel' live.txt | wc -l)" = 3 ] || { cat live.txt; fail "no filter in the kernel"; }
  send_frames part0.pcap >/dev/null
  make_pair veth1 end1
  python3 "$HERE/live/send_frames.py" end1 part1.pcap >/dev/null
  [ ! -e /dev/net/tun ] || through_tunnel part2.pcap
  end_live 0
  check capture=udp0.csv veth1=udp1.csv ${tunnel:+tun1=udp2.csv}
  stats "sum(r['filtered out before'] for r in rings if r['interface'] == 'capt*') == $filtered_out"
  ip link delete veth1
done

# What is longer than its interface's MTU and cannot be cut is counted, and a line says of which interface.
if [ -e /dev/net/tun ]; then
  start_live -i any --duplicate-window 0 -o got.csv
  python3 - <<'PY'
import fcntl, os, struct, subprocess, time
tun = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH22x', b'tun1', 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
def send(size):
    os.write(tun, struct.pack('>BBHHHBBHII', 0x45, 0, size, 1, 0x4000, 64, 17, 0, 0x0a000001, 0x0a000002) + bytes(size - 20))
subprocess.run('ip link set tun1 mtu 4000 up', shell=True, check=True)
for _ in range(5): send(4000)
for _ in range(7): send(6000)
time.sleep(0.3)  # they are judged by the MTU of when they are read
subprocess.run('ip link set tun1 mtu 6000', shell=True, check=True)
for _ in range(9): send(6000)
time.sleep(2.5)
PY
  end_live 0
  stats "received == 21 and sum(r['frames longer than the MTU'] for r in rings) == 7"
  stats "[(f['frames'], f['frames longer than the MTU'], f['gone']) for f in interfaces[0]['followed'] if f['interface'] == 'tun1'] == [(21, 7, True)]"
  [ "$(grep -c '^warpmeter: tun1: frames come that are longer than its MTU' live.txt)" = 1 ] || { cat live.txt; fail "not told once"; }
fi

# What cannot follow says so.
for ring in xdp pcap; do
  expect_status 2 "$WARPMETER" live -i 'veth*' --ring $ring -o got.csv
  expect_one_line "ring $ring takes an interface by its name"
done
expect_status 2 "$WARPMETER" live -i any --affinity auto --set-irq-affinity -o got.csv
expect_one_line 'set-irq-affinity means nothing for -i any and patterns'
no_leftovers

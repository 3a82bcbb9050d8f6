#!/usr/bin/env bash
# Which way packets come: AF_XDP unasked only where it takes nothing from the host; and what is missing where it does not
# work, in one line with what helps.
. "$(dirname "$0")/live/wire.sh"
: "${LIVE_FRAMES:?run these scripts through ctest}"
way() { grep -o 'capturing from [^;]*' live.txt | cut -d' ' -f3-; }
expect_way() { [[ $(way) == $1 ]] || { cat live.txt; fail "expected $1"; }; }

# Unasked. What an interface is used for stands in files, which are those of another namespace at first.
start_live -i capture -o flows.csv
expect_way 'capture (AF_PACKET, 1 ring of 64 MiB: no AF_XDP without --ring xdp, since nobody tells what it is used for (/sys/class/net))'
end_live 0
mount -t sysfs none /sys
start_live -i capture -o flows.csv
expect_way 'capture (AF_XDP, 1 ring of 64 MiB, copied once by the kernel)'
! grep -q 'does not reach this host' live.txt || fail "nobody is harmed"
expect_status 1 "$WARPMETER" live -i capture  # which would see nothing
expect_one_line 'capture: no AF_XDP: its RX queue 0 belongs to another program.*--ring packet gets what it leaves'
ip address add 192.0.2.1/24 dev capture
wait_for $((5 * SCALE)) grep -q 'capture: it has an IP address now; what AF_XDP takes does not reach this host' live.txt
end_live 0
start_live -i capture -o flows.csv
expect_way 'capture (AF_PACKET, 1 ring of 64 MiB: no AF_XDP without --ring xdp, since it has an IP address)'
end_live 0
start_live --ring xdp -i capture -o flows.csv
expect_way 'capture (AF_XDP, *'
grep -q 'capture: it has an IP address; what AF_XDP takes does not reach this host' live.txt || { cat live.txt; fail "no warning"; }
end_live 0
start_live --ring packet --rings 2 -i capture -o flows.csv
expect_way 'capture (AF_PACKET, 2 rings of 64 MiB)'
end_live 0
ip address flush dev capture

# Part of a bridge; something lies on top of it; it has sent.
ip link add bridge type bridge
ip link set capture master bridge
start_live -i capture -o flows.csv
expect_way '*without --ring xdp, since another interface is made of it)'
end_live 0
ip link delete bridge
if ip link add link capture name upper type vlan id 7 2>/dev/null; then
  start_live -i capture -o flows.csv
  expect_way '*without --ring xdp, since another interface is made of it)'
  end_live 0
  ip link delete upper
fi
python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('capture', 0)); s.send(bytes(60))"
start_live -i capture -o flows.csv
expect_way '*without --ring xdp, since it has sent packets)'
end_live 0
ip link set lo up
start_live -i lo -o flows.csv
expect_way 'lo (AF_PACKET, *since the host talks to itself by it)'
end_live 0

# No driver for it.
expect_status 1 "$WARPMETER" live --ring xdp -i lo
expect_one_line "lo: no AF_XDP: its driver has no XDP.*--ring packet does without"
expect_status 2 "$WARPMETER" live --ring dpdk -i lo

# Beside a capture that takes everything by AF_XDP, others are told; and of how many rings there are, if that is not as many
# as were asked for.
ip link delete capture
make_wire 1500 2
start_live --ring xdp --rings 3 -i capture -o flows.csv
expect_way 'capture (AF_XDP, 2 rings of *'
grep -q '^warpmeter: capture: 2 rings, not 3, since it has no more (--rings)$' live.txt || { cat live.txt; fail "not told"; }
expect_status 0 "$WARPMETER" live --ring packet -i capture --duration 50ms -q -o none.csv
expect_one_line 'capture: it runs an XDP program, perhaps a capture by AF_XDP: what that takes does not come here'
end_live 0
! grep -q 'runs an XDP program' live.txt || { cat live.txt; fail "it is its own"; }
expect_status 0 "$WARPMETER" live --ring packet --rings 2 -i capture --duration 50ms -q -o none.csv
[ ! -s stderr.txt ] || { cat stderr.txt; fail "nothing is to be told"; }
expect_status 0 "$WARPMETER" live --rings 2 -i lo --duration 50ms -q -o none.csv
grep -q 'lo: 1 ring, not 2, since it has no more (--rings)' stderr.txt || { cat stderr.txt; fail "not told"; }

# Rights: each that is missing is named, and the three that are needed are enough.
as() { setpriv --bounding-set "$@"; }
if as -all,+net_raw,+net_admin,+bpf true 2>/dev/null; then
  expect_status 1 as -bpf,-sys_admin "$WARPMETER" live --ring xdp -i capture
  expect_one_line 'capture: no AF_XDP: CAP_BPF is missing \(run it as root, or .*setcap cap_net_raw,cap_net_admin,cap_bpf\+ep'
  expect_status 1 as -all,+net_raw "$WARPMETER" live --ring xdp -i capture
  expect_one_line 'capture: no AF_XDP: CAP_NET_ADMIN and CAP_BPF are missing'
  make_quiet() { ip link delete capture; make_wire; }
  make_quiet
  expect_status 0 as -all,+net_raw "$WARPMETER" live -i capture --duration 50ms -o flows.csv
  grep -q 'AF_PACKET, 1 ring of 64 MiB: no AF_XDP: CAP_NET_ADMIN and CAP_BPF are missing' stderr.txt || { cat stderr.txt; fail "why not?"; }
  expect_status 0 as -all,+net_raw,+net_admin,+bpf "$WARPMETER" live --ring xdp --ring-size 1M -i capture \
    --duration 50ms -o flows.csv
  grep -q 'capturing from capture (AF_XDP' stderr.txt

  # Memory that may be locked. (Whoever has CAP_IPC_LOCK may lock any.)
  expect_status 1 as -all,+net_raw,+net_admin,+bpf prlimit --memlock=1048576:1048576 "$WARPMETER" live --ring xdp -i capture
  expect_one_line 'capture: no AF_XDP: a ring of 64 MiB is more memory than may be locked \(1 MiB\) \(ulimit -l unlimited, LimitMEMLOCK'
  expect_status 0 as -all,+net_raw,+net_admin,+bpf prlimit --memlock=1048576:1048576 "$WARPMETER" live --ring xdp \
    --ring-size 512K -i capture --duration 50ms -o flows.csv
else
  echo "left out: setpriv of util-linux 2.36 or newer, as root, runs what is about rights"
fi

no_leftovers

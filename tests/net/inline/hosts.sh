# For the scripts of inline runs, `. "$(dirname "$0")/inline/hosts.sh"`: a network namespace of the script's own, the box,
# and in it the interface `in`, whose other end is the interface `wire` of the namespace `sender`; and an empty namespace
# `host`. Addresses: sender 10.9.0.1 and fd09::1, host 10.9.0.2 and fd09::2. No offloads, unless a script asks for some.
# And what ../e2e/common.sh gives. All of it is gone when the script ends.
if [ -z "${IN_NAMESPACE:-}" ]; then
  command -v ip >/dev/null || { echo "apt-get install iproute2 runs this: there is no ip"; exit 77; }
  why=$(unshare --net --mount ip link add in type veth peer name wire 2>&1) ||
    { echo "root, with the right to make network namespaces and veth interfaces, runs this: $why"; exit 77; }
  [ -e /dev/net/tun ] || { echo "a system with TAP devices runs this: there is no /dev/net/tun"; exit 77; }
  IN_NAMESPACE=1 exec unshare --net --mount bash "$0"
fi
. "$(dirname "$0")/../e2e/common.sh"
HERE=$SOURCE/tests/net
mkdir -p /run/netns
mount -t tmpfs none /run/netns
mount --make-private /run/netns
for space in sender host; do
  ip netns add $space
  ip -n $space link set lo up
done
# Nothing is said but what the script says, and addresses are usable at once.
for space in sender host; do
  ip netns exec $space sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad; echo 0 >/proc/sys/net/ipv6/conf/default/router_solicitations' 2>/dev/null || true
done
if [ -e /proc/sys/net/ipv6 ]; then echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; fi

# offloads NAMESPACE IFACE [+]: none, or with + those of a host that leaves segments and checksums to its card.
offloads() { ip netns exec "$1" python3 "$HERE/inline/offloads.py" "$2" ${3:-}; }

# address NAMESPACE IFACE NUMBER: that of a host, 1 or 2.
address() {
  ip -n "$1" link set "$2" up
  ip -n "$1" addr add "10.9.0.$3/24" dev "$2"
  ip -n "$1" addr add "fd09::$3/64" dev "$2" nodad 2>/dev/null || true
  ip -n sender neigh flush all  # another device may have had the address before
}

# make_wire NAMESPACE IFACE OWN: a cable from there to OWN of the box.
make_wire() {
  ip link add "$3" type veth peer name "$2" netns "$1"
  ip link set "$3" up
  offloads "$1" "$2"
  python3 "$HERE/inline/offloads.py" "$3"
}
make_wire sender wire in
address sender wire 1

# start_inline OPTION...: waits until it forwards. Its messages are in inline.txt, its pid is INLINE.
start_inline() {
  rm -f inline.txt  # the last one's must not be taken for this one's
  "$WARPMETER" coalesce --stats stats.json "$@" 2>inline.txt &
  INLINE=$!
  trap 'kill -9 $INLINE ${OTHERS:-} 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for 20 forwards_or_ended
  grep -q '^warpmeter: forwarding' inline.txt || { cat inline.txt >&2; fail "it has ended"; }
}
forwards_or_ended() { ! kill -0 $INLINE || grep -q '^warpmeter: forwarding' inline.txt; }

# start_tap OPTION...: the same, to tap0 of the host.
start_tap() {
  start_inline -i in --to tap:tap0@host "$@"
  address host tap0 2
}

# end_inline STATUS [SIGNAL | none]
end_inline() {
  local got=0
  [ "${2:-}" = none ] || kill -"${2:-INT}" "$INLINE"
  wait "$INLINE" || got=$?
  [ "$got" = "$1" ] || { cat inline.txt >&2; fail "exit status $got, expected $1"; }
}

# transfer ADDRESS CONNECTIONS BYTES [OPTION...]: from the sender to the host, and so much back with --both; fails where a
# byte differs. ADDRESS is the host's.
transfer() {
  local address=$1
  shift
  rm -f ready
  ip netns exec host python3 "$HERE/inline/transfer.py" receive "$address" ready "$@" &
  local receiver=$!
  OTHERS="${OTHERS:-} $receiver"
  wait_for 10 test -e ready
  ip netns exec sender timeout $((120 * SCALE)) python3 "$HERE/inline/transfer.py" send "$address" "$(cat ready)" "$@" ||
    { cat inline.txt >&2; fail "a transfer to $address"; }
  wait $receiver || fail "a transfer, at $address"
}

# stats CONDITION: of `s`, the whole.
stats() {
  python3 - "$1" <<'PY'
import json, sys
s = json.load(open('stats.json'))
out = s['packets_read'] - s['joined'] + s['super_packets'] - s['dropped_repeats'] - sum(s['lost'].values()) + s['lost']['ring_full']
assert s['packets_written'] == out, (s['packets_written'], out, s)
assert eval(sys.argv[1]), (sys.argv[1], s)
PY
}

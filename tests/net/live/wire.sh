# For the scripts of live captures, `. "$(dirname "$0")/live/wire.sh"`: a network namespace of the script's own, in it two
# interfaces that are one wire, `sender` and `capture`, on which nothing is said but what the script sends; and what
# ../e2e/common.sh gives. All of it is gone when the script ends, and what it has mounted.
if [ -z "${IN_NAMESPACE:-}" ]; then
  command -v ip >/dev/null || { echo "apt-get install iproute2 runs this: there is no ip"; exit 77; }
  why=$(unshare --net --mount ip link add sender type veth peer name capture 2>&1) ||
    { echo "root, with the right to make network namespaces and veth interfaces, runs this: $why"; exit 77; }
  IN_NAMESPACE=1 exec unshare --net --mount bash "$0"
fi
. "$(dirname "$0")/../e2e/common.sh"
HERE=$SOURCE/tests/net

if [ -e /proc/sys/net/ipv6 ]; then echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; fi
# make_wire [MTU [QUEUES]]
make_wire() {
  ip link add sender mtu ${1:-9100} numtxqueues ${2:-1} numrxqueues ${2:-1} type veth \
    peer name capture mtu ${1:-9100} numtxqueues ${2:-1} numrxqueues ${2:-1}
  ip link set sender arp off up
  ip link set capture arp off up
  wait_for 5 carries  # what is sent before is lost without a word
}
carries() { ip link show sender | grep -q 'qdisc noqueue'; }
make_wire

# send_frames FILE [TIMES]: the frames of a pcap, in order, out of `sender`. Prints how many.
send_frames() { python3 "$HERE/live/send_frames.py" sender "$@"; }

# split_conversations FILE [RAW]: part0.pcap to part2.pcap, each with all packets of some conversations of a capture of
# Ethernet; what is not IPv4 is in part 0. Of part RAW packets without the link's header, and of IPv4 alone, as a tunnel has them.
split_conversations() {
  python3 - "$@" <<'PY'
import struct, sys
data, raw = open(sys.argv[1], 'rb').read(), int(sys.argv[2]) if sys.argv[2:] else None
at, parts = 24, {part: [] for part in range(3)}
while at < len(data):
    captured, whole = struct.unpack('<II', data[at + 8:at + 16])
    frame = data[at + 16:at + 16 + captured]
    ip = frame[14:] if frame[12:14] == b'\x08\0' else b''
    part = sum(ip[12:20]) % 3
    lengths, what = ((captured - 14, whole - 14), ip) if part == raw else ((captured, whole), frame)
    parts[part].append(data[at:at + 8] + struct.pack('<II', *lengths) + what)
    at += 16 + captured
for part, records in parts.items():
    link = struct.pack('<I', 101) if part == raw else data[20:24]
    open(f'part{part}.pcap', 'wb').write(data[:20] + link + b''.join(records))
PY
}

# start_live OPTION...: waits until it captures. Its messages are in live.txt, its pid is LIVE. It ends with the script, as
# those in OTHERS do.
start_live() {
  rm -f live.txt  # the last one's must not be taken for this one's
  "$WARPMETER" live --stats stats.json "$@" 2>live.txt &
  LIVE=$!
  trap 'kill -9 $LIVE ${OTHERS:-} 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
  wait_for $((20 * SCALE)) grep -q '^warpmeter: capturing from' live.txt
}

# end_live STATUS [SIGNAL]
end_live() {
  local got=0
  [ "${2:-}" = none ] || kill -"${2:-INT}" "$LIVE"
  wait "$LIVE" || got=$?
  [ "$got" = "$1" ] || { cat live.txt >&2; fail "exit status $got, expected $1"; }
}

# stats CONDITION: of `s`, the whole; `rings`, `interfaces`; `offered`, `received`, `before` (filtered out before), `full`,
# `too_long`, `not_handed`: sums over all rings.
stats() {
  python3 - "$1" <<'PY'
import json, sys
s = json.load(open('stats.json'))
rings, interfaces = s['capture']['rings'], s['capture']['interfaces']
names = ('offered', 'received', 'filtered out before', 'lost because it was full', 'lost because they were too long')
offered, received, before, full, too_long = (sum(r[name] for r in rings) for name in names)
assert offered == received + before + full + too_long and received + before == s['packets read']
not_handed = sum(r['lost because the hand-over was full'] for r in rings)
assert s['packets read'] == s['packets metered'] + sum(s['ignored'].values()) + not_handed
assert eval(sys.argv[1]), (sys.argv[1], s['capture'], s['packets read'], s['ignored'], s['rows'], s.get('exported'))
PY
}

# same_but_times A.csv B.csv: the same Flow Records, but for when.
same_but_times() {
  python3 - "$1" "$2" <<'PY'
import csv, sys
def rows(name):
    got = list(csv.DictReader(open(name)))
    assert got, name + ' has no rows'
    return sorted(tuple(v for c, v in row.items() if not c.endswith('_ns')) for row in got)
a, b = map(rows, sys.argv[1:])
assert a == b, '\n'.join(map(str, set(a) ^ set(b)))
PY
}

#!/usr/bin/env bash
# The folder of a real writer: tcpdump -G that packs its files behind itself, and dumpcap -b. What it captured is metered
# while it goes on, each packet once.
if [ -z "${IN_NAMESPACE:-}" ]; then
  why=$(unshare --net true 2>&1) || { echo "the right to make a network namespace (root has it) runs this: $why"; exit 77; }
  IN_NAMESPACE=1 exec unshare --net bash "$0"
fi
. "$(dirname "$0")/../e2e/common.sh"
WRITERS=
for writer in tcpdump dumpcap; do ! command -v $writer >/dev/null || WRITERS+=" $writer"; done
[ -n "$WRITERS" ] || { echo "tcpdump or dumpcap runs this"; exit 77; }
PIDS=
trap 'kill -9 $PIDS 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
ip link set lo up

for writer in $WRITERS; do
  mkdir $writer
  "$WARPMETER" live -q -i folder:$writer -o $writer.csv --stats $writer.json & METER=$!
  PIDS+=" $METER"
  wait_for 20 interruptible $METER
  case $writer in
    # In a folder of its own, which the packers that it starts have, too, from their first moment on.
    tcpdump) (cd tcpdump && exec tcpdump -Z root -i lo -U -n -G 1 -z gzip -w 'x-%s.pcap' udp 2>../$writer.txt) & ;;
    dumpcap) dumpcap -q -i lo -f udp -b duration:1 -w dumpcap/x.pcapng 2>$writer.txt & ;;
  esac
  WRITER=$!
  PIDS+=" $WRITER"
  begun() { grep -qiE 'listening|capturing' $writer.txt; }
  wait_for 20 begun
  python3 - <<'PY'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(130):
    for port in range(9000, 9005): s.sendto(b'x' * 100, ('127.0.0.1', port))
    time.sleep(0.01)
PY
  sleep 0.3                                           # its last packets are with it
  kill -INT $WRITER; wait $WRITER || true
  not_packing() { [ -z "$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$SCRATCH/tcpdump" 2>/dev/null || true)" ]; }
  wait_for 20 not_packing
  kill -INT $METER; wait $METER || fail "exit status $?"
  "$WARPMETER" extract -q -o expected.csv --stats expected.json $writer
  cmp expected.csv $writer.csv || fail "$writer: other Flow Records than those of extract"
  python3 -c "
import json; s, e = (json.load(open(f)) for f in ('$writer.json', 'expected.json'))
assert s['packets read'] == e['packets read'] > 0 and s['folder']['files read'] >= 2, s"
done

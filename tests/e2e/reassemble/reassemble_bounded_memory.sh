#!/usr/bin/env bash
# Outputs in order need no more memory for a long trace than for a short one with as many live connections: of many short
# connections, and of one that goes on and on.
. "$(dirname "$0")/../common.sh"
# What memory a sanitizer takes says nothing about the program.
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
cat > one_connection.py <<'PY'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
payload, sent = bytes(1400), [1, 1]
for i in range(int(sys.argv[1])):
    way = i // 7 % 2
    ends = [b'\x0a\0\0\1', b'\x0a\0\0\2'], [1000, 80]
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 1440, 0, 0, 64, 6, 0) + ends[0][way] + ends[0][1 - way]
    tcp = struct.pack('>HHIIBBHHH', ends[1][way], ends[1][1 - way], sent[way], 0, 0x50, 0x10, 1000, 0, 0)
    sent[way] += 1400
    out.write(struct.pack('<IIII', 1_700_000_000 + i // 1000, i % 1000, 1440, 1440) + ip + tcp + payload)
PY
peak_kib() { peak_of "$WARPMETER" reassemble -q --memory 4M --threads 1 --timeout 1s "$@" -; }
many() { "$TRAFFIC_GEN" --packets "$1" --flows 300 --mean-packets 10 --rate 1000 --frame-size 400 -o -; }
for output in x.json x.streams; do
  for what in many 'python3 one_connection.py'; do
    short=$($what 60000 | peak_kib -o $output)
    long=$($what 250000 | peak_kib -o $output)
    echo "$output, $what: $short KiB, then $long KiB"
    [ "$long" -lt $((short * 5 / 4 + 4096)) ] || fail "memory grows with the input: $output"
    [ "$(stat -c %s $output)" -gt 1000000 ] || fail "nothing of it is in $output"
  done
done
[ "$(stat -c %s x.streams)" -gt $((long * 3 * 1024)) ] || fail "the output is too small to show it"

# And what docs/streams.md says comes beside --memory: MOST KiB more of one run than of another.
at_most_more() {
  echo "$1: $3 KiB, then $4 KiB"
  [ "$4" -lt $(($3 + $2)) ] || fail "$1 takes more than $2 KiB"
}
peak_of_run() { peak_of "$WARPMETER" reassemble -q "$@"; }
python3 one_connection.py 60000 > one.pcap
many 250000 > many.pcap
most=(--memory 16M --threads 1 --timeout 0 many.pcap)
little=(--memory 1M --threads 1 --timeout 0 many.pcap)
records=$(peak_of_run --unordered -o /dev/null "${little[@]}")
at_most_more '15M of --memory' $((2 * 15 << 10)) $records $(peak_of_run --unordered -o /dev/null "${most[@]}")
at_most_more 'an output in order' $((10 << 10)) $records $(peak_of_run -o x.json "${little[@]}")
one=$(peak_of_run --unordered --memory 16M --threads 1 -o /dev/null one.pcap)
at_most_more '3 threads' $((3 * 16 << 10)) $one $(peak_of_run --unordered --memory 16M --threads 4 -o /dev/null one.pcap)
at_most_more 'a folder' $((5 << 10)) $one $(peak_of_run --memory 16M --threads 1 -o x one.pcap)

#!/usr/bin/env bash
# A flow keeps its holes, however little memory there is: what it has of missing bytes is the same for every --memory and
# every number of threads, and all of it goes through a file in --tmpdir where there is no room.
. "$(dirname "$0")/../common.sh"
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
PYTHONPATH=$SOURCE/bench/attacks python3 -B - <<'PY'
import random, packets, patterns
random = random.Random(1)
numbers = [list(range(0, 400_000, 2)) for _ in range(4)]
for of_flow in numbers[1:]: random.shuffle(of_flow)
segment = packets.Tcp4(payload=1)
packets.write('holes.pcap', patterns.steadily(segment(source=flow, seq=numbers[flow][i], id=i & 0xffff)
                                               for i in range(200_000) for flow in range(4)))
PY
for memory in 16M 1G 64G; do
  for threads in 1 2; do
    "$WARPMETER" extract -q --backend cpu --threads $threads --memory $memory --tmpdir . --stats stats.json -o got.csv holes.pcap
    grep -q '"holes dropped": 0,' stats.json || fail "holes dropped with $memory: $(grep holes stats.json)"
    [ "$(tail -n +2 got.csv | grep -c ',199999,')" = 4 ] || fail "missing bytes with $memory: $(cat got.csv)"
    [ -e first.csv ] || cp got.csv first.csv
    cmp first.csv got.csv
  done
done
[ "$(ls)" = "first.csv
got.csv
holes.pcap
stats.json" ] || fail "left behind: $(ls)"

#!/usr/bin/env bash
# Progress is shown on a terminal only, with bytes, share, rate and time left.
. "$(dirname "$0")/../common.sh"
[ -e /dev/ptmx ] && [ -e /dev/pts ] || { echo "a machine with /dev/ptmx and /dev/pts runs this"; exit 77; }
packets=$((1000000 / SCALE))
[ "${SANITIZE:-}" != thread ] || [ "${LONG:-OFF}" = ON ] || packets=60000  # it takes its time
"$TRAFFIC_GEN" --packets $packets -o t.pcap
script -qec "'$WARPMETER' extract --threads 1 --batch 1 -o out.csv t.pcap" /dev/null > screen.txt
grep -qE '[0-9.]+ (M|G)iB of [0-9.]+ .iB \([0-9]+ %\), [0-9.]+ . packets/s, (about [0-9]+ [a-z]+|less than 10 s) left' screen.txt || fail "no progress"
"$WARPMETER" extract -o out.csv t.pcap 2> stderr.txt
grep -q 'left' stderr.txt && fail "progress in a file"
exit 0

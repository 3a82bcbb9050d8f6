#!/usr/bin/env bash
# A long stream on standard input needs no more memory than a short one with as many live flows.
. "$(dirname "$0")/../common.sh"
# What memory a sanitizer takes says nothing about the program.
[ -z "${SANITIZE:-}" ] || { echo "the release build runs this"; exit 77; }
peak_kib() {  # of metering $1 packets; few connections at once, many over time
  "$TRAFFIC_GEN" --packets "$1" --flows 300 --mean-packets 10 --rate 1000 --frame-size 100 --snaplen 96 -o - |
    peak_of "$WARPMETER" extract -q --memory 64M --threads 1 -o /dev/null -
}
short=$(peak_kib 500000)
long=$(peak_kib 4000000)
echo "peak: $short KiB for 0.5 M packets, $long KiB for 4 M"
[ "$long" -lt $((short * 3 / 2 + 4096)) ] || fail "memory grows with the input"

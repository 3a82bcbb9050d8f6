#!/usr/bin/env bash
# A filter of thousands of hosts is compiled in seconds, matches what it says, and a signal ends a run that still compiles.
. "$(dirname "$0")/../common.sh"
"$WARPMETER" info | grep -q 'filters *built in' || { echo "a build with libpcap (package libpcap-dev) runs this"; exit 77; }
capture=$DATA/first-look.pcap
"$WARPMETER" extract -q -o all.csv "$capture"
host=$(sed -n 2p all.csv | cut -d, -f1)
hosts() { python3 -c "print(' or '.join('host 10.99.%d.%d' % (i // 250, i % 250) for i in range($1)))"; }

"$WARPMETER" extract -q -o one.csv "$capture" "host $host"
[ "$(rows one.csv)" -gt 0 ] || fail "no such host"
timeout $((20 * SCALE)) "$WARPMETER" extract -q -o long.csv "$capture" "$(hosts 2000) or host $host" || fail "took too long"
cmp one.csv long.csv
timeout $((20 * SCALE)) "$WARPMETER" extract -q -o whole.csv "$capture" "ip and ($(hosts 600) or host $host)" ||
  fail "took too long"
cmp one.csv whole.csv

# One that takes minutes.
"$WARPMETER" extract -q -o never.csv "$capture" "ip and ($(hosts 6000))" &
METER=$!
trap 'kill -9 $METER 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
sleep 1
kill -TERM $METER
sleep 1
! kill -0 $METER 2>/dev/null || fail "a signal does not end it"
[ ! -e never.csv ] || fail "there is an output"

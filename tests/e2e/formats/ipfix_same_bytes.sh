#!/usr/bin/env bash
# The same input gives the same IPFIX file: whenever it is written, for any number of threads, into a file or a pipe.
. "$(dirname "$0")/../common.sh"
need_ipfix
"$TRAFFIC_GEN" --seed 11 --packets $((40000 / SCALE)) --flows $((4000 / SCALE)) --ipv6 0.3 --udp 0.2 -o many.pcap
"$WARPMETER" extract -q -o one.ipfix --threads 1 many.pcap
sleep 1.1  # Export Times are seconds
"$WARPMETER" extract -q -o three.ipfix --threads 3 --batch 100 many.pcap
cmp one.ipfix three.ipfix
"$WARPMETER" extract -q --format ipfix many.pcap | cat > pipe.ipfix
cmp one.ipfix pipe.ipfix
[ "$(head -c 2 one.ipfix | od -An -tx1 | tr -d ' ')" = 000a ] || fail "no IPFIX message at the start"

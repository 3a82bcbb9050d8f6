#!/usr/bin/env bash
# nfcapd receives IPFIX over UDP, every profile, and nfdump shows keys, times, packets, bytes and flags as they were.
. "$(dirname "$0")/common.sh"
need nfdump nfcapd nfdump
mixed_trace t.pcap
for profile in default plain ntop; do
  port=$(free_port udp)
  mkdir "$profile"
  start nfcapd -w "$profile" -p "$port" -b 127.0.0.1 -S 0 -I test -t 3600
  wait_for 10 udp_port_in_use "$port"
  "$WARPMETER" extract -q --collector "udp://127.0.0.1:$port" --ipfix-profile "$profile" t.pcap
  sleep 1  # nfcapd reads what its socket holds
  stop
  grep -q 'Sequence Errors: 0, Bad Packets: 0' collector.log || { cat collector.log; fail "nfcapd saw errors"; }
  nfdump -R "$profile" -o json > flows.json
  [ -s expected.csv ] || "$WARPMETER" extract -q -o expected.csv t.pcap
  same_fields nfdump flows.json expected.csv
done

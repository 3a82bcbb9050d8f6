#!/usr/bin/env bash
# nfcapd receives NetFlow v9, and nfdump shows keys, times to the ms, packets, bytes and flags as they were; of a biflow
# each direction. nfcapd counts packets, so that Templates sent again are in sequence.
. "$(dirname "$0")/common.sh"
need nfdump nfcapd nfdump
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
for options in "" "--template-refresh 10ms" "--biflow"; do
  port=$(free_port udp)
  rm -rf flows && mkdir flows
  start nfcapd -w flows -p "$port" -b 127.0.0.1 -S 0 -I test -t 3600
  wait_for 10 udp_port_in_use "$port"
  # shellcheck disable=SC2086
  "$WARPMETER" extract -q --netflow-v9 --collector "udp://127.0.0.1:$port" $SLOWLY $options t.pcap
  read_all "$port"
  stop
  grep -q 'Sequence Errors: 0, Bad Packets: 0' collector.log || { cat collector.log; fail "nfcapd saw errors"; }
  nfdump -R flows -o json > flows.json
  same_fields nfdump flows.json expected.csv
done

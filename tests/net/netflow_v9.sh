#!/usr/bin/env bash
# nfcapd receives NetFlow v9, and nfdump shows keys, times to the ms, packets, bytes and flags as they were; of a biflow
# each direction. nfcapd counts packets, so that Templates sent again are in sequence.
. "$(dirname "$0")/common.sh"
need nfdump nfcapd nfdump
mixed_trace t.pcap
"$WARPMETER" extract -q -o expected.csv t.pcap
for options in "" "--template-refresh 10ms" "--biflow"; do
  # shellcheck disable=SC2086
  by_nfcapd flows --netflow-v9 $options
  grep -q 'Sequence Errors: 0,' collector.log || { cat collector.log; fail "nfcapd saw errors"; }
  same_fields nfdump flows.json expected.csv
done
